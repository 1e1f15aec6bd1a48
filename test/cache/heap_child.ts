// Fills each cache through the part that owns it with what strangers send, and prints what its entries take on the heap
// beside what they are counted as, in octets. Run with --expose-gc.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { createRateLimit } from '../../src/api/limits.ts'
import { createTargetReader } from '../../src/api/target_reader.ts'
import { createCache } from '../../src/cache/cache.ts'
import { type CacheName, type TableName, tables } from '../../src/cache/caps.ts'
import { systemClock } from '../../src/clock.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { readAnswer } from '../../src/evidence/green_hosting/gather.ts'
import { readNetwork } from '../../src/evidence/ip_network/network_answer.ts'
import { createSaidCache, type Said } from '../../src/evidence/mail_servers/conversations.ts'
import type { Registration } from '../../src/evidence/registration/facts.ts'
import { createRegistrationCache } from '../../src/evidence/registration/lookup.ts'
import { readWhois } from '../../src/evidence/registration/whois_answer.ts'
import { createIssuerKeys, createSignatures } from '../../src/evidence/tls/path.ts'
import { createIntermediates } from '../../src/evidence/tls/trust_store.ts'
import { packTargets } from '../../src/jobs/packed.ts'
import { createTurns } from '../../src/jobs/turn.ts'
import type { Job } from '../../src/store/jobs.ts'
import { bucketStart, bucketsKept, type PeriodKind } from '../../src/store/quota_rule.ts'
import { cacheKey, createResultCache } from '../../src/store/result_cache.ts'
import type { Jobs } from '../../src/store/sql/jobs.ts'
import { createKeys } from '../../src/store/sql/keys.ts'
import { createQuota } from '../../src/store/sql/quota.ts'
import { openSqlite, PATIENCE_MS } from '../../src/store/sql/sqlite/open.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { createLookup } from '../../src/upstreams/lookup.ts'
import { createUpstreamHealth, createUpstreamState } from '../../src/upstreams/state.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { isTrue } from './weights.ts'

/** Puts the `n`th entry in; what it yields, if anything, must be waited for. */
type Fill = (n: number) => unknown

export type Filled = Record<CacheName | TableName, readonly (() => Fill)[]>

/** A part of a text of so many characters, as a request or an answer is read: V8 keeps the whole as long as the part. */
function partOf(long: number, text: string, filling = 'x'): string {
  const whole = Buffer.from(text + filling.repeat(long)).toString()
  return whole.slice(0, text.length)
}

const longName = (n: number) => `${'long-label-of-a-name.'.repeat(10)}name-${n}.example.com`
const target = (name: string) => {
  const parsed = parseTarget({ domain: name, ip: null }, unvetted)
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.target
}

/** What a registry answers in free text: facts at the beginning, 10 KiB of legal text behind them. */
function registration(n: number, filling: string): Registration {
  const domain = `name-${n}.ru`
  const facts = [
    `domain: ${domain}`,
    `nserver: ns1.${domain}.`,
    `nserver: ns2.${domain}.`,
    `state: REGISTERED, DELEGATED, some status in words of its own ${n}`,
    `registrar: ${filling}${filling} REGISTRAR-${n}`,
    'created: 2019-01-01T00:00:00Z',
    'paid-till: 2030-01-01T00:00:00Z',
  ]
  const text = `${facts.join('\n')}\n\n${`${filling.repeat(100)}\n`.repeat(100)}`
  const read = readWhois(Buffer.from(text), domain, Date.now())
  if (!read.ok) throw new Error(read.failure)
  return { source: 'whois', domain: partOf(4_096, domain), ...read.facts }
}

function network(n: number, filling: string) {
  const ip = `93.${184 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`
  const answer = {
    objectClassName: 'ip network',
    startAddress: ip,
    endAddress: ip,
    name: `NET-${n}-${filling.repeat(8_000)}`,
    country: 'US',
    events: [{ eventAction: 'registration', eventDate: '2011-01-01T00:00:00Z' }],
  }
  const read = readNetwork(Buffer.from(JSON.stringify(answer)), ip, Date.now())
  if (!read.ok) throw new Error(read.failure)
  return [partOf(4_096, ip), read.facts] as const
}

const ENTRIES = 2_000
const never = new AbortController().signal
const NOW = 1.8e12
const hash = (n: number) => partOf(4_096, `${n}`.padStart(64, 'a'))
const accountOf = (n: number) => `acc_0123456789${n}`
const allowance = { quota: 1, period: 'rolling_30d' } as const

/** All that is kept of a period, which ends at `NOW`. */
function balanceOf(kind: PeriodKind): readonly number[] {
  const balance: number[] = []
  for (let start = bucketStart(kind, NOW); balance.length < 2 * bucketsKept(kind); start = bucketStart(kind, start - 1))
    balance.push(start, 1.7e12)
  return balance
}

/** Of a plan with the longest list. */
const counts = Object.fromEntries((['month', 'day', 'rolling_30d'] as const).map(kind => [kind, balanceOf(kind)]))

/** A store with as many keys and counters as are read from it. */
async function openStore() {
  const database = await openSqlite({ directory: temporaryDirectory(), patience_ms: PATIENCE_MS.server })
  await database.transaction(async change => {
    for (let n = 0; n < ENTRIES; n++) {
      const account = accountOf(n)
      const texts = {
        id: `key_0123456789${n}`,
        hash: hash(n),
        display: 'assay_0123456789',
        label: '"cl\\u00e9 \\u2116 of"',
      }
      await change.insertInto('accounts').values({ id: account, plan: 'plan_0123456789' }).execute()
      const times = { created: 1.7e12 + n, last_used: 1.8e12 + n, expires: null, revoked: null }
      await change
        .insertInto('keys')
        .values({ account, ...texts, ...times })
        .execute()
      await change
        .insertInto('usage')
        .values({ account, counts: JSON.stringify(counts) })
        .execute()
    }
  })
  return database
}
const database = await openStore()
const openKeys = () => createKeys(database, { prefix: 'assay', grace_ms: 0, now: Date.now })

/** Answers with what the directory says: a name far longer than what is kept of it. */
const answering = (n: number, filling: string) => {
  const body = Buffer.from(JSON.stringify({ green: true, hosted_by: `Host ${n} ${filling.repeat(8_000)}` }))
  return {
    network: { fetch: async () => ({ ok: true, exchanges: [{ status: 200 }], body }) },
    signal: new AbortController().signal,
  }
}

function mailServer(n: number, filling: string): Said {
  const text = (octets: number) => partOf(8_000, `${n}${filling.repeat(octets)}`).slice(0, octets)
  const name = { label: text(40), common_name: text(40), organization: text(20), country: null }
  const certificate = {
    ...{ subject: name, issuer: name, serial: text(32), not_before: text(20), not_after: text(20) },
    ...{ dns_names: [text(30), text(30)], ip_addresses: [], key: { kind: 'rsa', bits: 2048, curve: null } },
    ...{ signature_algorithm: text(24), is_ca: false, extended_key_usage: [text(17)], self_signed: false },
    fingerprint_sha256: text(64),
  } as unknown as NonNullable<NonNullable<Said['tls']>['certificate']>
  return {
    ...{ contact: 'answered', reason: null, code: null, banner: text(60), extensions: ['SIZE', text(10)] },
    ...{ address: text(13), tls_failure: null, sent: [text(1_600), text(1_800)] },
    tls: {
      ...{ protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', only_legacy: false, certificate },
      ...{ names_host: true, anchored: true, verify_error: null },
    },
  }
}

const fills: Filled = {
  // The last one is full after the first third: entries take more room where others were.
  results: [
    [4_800, 2 ** 40],
    [200, 2 ** 40],
    [200, 2 ** 20],
  ].map(([octets = 0, bytes_max]) => () => {
    const cache = createResultCache({ bytes_max })
    return n => {
      const name = cacheKey(target(partOf(4_096, longName(n))), '2026-11-2+01234567')
      cache.put(name, Buffer.from('x'.repeat(octets)), 'complete', n % 2)
      // Half of them have a second result behind an incomplete one.
      cache.put(name, Buffer.from('x'.repeat(octets)), 'incomplete')
    }
  }),
  sightings: [
    () => {
      const seen = createCache<true>('sightings')
      return n => seen.set(`acc_${partOf(64, `${n}`)} ${hash(n).slice(0, 22)}`, true)
    },
  ],
  queries: [longName, (n: number) => `n${n}.com`].map(nameOf => () => {
    const { read } = createTargetReader(unvetted, '2026-11-2+01234567')
    return n => read(partOf(4_096, `domain=${nameOf(n)}`))
  }),
  keys: [
    () => {
      const keys = openKeys()
      return n => keys.find(hash(n))
    },
  ],
  lanes: ['x', 'ж'].flatMap(filling =>
    [1, 100].map(count => () => {
      const lines = Array.from({ length: count }, (_, at) => ({
        line: at + 1,
        text: `${filling}${longName(at).replace('example', `example${at}`)}`,
      }))
      const store = {
        targets: async () => packTargets(lines),
        recorded: async () => new Set(lines.map(({ line }) => line)),
        get: async () => null,
      } as Partial<Jobs>
      const politeness = { at_once: 1, pause_ms: 0 }
      const takeTurn = createTurns({
        ...{ store: store as Jobs, vetting: unvetted, politeness, clock: systemClock, checks: 1 },
        ask: async () => ({ end: 'known' }),
      })
      return n => {
        const job = { id: partOf(4_096, `job_${n}`.padEnd(26, '0')), status: 'running', created: Date.now() } as Job
        return takeTurn(job, 0, { ending: never, signal: never })
      }
    }),
  ),
  rates: [1, 20, 200].map(times => () => {
    const burst = createRateLimit(times, 60_000, () => performance.now() + 0.5)
    return n => {
      const name = partOf(4_096, longName(n))
      for (let time = 0; time < times; time++) burst.take(name)
    }
  }),
  registrations: ['x', 'ж'].map(filling => () => {
    const cache = createRegistrationCache<Registration>('registrations', systemClock)
    return n => {
      const read = registration(n, filling)
      cache.put(read.domain, read)
    }
  }),
  networks: ['x', 'ж'].map(filling => () => {
    const cache = createRegistrationCache('networks', systemClock)
    return n => cache.put(...network(n, filling))
  }),
  lookups: ['x', 'ж'].map(filling => () => {
    const lookup = createLookup({ read: readAnswer })
    return n => {
      const question = { subject: partOf(4_096, longName(n)), url: 'https://directory.example/' }
      return lookup.ask(answering(n, filling) as unknown as GatherContext, question)
    }
  }),
  upstreams: [
    () => {
      const health = createUpstreamHealth(systemClock)
      return n => {
        for (const _ of [1, 2])
          health.note('registry', partOf(4_096, longName(n)), partOf(4_096, longName(n)), 'timeout')
      }
    },
  ],
  mail_servers: ['x', 'ж'].map(filling => () => {
    const cache = createSaidCache()
    return n => {
      cache.set(partOf(4_096, longName(n)), mailServer(n, filling))
    }
  }),
  intermediates: [
    () => {
      const cache = createIntermediates()
      return n => {
        cache.set(`${n}`.padStart(44, '0'), [partOf(2_048, 'M'.repeat(8_192))])
      }
    },
  ],
  signatures: [
    () => {
      const cache = createSignatures()
      return n => {
        cache.set(partOf(4_096, `${n}`.padStart(129, '0')), true)
      }
    },
  ],
  pauses: [
    () => {
      const upstream_state = createUpstreamState(systemClock)
      return n => upstream_state.pause(`registry ${partOf(4_096, longName(n))}`, 60_000)
    },
  ],
  allowances: [
    () => {
      const upstream_state = createUpstreamState(systemClock)
      return n => upstream_state.take(`list ${partOf(4_096, longName(n))}`, 10)
    },
  ],
  issuer_keys: [
    () => {
      const keys = createIssuerKeys()
      const der = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' })
      return n =>
        keys.add(partOf(4_096, `${n}`.padStart(64, '0')), () =>
          createPublicKey({ key: der, format: 'der', type: 'spki' }),
        )
    },
  ],
  counters: [
    () => {
      const quota = createQuota(database, () => NOW)
      return n => quota.usage(partOf(4_096, accountOf(n)), allowance)
    },
  ],
  uses: [
    () => {
      const keys = openKeys()
      return n => keys.touch(partOf(4_096, `key_0123456789${n}`))
    },
  ],
}

/** Every cache that something was put into, as the library counts it. */
const filled = new Set<LRUCache<string, object>>()
const { set } = LRUCache.prototype
LRUCache.prototype.set = function (this: LRUCache<string, object>, ...args) {
  filled.add(this)
  return set.apply(this, args)
}

const collect = (globalThis as { gc?: () => void }).gc ?? (() => {})

/** Octets between two readings that count as the same. */
const SAME = 2_048
const READINGS = 10

/** Once two readings in a row are the same: what is outside the heap is given back beside this thread, after its owner. */
async function held(): Promise<number> {
  let last = Number.POSITIVE_INFINITY
  for (let reading = 0; reading < READINGS; reading++) {
    collect()
    await pause(1)
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    const now = heapUsed + arrayBuffers
    if (Math.abs(now - last) < SAME) return now
    last = now
  }
  return last
}

/** Code that is compiled meanwhile takes memory too: what is off is weighed again, so often. */
const ROUNDS = 4

/** Held until it was weighed. */
let kept: Fill | undefined

/** Octets an entry. */
async function weighOnce(name: string, open: () => Fill) {
  filled.clear()
  const before = await held()
  kept = open()
  for (let n = 0; n < ENTRIES; n++) await kept(n)
  const taken = (await held()) - before
  const caches = [...filled]
  const entries = caches.reduce((sum, { size }) => sum + size, 0)
  const counted = caches.reduce((sum, { calculatedSize }) => sum + calculatedSize, 0)
  kept = undefined
  return name in tables
    ? { taken: taken / ENTRIES, counted: tables[name as TableName].entry_octets }
    : { taken: taken / entries, counted: counted / entries }
}

async function weigh(name: string, open: () => Fill) {
  let weight = await weighOnce(name, open)
  for (let round = 1; round < ROUNDS && !isTrue(weight); round++) weight = await weighOnce(name, open)
  return weight
}

const weights = []
for (const [name, variants] of Object.entries(fills)) {
  for (const [variant, open] of variants.entries()) weights.push({ name, variant, ...(await weigh(name, open)) })
}
console.log(JSON.stringify(weights))
process.exit()
