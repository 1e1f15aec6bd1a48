// The contract of the interface: whatever an operation answers in a test is as it declares.
import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { CheckResult } from '../../../src/service/api/check.ts'
import { COMMON_PROBLEMS, KEY_PROBLEMS } from '../../../src/service/api/openapi.ts'
import { OPERATIONS } from '../../../src/service/api/operations.ts'
import type { ProblemCode } from '../../../src/service/api/problem.ts'
import { LINES, type Operation } from '../../../src/service/api/routes.ts'

const ajv = new Ajv2020({ strictTypes: false, validateFormats: false })

/** Types of answers that are short and whole. */
const BUFFERED: ReadonlySet<string> = new Set(['application/json', 'application/problem+json'])

function operationOf(method: string, path: string): Operation | undefined {
  const [plain = ''] = path.split('?')
  return Object.values<Operation>(OPERATIONS).find(
    one =>
      one.method === (method === 'HEAD' ? 'GET' : method) &&
      new RegExp(`^${one.path.replace(/:\w+/g, '[^/]+')}$`).test(plain),
  )
}

/** Null when the test cuts the body off. */
const bodyOf = (response: Response): Promise<{ readonly code: ProblemCode } | null> =>
  response
    .clone()
    .json()
    .then(
      body => body as { readonly code: ProblemCode },
      () => null,
    )

/** Rejects when the status, the type, the problem or the shape of a response is none that its operation declares. */
export async function assertDeclared(method: string, path: string, response: Response): Promise<void> {
  const operation = operationOf(method, path)
  if (operation === undefined) return
  const { answer, later, problems, is_public } = operation
  const [type = ''] = response.headers.get('content-type')?.split(';') ?? []
  const body = method !== 'HEAD' && BUFFERED.has(type) ? await bodyOf(response) : null
  const what = `${method} ${path}: ${response.status}`
  if (response.status >= 400) {
    const declared: readonly ProblemCode[] = [...COMMON_PROBLEMS, ...(is_public ? [] : KEY_PROBLEMS), ...problems]
    if (body !== null) assert.ok(declared.includes(body.code), `${what} ${body.code} is declared`)
    return
  }
  const declared = [answer, later].find(one => one?.status === response.status)
  assert.ok(declared, `${what} is declared`)
  assert.equal(type === 'application/x-ndjson', declared.schema === LINES, `${what} has its type, not ${type}`)
  if (declared.schema === LINES || declared.schema === CheckResult || body === null) return
  assert.ok(ajv.validate(declared.schema, body), `${what} ${ajv.errorsText()}`)
}
