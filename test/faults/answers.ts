// What holds of every answer of the service, whatever was asked and however the world was.
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Answer } from './client.ts'

/** Octets of a body. */
const BODY = 256 * 1024

export interface AnswerRules {
  /** Milliseconds that any answer may take. */
  readonly deadline_ms: number
  /** Nothing of these may be in a body or a log: keys, paths, our own servers. */
  readonly secrets: () => readonly string[]
}

/** Reads the interface's own description: an answer is held to what the service itself publishes. */
export function answerRules(openapi: Answer['body'], { deadline_ms, secrets }: AnswerRules): (answer: Answer) => void {
  const { schemas } = openapi['components'] as { schemas: Record<string, object> }
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'openapi', components: { schemas } })
  const compile = (name: string) => ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
  const [isResult, isProblem] = [compile('CheckResult'), compile('Problem')]
  return answer => {
    assert.ok(answer.ms <= deadline_ms, `answered after ${Math.round(answer.ms)} ms`)
    assert.ok(Buffer.byteLength(answer.text) <= BODY, `a body of ${answer.text.length} characters`)
    for (const secret of secrets()) assert.ok(!answer.text.includes(secret), `the body holds ${secret}`)
    quotaHeaders(answer)
    if (answer.status === 200) heldTo(isResult, answer)
    else heldTo(isProblem, answer)
    if (answer.status === 200) allowsNothingDoubtful(answer)
    if (answer.status === 200) assert.equal(answer.headers['x-cache'], answer.body['cached'] ? 'HIT' : 'MISS')
    assert.ok(answer.status < 500 || answer.status === 503, `answered ${answer.status}`)
  }
}

function heldTo(holds: ValidateFunction, { body, text }: Answer): void {
  assert.ok(holds(body), `${JSON.stringify(holds.errors?.slice(0, 3))} in ${text.slice(0, 300)}`)
}

/** What is malicious is blocked, and nothing is allowed that is not safe, seen enough of, and free of serious signals. */
function allowsNothingDoubtful({ body }: Answer): void {
  const { recommendation, verdict, confidence } = body
  const details = body['signal_details'] as readonly { readonly severity: string }[]
  const isSerious = details.some(({ severity }) => severity === 'critical' || severity === 'high')
  const may = verdict === 'safe' && confidence !== 'low' && !isSerious
  assert.equal(recommendation, verdict === 'malicious' ? 'block' : may ? 'allow' : 'review')
}

function quotaHeaders({ headers, status }: Answer): void {
  const numbers = ['limit', 'remaining', 'reset'].map(name => headers[`x-ratelimit-${name}`])
  for (const number of numbers) assert.match(String(number), /^\d{1,10}$/, `quota headers of a ${status}`)
  assert.ok(Number(numbers[2]) * 1000 > Date.now(), 'the reset is in the future')
}
