// What a client notices of 100 expensive pages that are checked at once, of a stranger who opens connections without pause, and of overload:
// the limits of the process and the CPU queue together, on a virtual clock.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { CpuQueue } from '../../../src/base/cpu_queue.ts'
import { createGate } from '../../../src/service/api/limits.ts'
import { createVirtualLoop } from '../../virtual_loop.ts'

/** Milliseconds of CPU, about as measured on a slow core. */
const cost = { accept: 0.15, request: 0.3, start: 3, packet: 0.9, slice: 1.1, section: 0.4 }
/** Parts of a check, which each take their cost once. */
const parts = { packets: 12, slices: { cheap: 3, expensive: 256 }, sections: 16 }
const round_trip_ms = 2
/** Milliseconds in which the disk writes the count of an answer. */
const write_ms = 1
const deadline_ms = 8_000
const expensive = 100
/** Milliseconds between the requests of the client, and from its first to its last. */
const apart = { checks: 125, cached: 40, probes: 40 }
const lasting_ms = 8_000
/** Connections that are open already. */
const open = 10

interface Seen {
  /** Milliseconds from each request to its answer. */
  readonly checks: number[]
  readonly cached: number[]
  readonly probes: number[]
  refused: number
}

function startService(t: TestContext) {
  const loop = createVirtualLoop(t)
  const cpu = new CpuQueue()
  const gate = createGate({ limit: 256, deadline_ms, monotonic: loop.now, cpu })
  let idle = open

  async function check(key: string, slices: number): Promise<void> {
    const share = cpu.open(key)
    const end = loop.now() + deadline_ms
    loop.spend(cost.start)
    for (let n = 0; n < parts.packets; n++)
      await new Promise<void>(resolve => loop.at(loop.now() + round_trip_ms, () => resolve(loop.spend(cost.packet))))
    for (let n = 0; n < slices && loop.now() < end; n++) await share.run(() => loop.spend(cost.slice))
    for (let n = 0; n < parts.sections; n++) await share.run(() => loop.spend(cost.section))
    share.end()
  }

  const read = (handle: () => void) => () => {
    cpu.hurry()
    loop.spend(cost.request)
    handle()
  }

  function connect(handle: () => void): void {
    loop.accept(() => {
      cpu.hurry()
      gate.postpone()
      loop.spend(cost.accept)
      loop.at(loop.now(), read(handle))
    })
  }

  /** Sends a request on an idle connection or a new one. */
  function send(handle: () => void): void {
    if (idle === 0) {
      connect(handle)
      return
    }
    idle -= 1
    loop.at(loop.now(), read(handle))
  }

  function ask(key: string, slices: number, answered: (ms: number) => void, refused: () => void): void {
    const began = loop.now()
    const signal = new AbortController().signal
    send(() =>
      gate
        .run({ key, began }, () => check(key, slices), signal)
        .then(() => answered(loop.now() - began), refused)
        .finally(() => {
          idle += 1
        }),
    )
  }

  return {
    loop,
    connect,
    ask,
    /** A request that needs no check. `handle` calls back when it is answered. */
    request(handle: (answer: () => void) => void, answered: (ms: number) => void) {
      const began = loop.now()
      const answer = () => {
        answered(loop.now() - began)
        idle += 1
      }
      send(() => handle(answer))
    },
    every(ms: number, run: () => void) {
      for (let time = 1; time < lasting_ms; time += ms) loop.at(time, run)
    },
  }
}

async function seenBeside(t: TestContext, key: string): Promise<Seen> {
  const { loop, ask, request, every } = startService(t)
  const seen: Seen = { checks: [], cached: [], probes: [], refused: 0 }
  loop.at(0, () => {
    for (let n = 0; n < expensive; n++)
      ask(
        'expensive',
        parts.slices.expensive,
        () => {},
        () => {},
      )
  })
  every(apart.checks, () =>
    ask(
      key,
      parts.slices.cheap,
      ms => seen.checks.push(ms),
      () => {
        seen.refused += 1
      },
    ),
  )
  // All counts of a turn are written together.
  const count = (answer: () => void) => void setImmediate(() => loop.at(loop.now() + write_ms, answer))
  every(apart.cached, () => request(count, ms => seen.cached.push(ms)))
  every(apart.probes, () =>
    request(
      answer => answer(),
      ms => seen.probes.push(ms),
    ),
  )
  await loop.turnUntil(lasting_ms + 2 * deadline_ms)
  return seen
}

const percentile = (values: readonly number[], p: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * p)] ?? Number.NaN

describe('beside 100 expensive pages at once', () => {
  for (const [whose, key, p95_ms] of [
    ['another key', 'other', 250],
    ['the same key', 'expensive', 600],
  ] as const) {
    it(`no check of ${whose} is refused, and checks, cached answers and probes are soon answered`, async t => {
      const { checks, cached, probes, refused } = await seenBeside(t, key)
      assert.deepEqual([refused, checks.length, cached.length, probes.length], [0, 64, 200, 200])
      const figures = {
        checks_p95: percentile(checks, 0.95),
        cached_p95: percentile(cached, 0.95),
        cached_longest: percentile(cached, 1),
        probes_longest: percentile(probes, 1),
      }
      const most = { checks_p95: p95_ms, cached_p95: 25, cached_longest: 50, probes_longest: 50 }
      const over = Object.entries(figures).filter(([name, ms]) => ms > most[name as keyof typeof most])

      assert.deepEqual(over, [], JSON.stringify(figures))
    })
  }
})

/** The stranger's connections are more than are accepted while checks run. */
describe('beside a stranger who opens a connection every 0.4 ms', () => {
  for (const [what, slices, apart_ms] of [
    ['pages', parts.slices.cheap, 33],
    ['names without a page', 0, 25],
  ] as const) {
    it(`no check of ${what} is refused, and all are soon answered`, async t => {
      const { loop, connect, ask, every } = startService(t)
      const answered: number[] = []
      let refused = 0
      const refuse = () => {
        refused += 1
      }
      every(0.4, () => connect(() => {}))
      every(apart_ms, () => ask('own', slices, ms => answered.push(ms), refuse))
      await loop.turnUntil(lasting_ms + deadline_ms)
      assert.deepEqual([refused, answered.length], [0, Math.ceil(lasting_ms / apart_ms)])
      assert.ok(percentile(answered, 0.95) < 250, `${percentile(answered, 0.95)} ms`)
    })
  }
})

describe('under four times the load that is sustained', () => {
  it('nine in ten of the checks that can be served are, and the others are refused at once', async t => {
    const { loop, ask } = startService(t)
    const [warm_ms, peak_ms, finding_ms, over_ms] = [4_000, 8_000, 4_000, 12_000]
    const together = 16
    let [peak, over] = [0, 0]
    const refused: number[] = []
    const peakEnds = warm_ms + peak_ms
    const ends = peakEnds + finding_ms + over_ms
    const client = () => {
      if (loop.now() > peakEnds) return
      const answered = () => {
        if (loop.now() > warm_ms) peak += 1
        client()
      }
      ask('own', parts.slices.cheap, answered, client)
    }
    loop.at(0, () => {
      for (let n = 0; n < together; n++) client()
    })
    loop.at(peakEnds, () => {
      const apart_ms = peak_ms / (4 * peak)
      for (let n = 0; n * apart_ms < finding_ms + over_ms; n++)
        loop.at(peakEnds + n * apart_ms, () => {
          const began = loop.now()
          const isCounted = () => loop.now() > peakEnds + finding_ms && loop.now() < ends
          const answer = () => {
            if (isCounted()) over += 1
          }
          const refuse = () => {
            if (isCounted()) refused.push(loop.now() - began)
          }
          ask('own', parts.slices.cheap, answer, refuse)
        })
    })
    await loop.turnUntil(ends + deadline_ms)
    const figures = { share: over / over_ms / (peak / peak_ms), refusals_p99: percentile(refused, 0.99) }
    assert.ok(figures.share >= 0.9 && figures.refusals_p99 <= 50, JSON.stringify(figures))
  })
})
