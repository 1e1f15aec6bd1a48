import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPatience, patienceMs } from '../../src/evidence/site_session/site_files.ts'

describe('the patience with the files of a site', () => {
  const table: [pace_ms: number, waited_ms: number][] = [
    [0, 250],
    [40, 410],
    [250, 1_250],
    [9_000, 1_250],
  ]
  for (const [pace_ms, waited_ms] of table) {
    it(`lasts ${waited_ms} ms after a page that began after ${pace_ms} ms`, () =>
      assert.equal(patienceMs(pace_ms), waited_ms))
  }

  it('ends with the check, also one that has ended before', () => {
    const check = new AbortController()
    const { signal } = createPatience(check.signal)
    check.abort()
    assert.deepEqual([signal.aborted, createPatience(check.signal).signal.aborted], [true, true])
  })

  it('does not end before the page has come, nor once the session is closed', async () => {
    const [waiting, closed] = [1, 2].map(() => createPatience(new AbortController().signal))
    closed?.pageCame(0)
    closed?.end()
    await new Promise(resolve => setTimeout(resolve, patienceMs(0) + 100))
    assert.deepEqual([waiting?.signal.aborted, closed?.signal.aborted], [false, false])
  })
})
