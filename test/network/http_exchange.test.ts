import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { timingOf } from '../../src/network/http_exchange.ts'

const since = 1_000.4

describe('the times of an exchange', () => {
  for (const [title, marks, expected] of [
    [
      'begin with the connection opened for it, and name each phase',
      {
        opening: { began: 1_010.4, connected: 1_030.4, secured: 1_061.4 },
        asked: 1_061.5,
        sent: 1_062.4,
        begun: 1_087.4,
        ended: 1_089.4,
      },
      { started_ms: 10, connect_ms: 20, tls_ms: 31, queued_ms: 1, wait_ms: 25, receive_ms: 2 },
    ],
    [
      'have no TLS over plain HTTP',
      {
        opening: { began: 1_010.4, connected: 1_030.4 },
        asked: 1_030.4,
        sent: 1_030.4,
        begun: 1_040.4,
        ended: 1_041.4,
      },
      { started_ms: 10, connect_ms: 20, tls_ms: null, queued_ms: 0, wait_ms: 10, receive_ms: 1 },
    ],
    [
      'begin when an open connection is given the request, which may wait for another',
      { opening: undefined, asked: 1_100.4, sent: 1_150.4, begun: 1_160.4, ended: 1_170.4 },
      { started_ms: 100, connect_ms: null, tls_ms: null, queued_ms: 50, wait_ms: 10, receive_ms: 10 },
    ],
    [
      'show how long a connection that was opened early lay idle',
      {
        opening: { began: 1_000.4, connected: 1_001.4 },
        asked: 6_000.4,
        sent: 6_001.4,
        begun: 6_002.4,
        ended: 6_003.4,
      },
      { started_ms: 0, connect_ms: 1, tls_ms: null, queued_ms: 5_000, wait_ms: 1, receive_ms: 1 },
    ],
  ] as const) {
    it(title, () => assert.deepEqual(timingOf({ since, ...marks }), expected))
  }

  it('add up to the whole, however they are rounded', () => {
    const step = fc.double({ min: 0, max: 500, noNaN: true })
    fc.assert(
      fc.property(fc.array(step, { minLength: 6, maxLength: 6 }), steps => {
        let at = since
        const [began = 0, connected = 0, secured = 0, sent = 0, begun = 0, ended = 0] = steps.map(ms => (at += ms))
        const opening = { began, connected, secured }
        const { started_ms, connect_ms, tls_ms, queued_ms, wait_ms, receive_ms } = timingOf({
          since,
          opening,
          asked: secured,
          sent,
          begun,
          ended,
        })
        const sum = started_ms + Number(connect_ms) + Number(tls_ms) + queued_ms + wait_ms + receive_ms
        assert.equal(sum, Math.round(ended - since))
      }),
    )
  })
})
