// Starts with a feed that is damaged, and with one whose disk hangs: when the service listens, what /readyz and the answers say, and
// what happens when the data arrives. `loading.large.test.ts` has all states.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  CLEAN,
  clientOf,
  feed,
  isEqualTo,
  judged,
  LISTED,
  listing,
  openStage,
  pipeAt,
  READ,
  REASON,
  release,
  replace,
  UNREAD,
  until,
  WITHHELD,
} from './loading_states.ts'
import type { Served } from './served.ts'

/** The log is written in batches, a while after what it tells. */
const logs = async (service: Served, line: RegExp) =>
  assert.match(
    await until(
      async () => service.stdout(),
      text => line.test(text),
    ),
    line,
  )

describe('a start with a feed of the operator', { timeout: 600_000 }, () => {
  it('withholds its recommendation while the file is damaged, and reads it as soon as it is replaced', async t => {
    const stage = await openStage(t)
    const path = join(stage.directory, 'acme.txt')
    writeFileSync(path, '<!doctype html>\n<title>404</title>\n<p>Not found</p>\n')
    const client = await clientOf(stage.start({ acme: feed(path) }))
    assert.deepEqual([await client.ready(), await judged(client, LISTED)], [UNREAD, WITHHELD])
    assert.deepEqual([(await client.check(LISTED)).cached, (await client.check(LISTED)).reason], [true, REASON])
    replace(path, listing)
    assert.deepEqual(await until(client.ready, isEqualTo<readonly unknown[]>(READ)), READ)
    const now = await client.check(LISTED)
    assert.deepEqual([now.verdict, now.cached, now.kept], ['malicious', false, true])
  })
})

describe('a start with a file whose disk hangs', { timeout: 600_000 }, () => {
  it('listens after a while, reads the others, and drops what it said when the file is read', async t => {
    const stage = await openStage(t)
    const pipe = pipeAt(join(stage.directory, 'acme.txt'))
    const other = join(stage.directory, 'other.txt')
    writeFileSync(other, `${CLEAN}\n`)
    const service = stage.start({ acme: feed(pipe), other: feed(other) }, { server: { loading_ms: 6_000 } })
    const client = await clientOf(service)
    assert.deepEqual(await client.ready(), UNREAD)
    assert.deepEqual(await judged(client, LISTED), WITHHELD)
    // What another feed lists is never withheld.
    assert.deepEqual(await judged(client, CLEAN), ['malicious', 'block', 'medium', ['acme']])
    const before = await client.check(LISTED)
    assert.deepEqual([before.reason, before.cached, before.kept], [REASON, true, false])
    await logs(service, /"level":"warn".*"datasets_missing":\["acme"\]/)
    release(pipe, listing)
    assert.deepEqual(await until(client.ready, isEqualTo<readonly unknown[]>(READ)), READ)
    const after = await client.check(LISTED)
    assert.deepEqual([after.verdict, after.missing, after.cached, after.kept], ['malicious', undefined, false, true])
    await logs(service, /"level":"info".*"datasets_missing":\[\]/)
  })
})
