// Repeated log lines.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog, describeError, foldRepeats } from '../../../src/service/api/log.ts'
import { eventually } from './service.ts'

const FLOOD = 10_000
const MINUTE_MS = 60_000

function folded({ window_ms = MINUTE_MS, kinds = 256 } = {}) {
  const written: string[] = []
  const log = foldRepeats(createLog('info', { write: line => written.push(line) }), window_ms, kinds)
  const lines = () =>
    written.map(line => {
      const { time: _, ...told } = JSON.parse(line) as Record<string, unknown>
      return told
    })
  return { log, lines }
}

const defect = { plugin: 'tides', stage: 'analyze' }
const broken = (target: string) => ({ ...defect, target, error: describeError(new TypeError(`no tide at ${target}`)) })

describe('a log that folds repetitions', () => {
  it('has the first of many equal failures, and how many followed', () => {
    const { log, lines } = folded()
    for (let n = 0; n < FLOOD; n++) log.error(broken(`${n}.example`))
    assert.deepEqual(lines(), [{ level: 'error', ...broken('0.example') }])
    log.flush()
    const { target: _, ...common } = broken('0.example')
    assert.deepEqual(lines().slice(1), [{ level: 'error', ...common, repeated: FLOOD - 1 }])
  })

  it('reports the count when the period is over, and writes the next one in full', async () => {
    const { log, lines } = folded({ window_ms: 5 })
    log.warn({ dataset: 'a', failed: 'timeout' })
    log.warn({ dataset: 'a', failed: 'timeout' })
    await eventually(() => lines().length === 2)
    log.warn({ dataset: 'a', failed: 'timeout' })
    const line = { level: 'warn', dataset: 'a', failed: 'timeout' }
    assert.deepEqual(lines(), [line, { ...line, repeated: 1 }, line])
  })

  it('does not report a count for a single failure', () => {
    const { log, lines } = folded()
    log.info({ listening: 'http://127.0.0.1:8080' })
    log.flush()
    log.flush()
    assert.equal(lines().length, 1)
  })

  it('separates failures that differ in more than the target', () => {
    const { log, lines } = folded()
    const events = [
      broken('a.example'),
      { ...broken('a.example'), plugin: 'moon' },
      { ...broken('a.example'), stage: 'apply' },
      { ...broken('a.example'), error: describeError(new RangeError('no tide at a.example')) },
      { ...broken('a.example'), error: describeError(new TypeError('no moon at a.example')) },
    ]
    for (const event of [...events, ...events]) log.error(event)
    log.warn(events[0] ?? {})
    assert.equal(lines().length, 6)
  })

  it('has a line for each request, even if equal', () => {
    const { log, lines } = folded()
    for (let n = 0; n < 10; n++) log.error({ request_id: 'one', status: 500 })
    assert.equal(lines().length, 10)
  })

  it('counts the kinds above its limit as one', () => {
    const { log, lines } = folded({ kinds: 2 })
    for (let n = 0; n < 100; n++) log.error({ stray: `${n}` })
    log.flush()
    assert.deepEqual(lines(), [
      { level: 'error', stray: '0' },
      { level: 'error', stray: '1' },
      { level: 'error', others: true, repeated: 98 },
    ])
  })
})
