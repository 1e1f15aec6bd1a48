import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { diffResults } from '../../src/results/diff/diff.ts'
import { sampled } from '../sample.ts'
import type { Result } from '../service/lab.ts'
import { kindsIn, openReplayer, type Replayer, readRecording, readResult } from './files.ts'
import { takeaways } from './takeaways.ts'

/** Pieces of evidence that `npm test` takes away from each recording, one at a time. */
const PIECES = 12

/** Values from the best to the worst, of fields with these names. Those beside the sections count too. */
const ranked: Readonly<Record<string, readonly unknown[]>> = {
  confidence: ['high', 'medium', 'low'],
  recommendation: ['allow', 'review', 'block'],
  grade: ['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C+', 'C', 'C-', 'D+', 'D', 'D-', 'E', 'F'],
  rating: ['A+', 'A', 'B', 'C', 'D', 'E', 'F'],
  status: ['pass', 'warn', 'fail'],
  effective_policy: ['reject', 'quarantine', 'none'],
  effective_mode: ['enforce', 'testing', 'none'],
  dnssec: ['signed', 'unsigned', 'bogus'],
  valid: [true, false],
  valid_config: [true, false],
  indexable: [true, false],
  green: [true, false],
  confirmed: [true, false],
}

/** Lists of faults: an empty one says that all is well. */
const faults: ReadonlySet<string> = new Set(['issues', 'missing', 'leaks', 'invalid_reasons', 'findings', 'bypasses'])

/** What got better, each as `path: before → after`. */
function better(before: unknown, after: unknown, path = ''): string[] {
  const name = path.split('.').at(-1) ?? ''
  const tell = [`${path}: ${JSON.stringify(before)?.slice(0, 60)} → ${JSON.stringify(after)?.slice(0, 60)}`]
  if (name === 'score' && typeof after === 'number') return typeof before === 'number' && after <= before ? [] : tell
  const order = ranked[name]
  const [was, is] = [order?.indexOf(before) ?? -1, order?.indexOf(after) ?? -1]
  if (is !== -1 && before !== after && (was === -1 ? is === 0 : is < was)) return tell
  if (faults.has(name) && Array.isArray(after) && after.length === 0) {
    return Array.isArray(before) && before.length === 0 ? [] : tell
  }
  if (after === null || typeof after !== 'object' || before === null || typeof before !== 'object') return []
  return Object.entries(after).flatMap(([name, value]) =>
    better((before as Record<string, unknown>)[name], value, path === '' ? name : `${path}.${name}`),
  )
}

const judged = (before: Result, after: Result) =>
  diffResults(before, after).changes.flatMap(({ severity, message }) =>
    severity === 'changed' ? [] : [`${severity}: ${message}`],
  )

/** Values that became unknown in a section that gives no reason, each as its path. */
function unexplained(before: Result, after: Result): string[] {
  return Object.entries(after.coverage.sections).flatMap(([section, { status, reason }]) =>
    status === 'completed' && reason === null ? lost(before[section], after[section], section) : [],
  )
}

function lost(before: unknown, after: unknown, path: string): string[] {
  const isKnown = before !== null && before !== undefined && before !== 'unknown'
  if (after === null || after === 'unknown') return isKnown ? [`${path} became ${after}, without a reason`] : []
  if (typeof after !== 'object' || before === null || typeof before !== 'object') return []
  return Object.entries(after).flatMap(([name, value]) =>
    lost((before as Record<string, unknown>)[name], value, `${path}.${name}`),
  )
}

describe('less evidence', () => {
  let replayer: Replayer
  before(async () => {
    replayer = await openReplayer()
  })
  after(() => replayer.close())

  for (const kind of kindsIn('recordings')) {
    it(`makes nothing about ${kind} better, and no difference a judgement`, async () => {
      const whole = readResult(kind)
      const wrong: Record<string, readonly string[]> = {}
      for (const { piece, left } of sampled(takeaways(readRecording(kind)), PIECES)) {
        const less = await replayer.resultOf(left)
        const found = [
          ...better(whole, less),
          ...judged(whole, less),
          ...judged(less, whole),
          ...unexplained(whole, less),
        ]
        if (found.length > 0) wrong[piece] = found
      }
      assert.deepEqual(wrong, {})
    })
  }
})
