import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import createFirstSeenGatherer, { type MetTargets } from '../../src/evidence/first_seen/gather.ts'
import { parseTarget, requestFor, unvetted } from '../../src/targets/target.ts'

function targetOf(text: string) {
  const parsed = parseTarget(requestFor(text), unvetted)
  assert.ok(parsed.ok)
  return parsed.target
}

const gather = (met_targets: MetTargets | null, text = 'example.com') =>
  createFirstSeenGatherer({ met_targets })({ target: targetOf(text) })

const SINCE = Date.parse('2026-01-01T00:00:00Z')
const answering = (at: number | null): MetTargets => ({ firstSeen: async () => ({ at, since: SINCE }) })

describe('the first check of a target', () => {
  it('is the one on record, as the history says', async () => {
    assert.deepEqual(await gather(answering(Date.parse('2026-11-01T08:00:00Z'))), {
      at: '2026-11-01T08:00:00Z',
      since: '2026-01-01T00:00:00Z',
    })
    assert.deepEqual(await gather(answering(null)), { at: null, since: '2026-01-01T00:00:00Z' })
  })

  const silent: readonly (readonly [title: string, met: MetTargets | null, reason: string])[] = [
    ['without a history', null, 'not_configured'],
    ['when the store fails', { firstSeen: () => Promise.reject(new Error('down')) }, 'store_silent'],
    ['when the store never answers', { firstSeen: () => new Promise(() => {}) }, 'store_silent'],
  ]
  for (const [title, met, reason] of silent) {
    it(`is unavailable ${title}`, async () => {
      await assert.rejects(gather(met), { name: 'Unavailable', reason })
    })
  }
})
