// What must hold of the process after every fault: it serves, it holds no more than before, it dialled nothing forbidden.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Answer, ask, judgesTimes, patiently } from './client.ts'
import { fieldOf, statusOf, type Theatre } from './play.ts'
import type { Held } from './service_process.ts'

const MIB = 1024 * 1024
const bounds = {
  /** Milliseconds until descriptors, sockets, timers and the heap are as before. */
  settle_ms: 10_000,
  heap: 64 * MIB,
  rss: 512 * MIB,
  stall_ms: 250,
  log_line: 1_024,
} as const

/** A machine on which the start of the service has a longer turn than half of that is slow, and is measured by that turn. */
const mostStalled = (before: Held) => Math.max(bounds.stall_ms, 2 * before.stall_ms)

export interface Baseline {
  readonly held: Held
  readonly control: Answer
}

/** Checks of the healthy site: a machine that does much else may be too slow for one of them. */
const CONTROLS = 4

/** Sections whose sources are shared by all and may rest after a fault of theirs; they are looked at by their own cases. */
const shared = ['reputation', 'carbon_footprint']

export async function baselineOf(theatre: Theatre, key: string): Promise<Baseline> {
  for (let warm = 0; warm < 5; warm++) await controlCheck(theatre, key, `warm${warm}`)
  const control = await controlCheck(theatre, key, 'baseline')
  await pause(500)
  return { held: await theatre.service.held(), control }
}

export function controlCheck({ service, stage }: Theatre, key: string, label: string): Promise<Answer> {
  const path = `/api/v1/check?domain=${label}.control.lab`
  return patiently(() =>
    ask({
      host: service.address,
      port: service.port,
      from: stage.clientAddress(1),
      path,
      headers: { 'X-API-Key': key },
    }),
  )
}

/** Rejects with the first that does not hold. Resolves with what the process held at the end. */
export async function holdInvariants(
  theatre: Theatre,
  { held: before, control: healthy }: Baseline,
  { key, label, secrets, from }: { key: string; label: string; secrets: readonly string[]; from: number },
): Promise<Held> {
  const { service, stage } = theatre
  assert.equal(service.ended(), null, service.stderr().slice(-500))
  for (let tries = 1; ; tries++) {
    const control = await controlCheck(theatre, key, `${label}t${tries}`)
    theatre.check(control)
    if (tries < CONTROLS && !isDeepStrictEqual(comparable(control), comparable(healthy))) continue
    assert.deepEqual(comparable(control), comparable(healthy), 'a healthy site is as it was')
    break
  }
  for (const path of ['/healthz', '/readyz']) {
    const { status, text } = await ask({
      host: service.address,
      port: service.port,
      from: stage.clientAddress(1),
      path,
      headers: {},
    })
    assert.equal(status, 200, `${path} says ${text}`)
  }
  const held = await settled(theatre, before)
  assert.ok(held.rss <= bounds.rss, `${Math.round(held.rss / MIB)} MiB resident`)
  const stalled = `the event loop stood still for ${Math.round(held.stall_ms)} ms`
  assert.ok(!judgesTimes() || held.stall_ms <= mostStalled(before), stalled)
  assert.equal(stage.forbiddenPackets(), 0, 'packets to what must never be dialled')
  holdLog(service.log(from), secrets)
  return held
}

/** All but the opinion of the name: each check is of another. Of a problem, which has no sections, its status and code. */
function comparable({ status, body }: Answer): unknown {
  if (body['coverage'] === undefined) return [status, body['code']]
  const { sections } = body['coverage'] as { sections: Record<string, unknown> }
  const names = Object.keys(sections).filter(name => !shared.includes(name))
  const signals = (body['signals'] as readonly string[]).filter(id => id !== 'suspicious_name')
  return [status, fieldOf(body, 'verdict'), signals, names.map(name => `${name}: ${statusOf(body, name)}`)]
}

async function settled({ service }: Theatre, before: Held): Promise<Held> {
  const until = performance.now() + bounds.settle_ms
  let stall = 0
  for (;;) {
    const held = await service.held()
    stall = Math.max(stall, held.stall_ms)
    const more = growth(before, held)
    if (more.length === 0) return { ...held, stall_ms: stall }
    if (performance.now() > until) assert.fail(`holds more than before: ${more}`)
    await pause(50)
  }
}

/**
 * A timer more or less is a matter of the moment; descriptors of files are opened by the runtime now and then. What was let go a
 * moment ago may need another collection.
 */
const ALLOWED: Readonly<Record<string, number>> = { Timeout: 2 }

const growth = (before: Held, now: Held): string[] => [
  ...(now.descriptors > before.descriptors + 1 ? [`${now.descriptors - before.descriptors} descriptors`] : []),
  ...(now.heap > before.heap + bounds.heap ? [`${Math.round((now.heap - before.heap) / MIB)} MiB of heap`] : []),
  ...Object.entries(now.resources)
    .filter(([kind, count]) => count > (before.resources[kind] ?? 0) + (ALLOWED[kind] ?? 0))
    .map(([kind, count]) => `${count - (before.resources[kind] ?? 0)} ${kind}`),
]

function holdLog(lines: readonly string[], secrets: readonly string[]): void {
  for (const line of lines) {
    assert.doesNotThrow(() => JSON.parse(line), `no JSON: ${line.slice(0, 200)}`)
    assert.ok(line.length <= bounds.log_line, `a line of ${line.length} characters: ${line.slice(0, 200)}`)
    for (const secret of secrets) assert.ok(!line.includes(secret), `the log holds ${secret}`)
  }
}
