// What follows for a result from a source that the installation should have and has not read.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRecording, record, replay } from '../../../src/engine/recording.ts'
import type { MissingSource } from '../../../src/engine/scoring/missing.ts'
import { analyzerNamed, EXAMPLE, engineOf } from '../engine_of.ts'

const OWN_FEED: MissingSource = { id: 'acme', name: 'acme-blocklist', kind: 'feed', own: true }
const OWN_LIST: MissingSource = { id: 'ranks', name: 'Our ranks', kind: 'list', own: true }
const KEPT_FEED: MissingSource = { id: 'phishing_database', name: 'Phishing.Database', kind: 'feed', own: false }
const KEPT_DATABASE: MissingSource = { id: 'asn', name: 'DB-IP networks', kind: 'database', own: false }

/** Sees the page and the feeds; reports a signal when the page says so. */
const watcher = analyzerNamed('watcher', {
  needs: ['page'],
  signals: {
    odd: { title: 'Something odd', group: 'network', weight: 15, severity: 'medium' },
    grave: { title: 'Something grave', group: 'network', weight: 15, severity: 'high' },
    condemned: { title: 'On a confirmed list', group: 'reputation', weight: 60, severity: 'critical', floor: 71 },
  },
  analyze: ({ page }: { page: { found: string | null } }) => ({
    section: { ok: true },
    signals: page.found === null ? [] : [{ id: page.found }],
  }),
})

const page = (found: string | null) => ({ page: { exchanges: [], stopped: null, found } })

async function checked(missing: readonly MissingSource[], found: string | null = null) {
  const engine = engineOf([watcher], { evidence: page(found), missing: () => missing })
  const { result, class: class_, provisional } = await engine.check(EXAMPLE)
  const { recommendation, recommendation_reason, confidence, verdict, coverage } = result as {
    [name: string]: unknown
    coverage: { complete: boolean; missing?: readonly string[] }
  }
  return {
    class: class_,
    provisional,
    verdict,
    confidence,
    recommendation,
    reason: recommendation_reason,
    complete: coverage.complete,
    missing: coverage.missing,
  }
}

type Row = readonly [
  title: string,
  missing: readonly MissingSource[],
  found: string | null,
  expected: readonly [confidence: string, recommendation: string, reason: string],
]

const rows: readonly Row[] = [
  [
    'holds a safe target back for review without a feed of the operator, and names it',
    [OWN_FEED],
    null,
    ['medium', 'review', 'The feed acme-blocklist has not been read yet.'],
  ],
  [
    'names the feed of the operator before other sources',
    [KEPT_DATABASE, KEPT_FEED, OWN_FEED],
    null,
    ['medium', 'review', 'The feed acme-blocklist has not been read yet.'],
  ],
  [
    'allows without a known feed of which a copy is on disk, with medium confidence',
    [KEPT_FEED],
    null,
    ['medium', 'allow', 'No serious risk was found, but the feed Phishing.Database has not been read yet.'],
  ],
  [
    'allows without a list of the operator, with medium confidence',
    [OWN_LIST],
    null,
    ['medium', 'allow', 'No serious risk was found, but the list Our ranks has not been read yet.'],
  ],
  [
    'allows without a database, with medium confidence',
    [KEPT_DATABASE],
    null,
    ['medium', 'allow', 'No serious risk was found, but the database DB-IP networks has not been read yet.'],
  ],
  ['gives a serious signal as the reason', [OWN_FEED], 'grave', ['medium', 'review', 'Something grave.']],
  ['never withholds a confirmed listing', [OWN_FEED], 'condemned', ['medium', 'block', 'On a confirmed list.']],
]

describe('a check during which an expected source is missing', () => {
  for (const [title, missing, found, [confidence, recommendation, reason]] of rows) {
    it(title, async () => {
      const got = await checked(missing, found)
      assert.deepEqual([got.confidence, got.recommendation, got.reason], [confidence, recommendation, reason])
      assert.deepEqual([got.class, got.provisional, got.complete], ['incomplete', true, false])
      assert.deepEqual(
        got.missing,
        missing.map(({ id }) => id),
      )
    })
  }

  it('is like any other when nothing is missing', async () => {
    assert.deepEqual(await checked([]), {
      class: 'complete',
      provisional: false,
      complete: true,
      missing: undefined,
      verdict: 'safe',
      confidence: 'high',
      recommendation: 'allow',
      reason: 'No serious risk was found, and all deciding evidence was seen.',
    })
  })

  it('is judged by what was missing when it began', async () => {
    let missing: readonly MissingSource[] = [OWN_FEED]
    const read = () => {
      missing = []
      return page(null).page
    }
    const engine = engineOf([watcher], { evidence: { page: read }, missing: () => missing })
    assert.equal((await engine.check(EXAMPLE)).provisional, true)
    assert.equal((await engine.check(EXAMPLE)).provisional, false)
  })

  it('is replayed with what was missing then, whatever is missing now', async () => {
    const seen: Parameters<typeof record>[0][] = []
    const engine = engineOf([watcher], { evidence: page(null), missing: () => [OWN_FEED] })
    const { result } = await engine.check(EXAMPLE, { observe: analysis => seen.push(analysis) })
    const recording = parseRecording(JSON.stringify(seen.map(analysis => record(analysis, 0))[0]))
    const { extension, clock, missing } = replay(recording)
    const again = await engineOf([watcher, extension], { evidence: page(null), clock, missing }).check(EXAMPLE)
    assert.equal(JSON.stringify(again.result), JSON.stringify(result))
  })
})
