// What calls itself Redis and is not: whatever it says, the service takes it for an outage, in bounded memory.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseKey } from '../src/store/api_key.ts'
import { createReplyBound, reply_max } from '../src/store/redis/protocol.ts'
import type { Grant } from '../src/store/store.ts'
import { octetsHeld } from './memory.ts'
import { type RedisServer, startRedis, withoutRedis } from './redis_server.ts'
import { openFor } from './store/backends.ts'
import { startRelay } from './tcp_relay.ts'

const plan = { quota: 100_000, period: 'month' } as const
const MIB = 2 ** 20
/** Tests at once: each waits for seconds. */
const together = 4
/**
 * Octets more that this process may hold while all of them are told nonsense: buffers of sockets, on both sides, and
 * what is not collected yet. Half of what one reply announces.
 */
const memory_max = 256 * MIB
/** Milliseconds that a busy machine may take until Redis has answered each command in time. */
const patience_ms = 20_000

/** Until it succeeds. */
async function persist<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + patience_ms
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(100)
    }
  }
}

let redis: RedisServer
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
})
after(() => redis?.stop())

const says = (text: string | Buffer) => (client: Socket) => void client.write(text)

/** Announces so much and sends it as fast as it is taken. */
const pours = (head: string, piece: Buffer) => (client: Socket) => {
  client.write(head)
  const pour = () => {
    while (client.writable && client.write(piece));
  }
  client.on('drain', pour)
  pour()
}

const garbage: Readonly<Record<string, (client: Socket) => void>> = {
  'a greeting of another service': says('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'random octets': client => void client.write(randomBytes(4_096)),
  zeros: says(Buffer.alloc(4_096)),
  'a simple text for everything': says('+OK\r\n'),
  'a number for everything': says(':1\r\n'),
  'a negative number for everything': says(':-9223372036854775808\r\n'),
  'a text for everything': says('$5\r\nhello\r\n'),
  'an empty text for everything': says('$0\r\n\r\n'),
  'nothing for everything': says('$-1\r\n'),
  'no array for everything': says('*-1\r\n'),
  'an empty array for everything': says('*0\r\n'),
  'an array of the wrong things': says('*4\r\n$1\r\nx\r\n:1\r\n*1\r\n:2\r\n$-1\r\n'),
  'an array that does not end': says('*4\r\n$1\r\n1\r\n'),
  'a type of a later protocol': says('%1\r\n+a\r\n+b\r\n'),
  'from within a script, as before version 7, that it is a replica': says(
    "-ERR Error running script (call to f_0): @user_script:48: @user_script: 48: -READONLY You can't write.\r\n",
  ),
  'many answers to one question': says('+PONG\r\n'.repeat(1_000)),
  'a length that is no number': says('$12x\r\nhello\r\n'),
  'a length beyond all numbers': says(`$${'9'.repeat(30)}\r\n`),
  'a text of 512 MiB': pours(`$${512 * MIB}\r\n`, Buffer.alloc(MIB, 'x')),
  'an array of 33 million': says('*33000000\r\n'),
  'arrays in arrays, each with room for a hundred thousand': says('*100000\r\n'.repeat(1_000)),
  'a line that does not end': pours('+', Buffer.alloc(MIB, 'x')),
  'an error that does not end': pours('-ERR ', Buffer.alloc(MIB, 'x')),
}

describe('a Redis that sends', { skip: withoutRedis, concurrency: together }, () => {
  let accounts = 0
  for (const [what, instead] of Object.entries(garbage)) {
    it(`${what} counts as down: the connection closes, known data is served, and it recovers`, async t => {
      const relay = await startRelay(t, redis.port)
      const events: Record<string, unknown>[] = []
      const store = await openFor(t, { store: `redis://127.0.0.1:${relay.port}`, events })
      const { text } = await persist(() => store.keys.create({ plan: 'startup', label: 'known' }))
      const hash = parseKey(text) ?? ''
      const account = `acc_garbage_${++accounts}`
      let given = 0
      const give = async () => {
        const grant = await store.quota.reserve(account, plan)
        assert.equal(grant.allowed, true)
        const { used } = await (grant as Grant).commit()
        given += 1
        assert.equal(used, given)
      }
      await persist(give)
      await persist(async () => assert.notEqual(await store.keys.find(hash), null))
      const before = octetsHeld()
      let most = 0
      const watch = setInterval(() => {
        most = Math.max(most, octetsHeld() - before)
      }, 10)

      relay.weather = { instead }
      await give()
      const end = performance.now() + patience_ms
      while (store.note() === null && performance.now() < end) await pause(20)
      assert.equal(store.note(), 'redis-out')
      await give()
      // Longer than a key is remembered without being looked up.
      await pause(1_100)
      assert.equal((await store.keys.find(hash))?.label, 'known')
      await assert.rejects(async () => store.keys.find('0'.repeat(64)), { code: 'key_store_error' })
      await assert.rejects(async () => store.quota.reserve('acc_stranger', plan), { code: 'quota_store_error' })
      clearInterval(watch)
      assert.ok(most < memory_max, `${Math.round(most / MIB)} MiB more`)

      relay.weather = {}
      while (store.note() !== null || store.figures().owed > 0) {
        assert.ok(performance.now() < end + patience_ms, 'it heals')
        await pause(20)
      }
      await give()
      assert.deepEqual(
        events.filter(({ store }) => store === 'redis-emptied' || store === 'quota-damaged'),
        [],
      )
    })
  }
})

describe('the limit of replies', { skip: withoutRedis }, () => {
  const sound = [
    '+OK\r\n',
    ':-5\r\n',
    '-ERR no\r\n',
    '$3\r\na\nb\r\n',
    '$-1\r\n',
    '*-1\r\n',
    '*2\r\n*1\r\n$0\r\n\r\n:1\r\n',
  ]

  it('accepts replies in any chunks, and any number of them', () => {
    const all = Buffer.from(sound.join('').repeat(3))
    for (let size = 1; size <= all.length; size++) {
      const look = createReplyBound(200)
      for (let at = 0; at < all.length; at += size) look(all.subarray(at, at + size))
    }
  })

  it('applies to one reply, not to several together', () => {
    const half = Buffer.from(`$${reply_max / 2}\r\n${'x'.repeat(reply_max / 2)}\r\n`)
    const look = createReplyBound()
    for (let n = 0; n < 5; n++) look(half)
    assert.throws(() => createReplyBound()(Buffer.concat([Buffer.from('*2\r\n'), half, half])), /too large/)
  })
})
