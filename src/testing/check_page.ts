// Checks a given page as the service would, without a network. The rest of the site is an ordinary, healthy one.
import { performance } from 'node:perf_hooks'
import { Type } from 'typebox'
import { builtInPlugins } from '../../plugins/index.ts'
import { CpuQueue } from '../base/cpu_queue.ts'
import { dataFile } from '../base/data_file.ts'
import { faultsText } from '../base/fault.ts'
import { readSettings } from '../config/config.ts'
import type { LoadedPlugin } from '../engine/contract.ts'
import type { Evidence, Extension } from '../engine/plugin.ts'
import { loadRegistry } from '../engine/plugins.ts'
import type { Document } from '../evidence/document/facts.ts'
import { createPageReader } from '../evidence/document/page_reader.ts'
import { findUndrawn } from '../evidence/document/undrawn.ts'
import { Unavailable } from '../evidence/facts.ts'
import { describeVisit } from '../evidence/rendered/gather.ts'
import type { Renderer } from '../evidence/rendered/renderer.ts'
import type { GivenAnswers } from '../evidence/rendered/visit.ts'
import { describeServed } from '../evidence/served/gather.ts'
import { createService } from '../service/service.ts'
import { parseTarget, type Target, unvetted } from '../targets/target.ts'
import healthy from './healthy_site.json' with { type: 'json' }

/** The evidence of an ordinary, healthy site without its page. */
export const HealthySiteFile = dataFile({
  stand_in: Type.String({ description: 'The name that is replaced by the checked page’s host.' }),
  seen_at: Type.String({ description: 'The time of the check; the certificate is valid around it.' }),
  evidence: Type.Record(Type.String(), Type.Unknown(), { description: 'By kind.' }),
})
const SEEN_AT = healthy.seen_at

type Listing = Evidence['listings']['lists'][number]

export interface GivenPage {
  /** The page's URL, `https://shop.example.com/log-in`; its host is the target. */
  readonly url: string
  /** The target is the URL instead of its host. */
  readonly as_link?: boolean
  /** The raw bytes, or text. */
  readonly html: Uint8Array | string
  readonly status?: number
  /** Response headers; by default `text/html; charset=utf-8` and strict security headers. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** Days since the registration; null if unknown. 8 years by default. */
  readonly age_days?: number | null
  /** What scripts of the page get for any other URL, if it is rendered; nothing by default. */
  readonly elsewhere?: Uint8Array | string
  /** The rank in a list of popular domains; no list by default. */
  readonly rank?: number
  /** Blocklist answers in addition to those that list nothing. */
  readonly lists?: readonly (Pick<Listing, 'id' | 'name' | 'categories' | 'strength'> & Partial<Listing>)[]
}

/** As in schemas/check-result.json. */
export interface JudgedPage {
  readonly verdict: 'safe' | 'suspicious' | 'malicious'
  readonly risk_score: number
  readonly confidence: 'high' | 'medium' | 'low'
  readonly recommendation: 'allow' | 'review' | 'block'
  readonly threat_types: readonly string[]
  readonly signals: readonly string[]
  readonly signal_details: readonly {
    readonly id: string
    readonly points: number
    readonly floor: number | null
    readonly detail: string | null
  }[]
  readonly [field: string]: unknown
}

export interface PageChecks {
  /** Rejects with a `TypeError` when the URL has no valid target. One check at a time. */
  check(page: GivenPage): Promise<JudgedPage>
  close(): Promise<void>
}

/** Octets read of a page, as with the service's default limits. */
const PAGE_OCTETS = 2 * 1024 * 1024
/** Octets per chunk, as from a socket. */
const CHUNK = 16 * 1024
/** Milliseconds for parsing, however slow this machine is. */
const PATIENCE_MS = 600_000
const EIGHT_YEARS = 2_922
const DAY = 86_400_000

/** Headers with which security_headers finds nothing to report. */
export const CAREFUL_HEADERS: readonly (readonly [string, string])[] = [
  ['content-type', 'text/html; charset=utf-8'],
  ['server', 'nginx'],
  ['strict-transport-security', 'max-age=63072000; includeSubDomains'],
  [
    'content-security-policy',
    "default-src 'self'; frame-ancestors 'self'; object-src 'none'; base-uri 'self'; form-action 'self'",
  ],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
]

export interface PageCheckOptions {
  /** Replaces the built-in plugins. */
  readonly plugins?: readonly LoadedPlugin[]
  /** Renders pages that show little, without a network. */
  readonly rendering?: Pick<Renderer, 'render'>
}

/**
 * Opens an engine with a configuration as in schemas/config.json that uses only given pages. Rejects with an `Error`
 * that lists all errors of the configuration.
 */
export async function openPageChecks(
  configuration: object = {},
  { plugins = builtInPlugins, rendering }: PageCheckOptions = {},
): Promise<PageChecks> {
  const reading = readSettings(configuration, process.cwd(), { variables: {} })
  const { registry, faults } = await loadRegistry(plugins, reading.config, process.cwd())
  const all = [...reading.faults, ...faults]
  if (all.length > 0) throw new Error(faultsText(all))
  let evidence: Readonly<Record<string, unknown>> = {}
  const service = await createService({
    config: reading.config,
    registry,
    clock: { now: () => Date.parse(SEEN_AT), monotonic: () => performance.now() },
    extensions: [answering(() => evidence)],
    replayed: true,
    dial: () => {
      throw new Error('a given page is checked without a network')
    },
  })
  return {
    async check(page) {
      const target = targetOf(page)
      evidence = await evidenceOf(page, target, rendering)
      const { result } = await service.engine.check(target)
      return result as unknown as JudgedPage
    },
    close: () => service.close(),
  }
}

/** The name model needs no network and works as usual. */
const COMPUTED_EVIDENCE: ReadonlySet<string> = new Set(['name_score'])

const answering = (evidenceOf: () => Readonly<Record<string, unknown>>): Extension => ({
  name: 'given_page',
  description: 'Provides a given page and an ordinary site around it.',
  apply(hooks) {
    hooks.gather.intercept({
      factory: (name: string, hook: ReturnType<typeof hooks.gather.for>) => {
        if (COMPUTED_EVIDENCE.has(name)) return hook
        hook.tapPromise({ name: 'given_page', stage: -1 }, async () => {
          if (Object.hasOwn(evidenceOf(), name)) return evidenceOf()[name]
          throw new Unavailable('not_configured')
        })
        return hook
      },
    })
  },
})

function targetOf({ url, as_link = false }: GivenPage): Target {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  const parsed = parseTarget(as_link ? { domain: null, ip: null, url } : { domain: host, ip: null }, unvetted)
  if (parsed.ok) return parsed.target
  throw new TypeError(`${url}: ${parsed.detail}`)
}

/** A copy of evidence in which every text has this name in the place of the stand-in. */
function renameIn(evidence: unknown, name: string): unknown {
  if (typeof evidence === 'string') return evidence.replaceAll(healthy.stand_in, name)
  if (Array.isArray(evidence)) return evidence.map(one => renameIn(one, name))
  if (evidence === null || typeof evidence !== 'object') return evidence
  return Object.fromEntries(
    Object.entries(evidence).map(([key, value]) => [renameIn(key, name), renameIn(value, name)]),
  )
}

async function evidenceOf(
  page: GivenPage,
  target: Target,
  rendering?: PageCheckOptions['rendering'],
): Promise<Record<string, unknown>> {
  const { url, html, status = 200, headers = CAREFUL_HEADERS } = page
  const site = renameIn(healthy.evidence, target.domain ?? '') as typeof healthy.evidence
  const octets = typeof html === 'string' ? Buffer.from(html) : Buffer.from(html.buffer, html.byteOffset, html.length)
  const body = octets.subarray(0, PAGE_OCTETS)
  const reader = createPageReader(new CpuQueue().open(''), performance.now() + PATIENCE_MS)
  const address = site.addresses.answers[0]?.address ?? ''
  const head = { url, headers, status, address, http_version: '1.1' }
  const write = reader.receive(head, { pause() {}, resume() {} })
  if (write) for (let at = 0; at < body.length; at += CHUNK) write(body.subarray(at, at + CHUNK))
  const navigation = {
    exchanges: [
      {
        url,
        address,
        status,
        http_version: '1.1',
        headers: [...headers, ['date', new Date(SEEN_AT).toUTCString()] as const],
        wire_bytes: body.length,
        decoded_bytes: body.length,
        truncated: octets.length > PAGE_OCTETS ? ('too_large' as const) : null,
      },
    ],
    failure: null,
    stopped: null,
    stopped_at: null,
  }
  const { document } = await reader.read(navigation)
  const served = describeServed(navigation, document)
  const isNeeded = document !== null && findUndrawn({ page: navigation, served, document }) !== null
  const rendered = rendering && isNeeded ? await render(rendering, page, document) : null
  const registration = registrationOf(target, page.age_days === undefined ? EIGHT_YEARS : page.age_days)
  return {
    ...site,
    listings: { lists: [...site.listings.lists, ...(page.lists ?? []).map(list => listingOf(list, target))] },
    page: navigation,
    document: rendered?.document ?? document,
    served,
    ...(rendered && { rendered }),
    ...(registration && { registration }),
    ...(page.rank !== undefined && { popularity: popularityOf(target, page.rank) }),
  }
}

const POLICY = 'content-security-policy'
const STAND_IN_POLICY = CAREFUL_HEADERS.find(([name]) => name === POLICY)?.[1]

/** Milliseconds for a page in a browser, however slow this machine is. */
const RENDER_MS = 60_000

/** Null if the browser gets no page of it. */
async function render(rendering: Pick<Renderer, 'render'>, page: GivenPage, document: Document) {
  const { url, html, status = 200, headers = CAREFUL_HEADERS, elsewhere } = page
  const answers: GivenAnswers = address => {
    const body = address === url ? html : elsewhere
    if (body === undefined) return null
    // A page may read what another site lets it read. The stand-in's policy would stop the page's own scripts.
    const fields =
      address === url
        ? headers.filter(([name, value]) => name !== POLICY || value !== STAND_IN_POLICY)
        : ([['Access-Control-Allow-Origin', '*']] as const)
    return { status: address === url ? status : 200, headers: fields, body: Buffer.from(body) }
  }
  const request = { url, answers, knownHost: { host: '', addresses: [] }, port: undefined, client: '' }
  const deadline = performance.now() + RENDER_MS
  try {
    const visit = await rendering.render({ ...request, deadline, signal: AbortSignal.timeout(RENDER_MS) })
    return await describeVisit(new CpuQueue().open(''), visit, document, 'needed')
  } catch (error) {
    if (error instanceof Unavailable) return null
    throw error
  }
}

const listingOf = (list: NonNullable<GivenPage['lists']>[number], target: Target): Listing => ({
  kind: 'domain',
  asked: target.domain ?? '',
  status: 'listed',
  reason: null,
  codes: [],
  explanation: null,
  terms: '',
  ...list,
})

const popularityOf = (target: Target, rank: number): Evidence['popularity'] => ({
  domain: target.registrable ?? '',
  rank,
  lists: [{ id: 'ranks', name: 'Ranks', status: 'ranked', reason: null, rank, of: 1_000_000, age_hours: 1 }],
})

function registrationOf(target: Target, age: number | null): Evidence['registration'] | null {
  if (age === null) return null
  return {
    source: 'rdap',
    domain: target.registered ?? '',
    registered: true,
    // One hour more, so that the number of days is whole.
    registered_at: new Date(Date.parse(SEEN_AT) - age * DAY - 3_600_000).toISOString(),
    registered_in_future: false,
    expires_at: new Date(Date.parse(SEEN_AT) + 200 * DAY).toISOString(),
    updated_at: null,
    registrar: 'Registrar',
    status: ['client transfer prohibited'],
    dnssec_signed: null,
    name_servers: [],
  }
}
