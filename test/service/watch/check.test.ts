// One check of a watch on a virtual clock: look-alikes, what is silenced, and the digest of a day.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkWatch, type LookFor } from '../../../src/service/watch/check.ts'
import { type CheckedWatch, nothingChecked, type Watch } from '../../../src/store/watches.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const resultOf = (domain: string, verdict: string, recommendation: string) => ({
  domain,
  verdict,
  recommendation,
  risk_score: 9,
  checked_at: '2026-11-15T00:00:00Z',
  recommendation_reason: 'So.',
  coverage: { sections: {} },
})

/** Checks once an hour; `verdicts` and `existing` are those of each check. Returns the messages of each event. */
async function told(
  given: Partial<Watch>,
  checks: readonly { readonly verdict?: string; readonly existing?: readonly string[]; readonly at?: number }[],
) {
  let now = 0
  let watch: Watch = {
    id: 'watch_aaaaaaaaaaaaaaaa',
    account: 'a',
    key: 'k',
    target: 'example.com',
    every_ms: HOUR,
    format: 'json',
    notify: 'https://hooks.example.com/x',
    secret: 's',
    created: 0,
    state: nothingChecked,
    next_at: 0,
    ...given,
  }
  const asked: string[] = []
  const events: string[][] = []
  for (const { verdict = 'safe', existing = [], at } of checks) {
    now = at ?? now + HOUR
    const find: LookFor = async () => existing.map(name => ({ name, kind: 'omission' as const }))
    const written: CheckedWatch[] = []
    await checkWatch(
      {
        store: { checked: async (_id, _due, checked) => written.push(checked) > 0 },
        ask: async ({ target }) => {
          asked.push(target)
          return { ok: true, result: resultOf(target, target === 'example.com' ? verdict : 'malicious', 'block') }
        },
        lookFor: { find, every_ms: 2 * HOUR },
        clock: { now: () => now, monotonic: () => now },
        public_url: null,
        random: () => 0.5,
      },
      watch,
      new AbortController().signal,
    )
    const [{ state, next_at, delivery } = assert.fail('nothing was written')] = written
    watch = { ...watch, state, next_at }
    const changes: readonly { readonly message: string }[] =
      delivery === null ? [] : JSON.parse(delivery.event).data.changes
    events.push(changes.map(({ message }) => message))
  }
  return { events, asked, watch }
}

describe('a watch that looks for look-alikes', () => {
  it('tells each new one once, with its judgement, and looks only as often as it may', async () => {
    const { events, asked } = await told({ lookalikes: true }, [
      { existing: ['exampl.com'] },
      { existing: ['exampl.com', 'exmaple.com'] },
      { existing: ['exampl.com', 'exmaple.com'] },
      { existing: ['exmaple.com'] },
      { existing: ['exampl.com', 'exmaple.com'] },
    ])
    const message = 'New look-alike exmaple.com (omission): block, risk score 9 of 100'
    assert.deepEqual(events, [[], [], [message], [], []])
    assert.deepEqual(
      asked.filter(name => name !== 'example.com'),
      ['exmaple.com'],
    )
  })

  it('judges the first few of many, and tells all', async () => {
    const many = Array.from({ length: 8 }, (_, at) => `example${at}.com`)
    const { events, asked } = await told({ lookalikes: true }, [{}, {}, { existing: many }])
    assert.equal(events[2]?.length, 8)
    assert.equal(events[2]?.[7], 'New look-alike example7.com (omission)')
    assert.equal(asked.filter(name => name !== 'example.com').length, 5)
  })

  it('looks for none unless it was asked to', async () => {
    assert.deepEqual((await told({}, [{}, { existing: ['a.com'] }, { existing: ['b.com'] }])).events, [[], [], []])
  })
})

const verdict = 'Verdict: safe → malicious'

describe('a silenced matter', () => {
  it('is not told until its date, and not afterwards either', async () => {
    const state = { ...nothingChecked, silenced: { verdict: 3 * HOUR } }
    const { events } = await told({ state }, [
      {},
      { verdict: 'malicious' },
      { verdict: 'malicious', at: 4 * HOUR },
      { verdict: 'safe' },
      { verdict: 'malicious' },
    ])
    assert.deepEqual(events, [[], [], [], ['Verdict: malicious → safe'], [verdict]])
  })
})

describe('a digest', () => {
  it('collects the changes of a day, and is sent when there are any', async () => {
    const { events } = await told({ digest: true }, [
      {},
      { verdict: 'malicious' },
      { verdict: 'safe' },
      { verdict: 'safe', at: DAY + HOUR },
      { verdict: 'safe', at: 2 * DAY + 2 * HOUR },
      { verdict: 'malicious', at: 4 * DAY },
    ])
    assert.deepEqual(events, [[], [], [], [verdict, 'Verdict: malicious → safe'], [], [verdict]])
  })
})
