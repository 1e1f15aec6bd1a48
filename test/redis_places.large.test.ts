// Redis as people run it: beside other services, behind Sentinels, as a cluster, with certificates, and with few rights.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { createClient } from '@redis/client'
import { parseKey } from '../src/store/api_key.ts'
import type { Backend } from '../src/store/backend.ts'
import { createLink } from '../src/store/redis/link.ts'
import { commands, optional, rightsOf } from '../src/store/redis_rights.ts'
import type { Grant } from '../src/store/store.ts'
import { createAuthority } from '../src/testing/lab_ca.ts'
import { type Cluster, startCluster, startSentinelGroup, until } from './redis_groups.ts'
import { asAdmin, freePort, type RedisServer, startRedis, withoutRedis } from './redis_server.ts'
import { openFor, openWith, PATIENT_MS, type Settings } from './store/backends.ts'
import { freshDirectory } from './store/fresh_directory.ts'

type Client = ReturnType<typeof createClient>

const plan = { quota: 1_000, period: 'month' } as const

let accounts = 0
const fresh = () => `acc_place_${++accounts}`

async function give({ quota }: Backend, account: string): Promise<number> {
  const grant = await quota.reserve(account, plan)
  assert.equal(grant.allowed, true)
  return (await (grant as Grant).commit()).used
}

/** A key, a result and an answer, stored and found again. */
async function use(store: Backend): Promise<void> {
  const { text } = await store.keys.create({ plan: 'startup', label: 'label' })
  assert.equal((await store.keys.find(parseKey(text) ?? ''))?.label, 'label')
  await store.cache.put('a.com', Buffer.from('result'), 'complete')
  assert.equal(await give(store, fresh()), 1)
}

const open = (t: TestContext, settings: Omit<Settings, 'data'>) =>
  openFor(t, { ...settings, redis: { command_ms: PATIENT_MS, ...settings.redis } })

const reasonsOf = (events: readonly Record<string, unknown>[]) => events.map(({ store, reason }) => [store, reason])

async function serve(t: TestContext, ...more: readonly string[]): Promise<RedisServer> {
  const server = await startRedis(undefined, more)
  t.after(() => server.stop())
  return server
}

function made(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-test-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

let redis: RedisServer
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
})
after(() => redis?.stop())

describe('services with prefixes of their own on one Redis', { skip: withoutRedis }, () => {
  it('share nothing, and have no key without their prefix', async t => {
    const server = await serve(t)
    await server.empty()
    const [one, other] = [
      await open(t, { store: server.url, redis: { prefix: 'one' } }),
      await open(t, { store: server.url, redis: { prefix: 'other' } }),
    ]
    const account = fresh()
    await use(one)
    assert.deepEqual([await give(one, account), await give(one, account), await give(other, account)], [1, 2, 1])
    assert.deepEqual((await other.keys.list()).length, 0)
    await asAdmin(server.url, async (client: Client) => {
      const keys = await client.keys('*')
      assert.deepEqual(new Set(keys.map(key => key.split(':')[0])), new Set(['one', 'other']))
    })
  })
})

describe('the time limit of a command', { skip: withoutRedis }, () => {
  it('is what the configuration says', async t => {
    const server = await serve(t)
    const store = await openFor(t, { store: server.url, redis: { command_ms: 4_000 } })
    const account = fresh()
    await give(store, account)
    await server.kill('SIGSTOP')
    setTimeout(() => server.kill('SIGCONT'), 700)
    assert.equal(await give(store, account), 2)
    assert.deepEqual([store.figures().unanswered, store.figures().owed], [0, 0])
  })
})

describe('the rights of docs/stores.md', { skip: withoutRedis }, () => {
  it('are those to every command that the store sends, and no others', () => {
    const folder = join(import.meta.dirname, '../src/store/redis')
    const sources = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
    const inScripts = sources.flatMap(text => [...text.matchAll(/redis\.p?call\('([A-Z]+)'/g)].map(([, name]) => name))
    const raw = sources.flatMap(text =>
      [...text.matchAll(/(?:sendCommand\(\[|\bids\()'([A-Z]+)'/g)].map(([, name]) => name),
    )
    const methods = sources.flatMap(text =>
      [...text.matchAll(/\b(?:client|opened)\.([a-z][A-Za-z]+)\(|\.(mGet)\(/g)].map(([, name, other]) =>
        String(name ?? other).toUpperCase(),
      ),
    )
    // Of the client itself, and those that need no right or are sent to a Sentinel. SELECT is sent for a database in the URL.
    const others = ['CONNECT', 'DESTROY', 'ON', 'SENDCOMMAND', 'WITHTYPEMAPPING', 'AUTH', 'SENTINEL']
    const aliases: Readonly<Record<string, string>> = {
      ZADDINCR: 'ZADD',
      CONFIGGET: 'CONFIG|GET',
      ACLWHOAMI: 'ACL|WHOAMI',
    }
    const sent = [...inScripts, ...raw, ...methods, 'SELECT'].map(name => aliases[name ?? ''] ?? name ?? '')
    const needed = new Set(sent.filter(name => !others.includes(name)).map(name => name.toLowerCase()))
    assert.deepEqual([...needed].sort(), [...commands, ...optional].sort())
    const docs = readFileSync(join(import.meta.dirname, '../docs/stores.md'), 'utf8').replaceAll(/ \\\n\s*/g, ' ')
    assert.ok(docs.includes(rightsOf('assay').join(' ')), 'docs/stores.md lists them')
  })

  it('suffice without the optional ones', async t => {
    await asAdmin(redis.url, (client: Client) =>
      client.sendCommand([
        ...['ACL', 'SETUSER', 'least', 'on', '>secret', '~assay:*'],
        ...commands.map(command => `+${command}`),
      ]),
    )
    const events: Record<string, unknown>[] = []
    const store = await open(t, { store: redis.url.replace('//', '//least:secret@'), events })
    await use(store)
    assert.deepEqual(reasonsOf(events), [['redis-reached', 'connected']])
  })

  it('are missed with a sentence when one of them is taken away, and known accounts are served within the outage limit', async t => {
    const server = await serve(t)
    const events: Record<string, unknown>[] = []
    const store = await open(t, { store: server.confined, events })
    const account = fresh()
    assert.equal(await give(store, account), 1)
    await asAdmin(server.url, (client: Client) => client.sendCommand(['ACL', 'SETUSER', 'service', '-hset']))
    assert.deepEqual([await give(store, account), await give(store, account)], [2, 3])
    assert.equal(store.note(), null)
    await asAdmin(server.url, (client: Client) => client.sendCommand(['ACL', 'SETUSER', 'service', '+hset']))
    await until(() => store.figures().owed === 0)
    assert.equal((await store.quota.usage(account, plan)).used, 3)
    const detail = 'The user lacks a right: docs/stores.md lists the rights that it needs'
    assert.deepEqual(
      events.filter(({ store }) => store === 'redis-refuses'),
      [{ level: 'error', store: 'redis-refuses', reason: 'NOPERM', detail }],
    )
  })
})

describe('an error reply', { skip: withoutRedis }, () => {
  const rows: readonly (readonly [
    what: string,
    prepare: (client: Client) => Promise<unknown>,
    url: string,
    told: object,
  ])[] = [
    [
      'of a replica names the primary and Sentinel as the way out',
      client => client.sendCommand(['REPLICAOF', '127.0.0.1', '1']),
      '//',
      {
        reason: 'READONLY',
        detail: 'This Redis is a replica, which only reads: connect to the primary, or through Sentinel',
      },
    ],
    [
      'to a wrong password says so',
      async () => {},
      '//service:wrong@',
      { reason: 'WRONGPASS', detail: 'Wrong user name or password' },
    ],
    [
      'to a user without rights says so',
      client => client.sendCommand(['ACL', 'SETUSER', 'none', 'on', '>secret', '+ping']),
      '//none:secret@',
      { reason: 'NOPERM', detail: 'The user lacks a right: docs/stores.md lists the rights that it needs' },
    ],
  ]
  for (const [what, prepare, user, told] of rows) {
    it(what, async t => {
      const server = await serve(t)
      await asAdmin(server.url, prepare)
      const events: Record<string, unknown>[] = []
      await open(t, { store: server.url.replace('//', user), events })
      assert.deepEqual(
        events.find(({ store }) => store === 'redis-out'),
        { level: 'error', store: 'redis-out', ...told },
      )
    })
  }

  it('of a Redis that loads its data says so, and it is reached when it has', async t => {
    const file = ['--dir', made(t), '--dbfilename', 'full.rdb']
    await asAdmin((await serve(t, ...file)).url, async (client: Client) => {
      for (let n = 0; n < 100; n++) await client.set(`${n}`, randomBytes(100).toString('hex'))
      await client.sendCommand(['SAVE'])
    })
    const events: Record<string, unknown>[] = []
    // Microseconds for each of the 100 keys, and the bytes after which it looks at its connections.
    const slow = ['--key-load-delay', '20000', '--loading-process-events-interval-bytes', '1024']
    const store = await open(t, { store: (await serve(t, ...file, ...slow)).url, events })
    await until(() => store.note() === null)
    assert.deepEqual(events, [
      { level: 'error', store: 'redis-out', reason: 'LOADING', detail: 'Redis is loading its data' },
      { level: 'info', store: 'redis-reached', reason: 'connected' },
    ])
  })
})

describe('a Redis that may evict counts', { skip: withoutRedis }, () => {
  it('is a note of readiness, from the policy that it has now', async t => {
    const server = await serve(t, '--maxmemory-policy', 'allkeys-lru')
    const events: Record<string, unknown>[] = []
    const store = await open(t, { store: server.confined, events })
    assert.equal(store.note(), 'redis-evicts')
    assert.deepEqual(
      events.filter(({ store }) => store === 'redis-evicts').map(({ policy }) => policy),
      ['allkeys-lru'],
    )
  })
})

/** RFC 5280 section 4.2.1.12. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

describe('a Redis that asks for a certificate', { skip: withoutRedis }, () => {
  it('gets that of the configuration, and is trusted by the authority of the configuration', async t => {
    const [directory, authority] = [made(t), createAuthority()]
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    }
    const [server, client] = [
      authority.issue({ names: ['localhost'] }),
      authority.issue({ names: ['instance'], extended_key_usage: [CLIENT_AUTH] }),
    ]
    const ca_file = file('ca.pem', authority.certificate)
    const tls_port = `${await freePort()}`
    await serve(
      t,
      ...['--tls-port', tls_port, '--tls-auth-clients', 'yes', '--tls-ca-cert-file', ca_file],
      ...['--tls-cert-file', file('server.pem', server.cert), '--tls-key-file', file('server.key', server.key)],
    )
    const store = `rediss://localhost:${tls_port}`
    const own = { cert_file: file('client.pem', client.cert), key_file: file('client.key', client.key) }
    await use(await open(t, { store, redis: { ca_file, ...own } }))
    for (const files of [{ ca_file }, own]) {
      const stranger = await openFor(t, { store, redis: files })
      assert.equal(stranger.note(), 'redis-out')
    }
  })
})

describe('a primary behind Sentinels', { skip: withoutRedis }, () => {
  it('is found, and its successor is found after a failover', async t => {
    const group = await startSentinelGroup()
    t.after(() => group.stop())
    const store = await open(t, { store: group.url })
    const account = fresh()
    assert.equal(await give(store, account), 1)
    await group.failOver()
    // Answers that the former primary counted alone are restored by the next contact with its successor.
    await asAdmin(group.replica.url, (client: Client) =>
      until(async () => {
        const used = await give(store, account)
        return Number(await client.hGet(`assay:v1:quota-month:${account}`, 'used')) === used
      }),
    )
    await until(() => store.note() === null && store.figures().owed === 0)
  })

  it('that no Sentinel names is an outage with a reason', async t => {
    const events: Record<string, unknown>[] = []
    await open(t, { store: `redis+sentinel://127.0.0.1:${redis.port}/accounts`, events })
    assert.deepEqual(reasonsOf(events), [['redis-out', 'no_primary']])
  })
})

describe('a cluster', { skip: withoutRedis }, () => {
  let cluster: Cluster
  before(async () => {
    cluster = await startCluster(3)
  })
  after(() => cluster.stop())

  it('holds all keys of a prefix with a hash tag on one node, which is found from any other', async t => {
    const [lower] = cluster.nodes
    await asAdmin(lower?.url ?? '', async (client: Client) => {
      assert.ok(Number(await client.sendCommand(['CLUSTER', 'KEYSLOT', '{assay}'])) > 8_191)
    })
    for (const { port } of cluster.nodes) {
      const store = `redis://127.0.0.1:1,127.0.0.1:${port}`
      const backend = await open(t, { store, redis: { prefix: '{assay}' } })
      await until(() => backend.note() === null)
      await use(backend)
    }
    await asAdmin(lower?.url ?? '', async (client: Client) => assert.equal(await client.dbSize(), 0))
  })

  it('is refused at the start when the prefix has no hash tag', async t => {
    for (const { url } of cluster.nodes) {
      await assert.rejects(openWith({ store: url, data: freshDirectory(t) }), {
        code: 'store_unavailable',
        message: 'This Redis is a cluster: set redis.prefix to one with a hash tag, such as {assay}',
      })
    }
  })

  describe('that moves the keys to another node', () => {
    let from: RedisServer
    let to: RedisServer
    let slot: string
    const ask = async ({ url }: RedisServer, ...command: readonly string[]) => {
      let reply = ''
      await asAdmin(url, async (client: Client) => {
        reply = String(await client.sendCommand(command))
      })
      return reply
    }
    const setSlot = (node: RedisServer, ...told: readonly string[]) => ask(node, 'CLUSTER', 'SETSLOT', slot, ...told)
    const idOf = (node: RedisServer) => ask(node, 'CLUSTER', 'MYID')
    before(async () => {
      const [first, ...others] = cluster.nodes
      slot = await ask(first as RedisServer, 'CLUSTER', 'KEYSLOT', '{assay}')
      const sizes = await Promise.all(others.map(node => ask(node, 'DBSIZE')))
      to = first as RedisServer
      from = others[sizes.findIndex(size => size !== '0')] as RedisServer
    })
    async function begin() {
      await setSlot(to, 'IMPORTING', await idOf(from))
      await setSlot(from, 'MIGRATING', await idOf(to))
    }

    const moving = 'The cluster is moving the keys to another node'
    const replies: readonly (readonly [code: string, names: readonly string[]])[] = [
      ['ASK', ['absent']],
      ['TRYAGAIN', ['layout', 'absent']],
    ]
    for (const [code, names] of replies) {
      it(`is said to do so by ${code}`, async t => {
        const events: unknown[] = []
        const changed = (...event: unknown[]) => events.push(event)
        const link = createLink({ url: from.url, prefix: '{assay}', command_ms: PATIENT_MS, changed })
        t.after(() => link.close())
        await link.start()
        await begin()
        const asked = link.run(client => client.mGet(names.map(name => link.run.key(name))))
        await assert.rejects(asked, { message: `Redis refuses: ${moving} (${code})` })
        for (const node of [from, to]) await setSlot(node, 'STABLE')
        assert.deepEqual(events.slice(0, 2), [
          [true, 'connected', null],
          [false, code, moving],
        ])
      })
    }

    it('counts as down meanwhile: answers continue within the outage limit, and are counted at the new node', async t => {
      const store = await open(t, { store: from.url, redis: { prefix: '{assay}' } })
      const account = fresh()
      assert.equal(await give(store, account), 1)
      await begin()
      assert.deepEqual([await give(store, account), await give(store, account)], [2, 3])
      assert.equal(store.note(), 'redis-out')
      await asAdmin(from.url, async (client: Client) => {
        const keys = await client.keys('*')
        await client.sendCommand(['MIGRATE', '127.0.0.1', `${to.port}`, '', '0', '5000', 'KEYS', ...keys])
      })
      const owner = await idOf(to)
      for (const node of [to, from]) await setSlot(node, 'NODE', owner)
      await until(() => store.note() === null && store.figures().owed === 0)
      assert.equal((await store.quota.usage(account, plan)).used, 3)
      assert.equal(await ask(to, 'HGET', `{assay}:v1:quota-month:${account}`, 'used'), '3')
    })
  })
})
