// A DNS for the mail tests: records by name, failures by name, and the queries sent.
import { CpuQueue } from '../../src/base/cpu_queue.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import type { MailRecords } from '../../src/evidence/mail_records/facts.ts'
import { gatherMailRecords } from '../../src/evidence/mail_records/gather.ts'
import type { RecordData, RecordType } from '../../src/network/dns_records.ts'
import type { Exchange } from '../../src/network/http.ts'
import { limits } from '../../src/network/limits.ts'
import type { CheckNetwork, FetchRequest, FetchResult } from '../../src/network/network.ts'
import type { Answer, DnsFailure, Resolver } from '../../src/network/resolver.ts'
import { type Target, unvetted } from '../../src/targets/target.ts'

/** The records of one name, or why it fails; `fails` lists single failing types. */
export type Records = { readonly [Type in RecordType]?: readonly RecordData[Type][] } & {
  readonly fails?: DnsFailure | { readonly [Type in RecordType]?: DnsFailure }
}
export type Zone = Readonly<Record<string, Records>>

function answer<Type extends RecordType>(
  zone: Zone,
  name: string,
  type: Type,
  cnames: string[],
): Answer<RecordData[Type]> {
  const records = Object.hasOwn(zone, name) ? zone[name] : undefined
  const reason = typeof records?.fails === 'string' ? records.fails : records?.fails?.[type]
  if (reason !== undefined) return { status: 'unknown', reason }
  const found = records?.[type] as readonly RecordData[Type][] | undefined
  if (found !== undefined) return { status: 'found', records: found, ttl: 300, authenticated: false, cnames }
  const alias = records?.CNAME?.[0]
  if (alias !== undefined) return answer(zone, alias, type, [...cnames, alias])
  const exists = Object.keys(zone).some(known => known === name || known.endsWith(`.${name}`))
  return { status: exists ? 'no_data' : 'not_found', authenticated: false, cnames }
}

export interface ZoneResolver {
  readonly resolver: Resolver
  /** `TYPE name`, in order. */
  readonly questions: string[]
}

export function resolverOf(zone: Zone): ZoneResolver {
  const questions: string[] = []
  const resolver: Resolver = {
    async query(name, type) {
      questions.push(`${type} ${name}`)
      return answer(zone, name, type, [])
    },
  }
  return { resolver, questions }
}

export const domainTarget = (domain: string, ip: string | null = null): Extract<Target, { kind: 'domain' }> => ({
  kind: 'domain',
  domain,
  ip,
  registrable: domain.split('.').slice(-2).join('.'),
  registered: domain.split('.').slice(-2).join('.'),
  url: null,
  visit: true,
})

export const served = (body: string, status = 200, contentType = 'text/plain; charset=utf-8'): FetchResult => {
  const exchange: Exchange = {
    url: 'https://mta-sts.example.com/.well-known/mta-sts.txt',
    address: '192.0.2.1',
    status,
    http_version: '1.1',
    headers: [['content-type', contentType]],
    wire_bytes: body.length,
    decoded_bytes: body.length,
    truncated: null,
  }
  return { ok: true, exchanges: [exchange], body: Buffer.from(body) }
}

export interface GatheredMail {
  readonly mail: MailRecords
  readonly questions: readonly string[]
  readonly fetches: readonly FetchRequest[]
}

/** Gathers the mail records of a name in this zone; `fetch` responds as given. */
export async function gatherMail(
  domain: string,
  zone: Zone,
  fetched: FetchResult = served('', 404),
): Promise<GatheredMail> {
  const { resolver, questions } = resolverOf(zone)
  const fetches: FetchRequest[] = []
  const network: CheckNetwork = {
    limits,
    began: 0,
    resolver,
    ...unvetted,
    refuse: address => (address.startsWith('10.') ? 'private_use' : null),
    connect: async () => ({ ok: false, failure: 'refused' }),
    async fetch(request) {
      fetches.push(request)
      return fetched
    },
    takeRequest: () => true,
    reachesMail: () => false,
  }
  const context: GatherContext = {
    target: domainTarget(domain),
    now: new Date('2026-11-20T12:00:00Z'),
    signal: new AbortController().signal,
    deadline: Number.POSITIVE_INFINITY,
    network,
    cpu: new CpuQueue().open(''),
    shared: new Map(),
    gather: () => Promise.reject(new Error('mail records need no other evidence')),
  }
  return { mail: await gatherMailRecords(context), questions, fetches }
}
