import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newResultId, shareId } from '../../src/store/history.ts'
import { newJobId } from '../../src/store/jobs.ts'
import { newDeliveryId, newWatchId } from '../../src/store/watches.ts'

/** One in 64 would begin with a hyphen: none of so many is chance of 1 in 10^27. */
const DRAWS = 4_000

describe('an ID that a command takes', () => {
  const rows: readonly (readonly [title: string, create: () => string])[] = [
    ['of a result', newResultId],
    ['of a job', newJobId],
    ['of a watch', newWatchId],
    ['of a delivery', newDeliveryId],
    ['of a link', () => shareId(`-${'A'.repeat(42)}`)],
  ]
  for (const [title, create] of rows) {
    it(`${title} never begins with a hyphen, which would make it an option`, () => {
      const ids = Array.from({ length: DRAWS }, create)
      assert.deepEqual(
        ids.filter(id => id.startsWith('-')),
        [],
      )
    })
  }
})
