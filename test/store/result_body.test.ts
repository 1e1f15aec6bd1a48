import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { finishBody, finishedResult, prepareBody } from '../../src/store/result_body.ts'

const octetsOf = (body: string) => Buffer.from(body, 'latin1')

test('a finished body is the result with its last two members updated', () => {
  const prepared = prepareBody({ domain: 'bücher.example', process_time_ms: 412, risk_score: 7, cached: false })
  assert.equal(
    octetsOf(finishBody(prepared, 3, true)).toString(),
    '{"result_id":null,"domain":"bücher.example","risk_score":7,"process_time_ms":3,"cached":true}',
  )
})

test('a result without other members is JSON too', () => {
  assert.equal(
    octetsOf(finishBody(prepareBody({}), 0, false)).toString(),
    '{"result_id":null,"process_time_ms":0,"cached":false}',
  )
})

test('any result is preserved', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.boolean(), (result, time, cached) => {
      const body = finishBody(prepareBody(result), time, cached)
      const expected = JSON.parse(JSON.stringify({ ...result, result_id: null, process_time_ms: time, cached }))
      assert.deepEqual(JSON.parse(octetsOf(body).toString()), expected)
      assert.deepEqual(finishedResult(prepareBody(result), time, cached), expected)
    }),
  )
})

test('a finished body begins with the ID of the kept result', () => {
  const prepared = prepareBody({ domain: 'example.com', result_id: null }, 'AAAAAAAAAAAAAAAAAAAAAA')
  assert.equal(
    octetsOf(finishBody(prepared, 3, true)).toString(),
    '{"result_id":"AAAAAAAAAAAAAAAAAAAAAA","domain":"example.com","process_time_ms":3,"cached":true}',
  )
})

test('the prepared bytes are an independent copy, so that their size is the memory used', () => {
  const prepared = prepareBody({ domain: 'example.com' })
  assert.equal(prepared.buffer.byteLength, prepared.length)
})
