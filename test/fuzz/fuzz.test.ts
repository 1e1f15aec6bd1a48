import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type RequestReport, reportRequests, reportResponses } from './fuzz.ts'

/** A small dose, the same each time; `npm run fuzz` has the large one, with other seeds. */
const options = {
  seed: Number(process.env['FUZZ_SEED'] ?? 1),
  requests: 200,
  responses: 150,
}
const MIB = 1024 * 1024

describe(`generated input, seed ${options.seed}`, () => {
  it('requests are all answered without an internal error and without growth', async () => {
    const { sent, statuses, faults, errors, grown, descriptors_grown }: RequestReport = await reportRequests(options)
    assert.deepEqual([faults, errors], [[], []])
    assert.ok(sent >= options.requests && Object.keys(statuses).length >= 5, JSON.stringify(statuses))
    assert.ok(grown < 64 * MIB && descriptors_grown <= 1, `${grown} octets and ${descriptors_grown} descriptors more`)
  })

  it('mutated responses are all parsed without an exception and without a long turn', async () => {
    let read = 0
    await reportResponses(options, one => {
      read += one.read
      assert.deepEqual(one.faults, [], one.kind)
    })
    assert.ok(read >= options.responses, `${read} read`)
  })
})
