// Plays one fault to the service and holds what comes of it to what was expected.
import assert from 'node:assert/strict'
import { UNDRAWN } from '../../src/evidence/document/undrawn.ts'
import type { Expected, FaultCase, Place, Scene, Seen } from './case.ts'
import type { Answer } from './client.ts'
import { ask, exchange, judgesTimes, patiently } from './client.ts'
import type { FaultService } from './service.ts'
import type { Stage } from './stage.ts'
import type { FaultWorld } from './world.ts'

export interface Theatre {
  readonly stage: Stage
  readonly world: FaultWorld
  readonly service: FaultService
  readonly check: (answer: Answer) => void
  newKey(plan?: string): Promise<string>
  revoke(key: string): Promise<void>
}

const NOTHING = {}

/** Rejects with what is not as it should be. */
export async function play(fault: FaultCase, number: number, theatre: Theatre): Promise<void> {
  const place = theatre.world.place(number)
  const enacted = await theatre.world.enact(place, (await fault.world?.(place)) ?? NOTHING, theatre.service)
  const key = await theatre.newKey()
  const { scene, answered } = sceneOf(place, key, number, enacted, theatre)
  try {
    if (fault.play) await fault.play(scene)
    if (fault.expect) {
      const answer = await scene.get(fault.ask?.(place) ?? `domain=${place.name}`)
      hold(fault.expect, { answer, ...scene.seen }, place)
    }
    await quotaIsExact(scene, answered)
  } finally {
    await enacted.end()
  }
}

function sceneOf(
  place: Place,
  key: string,
  number: number,
  { web, queries }: { web: { seen: Seen['web'] }; queries: Seen['queries'] },
  { stage, service, check, newKey, revoke }: Theatre,
): { scene: Scene; answered: { charged: number } } {
  const from = stage.clientAddress(number)
  const at = { host: service.address, port: service.port, from }
  const answered = { charged: 0 }
  const began = service.logged()
  const request: Scene['request'] = async (method, path, headers = { 'X-API-Key': key }) => {
    const answer = await patiently(() => ask({ ...at, method, path, headers }))
    if (path.startsWith('/api/')) check(answer)
    if (answer.status === 200 && path.startsWith('/api/') && headers['X-API-Key'] === key) answered.charged += 1
    return answer
  }
  const scene: Scene = {
    place,
    key,
    seen: { web: web.seen, queries },
    request,
    get: (query, headers) => request('GET', `/api/v1/check?${query}`, headers),
    raw: (...parts) => exchange(at, parts),
    connection: () => at,
    charge: count => {
      answered.charged += count
    },
    newKey,
    revoke,
    async log() {
      await new Promise(resolve => setTimeout(resolve, 300))
      return service.log(began).map(line => JSON.parse(line))
    },
    service,
  }
  return { scene, answered }
}

/** Tries until what a client left behind is counted, and milliseconds between two. */
const COUNTED = { tries: 100, pause_ms: 20 }

/** What is left is what was allowed without what was answered; to ask for it costs nothing. */
async function quotaIsExact({ request }: Scene, { charged }: { charged: number }): Promise<void> {
  for (let left = COUNTED.tries; ; left--) {
    const { status, headers } = await request('GET', '/api/v1/check')
    assert.equal(status, 400)
    const used = Number(headers['x-ratelimit-limit']) - Number(headers['x-ratelimit-remaining'])
    if (used === charged || left === 0) return assert.equal(used, charged, 'quota used')
    await new Promise(resolve => setTimeout(resolve, COUNTED.pause_ms))
  }
}

function hold(expected: Expected, seen: Seen, place: Place): void {
  const { answer, web } = seen
  const { status = 200, code, within_ms } = expected
  assert.equal(answer.status, status, answer.text.slice(0, 400))
  if (code !== undefined) assert.equal(answer.body['code'], code)
  if (within_ms !== undefined) assert.ok(answer.ms <= within_ms, `took ${Math.round(answer.ms)} ms of ${within_ms}`)
  if (expected.connections) assert.deepEqual([...web.connections].sort(), [...expected.connections].sort())
  for (const [name, wanted] of Object.entries(expected.sections ?? {})) {
    for (const section of name === 'web' ? webSections : [name]) {
      const status = statusOf(answer.body, section)
      // On a busy machine a page or a file may be cut by time.
      if (!judgesTimes() && wanted === 'completed' && /^completed \w+_timeout$/.test(status)) continue
      if (name === 'web' && wanted === 'completed' && BESIDE_THE_PAGE[section]?.(status)) continue
      assert.equal(status, wanted, `${section} of ${answer.text.slice(0, 200)}`)
    }
  }
  for (const [path, wanted] of Object.entries(expected.fields ?? {})) {
    assert.deepEqual(fieldOf(answer.body, path), wanted, path)
  }
  const found = (answer.body['signal_details'] ?? []) as readonly { readonly id: string }[]
  const ids = found.map(({ id }) => id)
  for (const id of expected.signals ?? []) assert.ok(ids.includes(id), `no ${id} in ${ids}`)
  for (const id of expected.without ?? []) assert.ok(!ids.includes(id), `${id} in ${ids}`)
  expected.holds?.(seen, place)
}

const DRAWS_LITTLE: ReadonlySet<string> = new Set(Object.keys(UNDRAWN).map(reason => `completed ${reason}`))

/** `web` stands for the page that was fetched, not for how much of it a browser draws, nor for the question of CORS. */
const BESIDE_THE_PAGE: Readonly<Record<string, (status: string) => boolean>> = {
  content_analysis: status => DRAWS_LITTLE.has(status),
  security_headers: status => /^completed cross_origin_\w+$/.test(status),
}

const webSections = ['content_analysis', 'security_headers', 'cookies', 'tech_stack']

export function statusOf(body: Answer['body'], section: string): string {
  const { sections } = body['coverage'] as { sections: Record<string, { status: string; reason: string | null }> }
  const { status, reason } = sections[section] ?? { status: 'absent', reason: null }
  return reason === null ? status : `${status} ${reason}`
}

export const fieldOf = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], body)
