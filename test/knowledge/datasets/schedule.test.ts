import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dataset } from '../../../src/knowledge/datasets/dataset.ts'
import { Schedule } from '../../../src/knowledge/datasets/schedule.ts'
import type { RefreshOutcome, Source } from '../../../src/knowledge/datasets/source.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const { signal } = new AbortController()

/** A source with a given time of confirmation, or none, and given outcomes of its refreshes. */
function sourceOf(
  id: string,
  outcomes: readonly RefreshOutcome['status'][],
  now: () => number,
  checked_at: number | null,
) {
  const calls: number[] = []
  let confirmed = checked_at
  const source = {
    dataset: dataset({ id, use: 'feed', refresh_hours: 24 }),
    held: () => (confirmed === null ? null : { checked_at: confirmed }),
    isReading: () => false,
    refresh: async () => {
      const status = outcomes[Math.min(calls.length, outcomes.length - 1)] ?? 'fetched'
      calls.push(now())
      if (status !== 'failed') confirmed = now()
      return status === 'failed' ? { status, reason: 'timeout' } : { status }
    },
  } as unknown as Source
  return { source, calls }
}

describe('the schedule', () => {
  let now = 0
  const clock = { now: () => now, monotonic: () => now }

  /** Checks the clock every minute for this many hours. */
  async function pass(schedule: Schedule, hours: number): Promise<void> {
    for (const end = now + hours * HOUR_MS; now < end; now += MINUTE_MS) await schedule.tick(signal)
  }

  it('fetches missing datasets at once, and then at their interval', async () => {
    now = 0
    const { source, calls } = sourceOf('mine', ['fetched'], clock.now, null)
    await pass(new Schedule({ sources: [source], clock, random: () => 0.5 }), 72)
    assert.deepEqual(calls, [0, 24 * HOUR_MS, 48 * HOUR_MS])
  })

  it('waits for the interval if there is a copy on disk', async () => {
    now = 0
    const { source, calls } = sourceOf('mine', ['fetched'], clock.now, -20 * HOUR_MS)
    await pass(new Schedule({ sources: [source], clock, random: () => 0.5 }), 6)
    assert.deepEqual(calls, [4 * HOUR_MS])
  })

  for (const [of, ago] of [
    ['two hours', -2],
    ['a day', -24],
    ['a year', -24 * 365],
  ] as const) {
    it(`waits at most its interval for a copy from ${of} in the future, because the clock was set back`, async () => {
      now = 0
      const { source, calls } = sourceOf('mine', ['fetched'], clock.now, -ago * HOUR_MS)
      const schedule = new Schedule({ sources: [source], clock, random: () => 0.5 })
      await pass(schedule, 28)
      assert.ok((calls[0] ?? Number.POSITIVE_INFINITY) <= 24 * 1.1 * HOUR_MS, `${calls}`)
    })
  }

  it('waits at most its interval when the clock is set back meanwhile', async () => {
    now = 48 * HOUR_MS
    const { source, calls } = sourceOf('mine', ['fetched'], clock.now, null)
    const schedule = new Schedule({ sources: [source], clock, random: () => 0.5 })
    await pass(schedule, 1)
    now = 0
    await pass(schedule, 1)
    assert.deepEqual(calls, [48 * HOUR_MS, 0])
  })

  it('retries after a failure with backoff up to its interval', async () => {
    now = 0
    const { source, calls } = sourceOf('mine', ['failed'], clock.now, null)
    const schedule = new Schedule({ sources: [source], clock, random: () => 0.5 })
    await pass(schedule, 120)
    const waits = calls.slice(1).map((at, n) => (at - (calls[n] ?? 0)) / MINUTE_MS)
    assert.deepEqual(waits.slice(0, 9), [5, 10, 20, 40, 80, 160, 320, 640, 1_280])
    assert.deepEqual(waits.slice(9), [1_440, 1_440, 1_440])
    assert.deepEqual(
      [schedule.refreshState('mine').failures, schedule.refreshState('mine').reason],
      [calls.length, 'timeout'],
    )
  })

  it('varies the intervals of installations by a tenth in both directions', async () => {
    for (const [random, hours] of [
      [0, 21.6],
      [0.999_999, 26.4],
    ] as const) {
      now = 0
      const { source, calls } = sourceOf('mine', ['fetched'], clock.now, null)
      await pass(new Schedule({ sources: [source], clock, random: () => random }), 30)
      assert.ok(Math.abs((calls[1] ?? 0) - hours * HOUR_MS) <= MINUTE_MS, String(calls[1]))
    }
  })

  it('reports changes and failures, but not unchanged datasets', async () => {
    now = 0
    const told: string[] = []
    const { source } = sourceOf('mine', ['failed', 'fetched', 'unchanged'], clock.now, null)
    const listener = (id: string, { status }: RefreshOutcome) => void told.push(`${id} ${status}`)
    await pass(new Schedule({ sources: [source], clock, random: () => 0.5, listener }), 30)
    assert.deepEqual(told, ['mine failed', 'mine fetched'])
  })

  it('runs a refresh once that is requested twice', async () => {
    const { source, calls } = sourceOf('mine', ['fetched'], clock.now, null)
    const schedule = new Schedule({ sources: [source], clock })
    await Promise.all([schedule.refresh(source, { signal }), schedule.refresh(source, { signal })])
    assert.equal(calls.length, 1)
  })
})
