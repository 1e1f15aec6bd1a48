// Measures how much of each kind of evidence this check saw.

import { FEW_WORDS, findOtherSite, shownWords } from '../evidence/document/handover.ts'
import { findUndrawn, UNDRAWN } from '../evidence/document/undrawn.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { NOT_ANALYSED, NOT_CONFIGURED, NOT_VISITED } from '../evidence/facts.ts'
import { isDownload } from '../network/media_type.ts'
import type { Analysis } from './analysis.ts'
import { type Part, type Sighting, sightings } from './scoring/confidence.ts'

/** The part that counts of a page that was cut off; the rest may hold anything. */
const HALF = 0.5

const whole: Part = { seen: 1, why: null }
const partly = (why: string): Part => ({ seen: HALF, why })
const nothing = (reason: string): Part => ({ seen: 0, why: words(reason) })

/** The evidence gathered, as far as it is there. */
type EvidenceReader = <Name extends keyof Evidence>(name: Name) => Evidence[Name] | null

/** Kinds of evidence that can be incomplete; any other is complete. */
const partReaders: { readonly [Name in keyof Evidence]?: (value: Evidence[Name], evidence: EvidenceReader) => Part } = {
  page: pagePart,
  document: documentPart,
  served: servedPart,
  tls: tlsPart,
  listings: ({ lists }) => listsPart(lists),
  feeds: ({ lists }) => listsPart(lists),
}

/** For the page that a link leads to. */
const readOfLink: typeof partReaders = { page: linkedPart, document: linkedDocumentPart }

const UNFOLLOWED_REDIRECT = 'a redirect was not followed'
const BARREN = 'it exceeds the size limit before it shows any text'
const DOWNLOAD = 'the link leads to a file, whose content is not checked'

/**
 * The last response must be complete: a part that was cut off, or lies behind a redirect that was not followed, may
 * hold anything.
 */
function pagePart({ exchanges, stopped, handover }: Evidence['page']): Part {
  const last = (handover?.frame ?? exchanges).at(-1)
  const truncated = last?.truncated ?? null
  if (truncated !== null) return last?.decoded_bytes === 0 ? nothing(truncated) : partly(words(truncated))
  return stopped === null ? whole : partly(UNFOLLOWED_REDIRECT)
}

/**
 * What a link shows is the page behind its redirects, which only visitors see if one was not followed. A file to download
 * may hold anything: only its headers were read.
 */
function linkedPart(page: Evidence['page']): Part {
  if (page.stopped !== null) return { seen: 0, why: UNFOLLOWED_REDIRECT }
  const part = pagePart(page)
  const last = page.exchanges.at(-1)
  if (part.seen === 0 || last === undefined || last.decoded_bytes === 0) return part
  return isDownload(last.headers) ? { seen: 0, why: DOWNLOAD } : part
}

/**
 * Of a page that was cut off before it showed anything, the part that visitors see is missing. A page that draws little
 * itself, such as the shell of an application, is seen only in part.
 */
function documentPart(document: Evidence['document'], evidence: EvidenceReader): Part {
  if (document.is_html && document.truncated && shownWords(document) < FEW_WORDS) return { seen: 0, why: BARREN }
  const [page, served] = [evidence('page'), evidence('served')]
  const undrawn = page === null || served === null ? null : findUndrawn({ page, served, document })
  return undrawn === null ? whole : partly(`it ${UNDRAWN[undrawn]}`)
}

/** A page that only sends visitors to another page is not the page that they see. */
function linkedDocumentPart(document: Evidence['document'], evidence: EvidenceReader): Part {
  const site = findOtherSite(document)
  return site === null ? documentPart(document, evidence) : { seen: 0, why: `it only hands visitors over to ${site}` }
}

/**
 * A withheld page is unseen. A refused connection is an answer: there is no web server. After any other failure, others
 * may see a page.
 */
function servedPart({ kind, failure }: Evidence['served']): Part {
  if (kind === 'none') return failure === 'refused' ? whole : nothing(failure ?? 'no_response')
  const why = withheldReasons[kind]
  return why === undefined ? whole : { seen: 0, why }
}

const withheldReasons: Readonly<Partial<Record<Evidence['served']['kind'], string>>> = {
  block: 'the site refuses automated visitors',
  challenge: 'the site asks visitors to prove that they are human',
  login_wall: 'the site shows a login page instead',
}

/** A closed port means that there is no certificate; after a failed handshake, others may see one. */
function tlsPart({ status, failure }: Evidence['tls']): Part {
  return status === 'failed' ? nothing(failure ?? 'no_tls') : whole
}

function listsPart(lists: readonly { readonly status: string; readonly reason: string | null }[]): Part {
  const silent = lists.filter(({ status }) => status === 'unknown')
  if (silent.length === 0) return whole
  const [reason, ...others] = new Set(silent.map(one => one.reason))
  return { seen: 1 - silent.length / lists.length, why: reason && others.length === 0 ? words(reason) : null }
}

/**
 * Null for evidence that does not count: not requested, not applicable, or not configured. Evidence that was not looked
 * at because the client asked not to visit the site counts as unseen.
 */
function partOf(name: string, evidence: SightingInput['evidence'], isLink: boolean): Part | null {
  const gatherOutcome = evidence.get(name)
  if (gatherOutcome === undefined) return null
  if (gatherOutcome.status === 'not_applicable')
    return gatherOutcome.reason === NOT_VISITED ? nothing(NOT_VISITED) : null
  if (gatherOutcome.status !== 'gathered')
    return gatherOutcome.reason === NOT_CONFIGURED ? null : nothing(gatherOutcome.reason)
  const reader = ((isLink ? readOfLink[name as keyof Evidence] : undefined) ?? partReaders[name as keyof Evidence]) as
    | ((value: unknown, evidence: EvidenceReader) => Part)
    | undefined
  const evidenceOf: EvidenceReader = other => {
    const gatheredEvidence = evidence.get(other)
    return gatheredEvidence?.status === 'gathered' ? (gatheredEvidence.value as Evidence[typeof other]) : null
  }
  try {
    return reader?.(gatherOutcome.value, evidenceOf) ?? whole
  } catch {
    // A third-party gatherer may return another shape, which counts as not seen.
    return nothing('unreadable_evidence')
  }
}

/** `unread` is absent where all evidence was read. */
type SightingInput = Pick<Analysis, 'target' | 'evidence'> & Partial<Pick<Analysis, 'unread'>>

/**
 * The deciding evidence of a check and how much of each kind was seen. Lists and registries tell enough of an address, but
 * not of a page there, nor of a site that the client asked not to visit: these need the page, as a name does.
 */
export function sightingsOf({ target, evidence, unread }: SightingInput): Sighting[] {
  const isLink = target.url !== null
  const kind = isLink || !target.visit ? 'domain' : target.kind
  return sightings(kind, name => (unread?.has(name) ? nothing(NOT_ANALYSED) : partOf(name, evidence, isLink)))
}

/** Why something was not seen, to follow a colon. Other reasons are shown as they are. */
const reasons: Readonly<Record<string, string>> = {
  connect_timeout: 'the connection timed out',
  timeout: 'the answer did not come in time',
  deadline: 'the answer did not come in time',
  closed: 'the connection was closed early',
  reset: 'the connection was reset',
  unreachable: 'the network is unreachable',
  certificate_too_large: 'its certificates exceed the size limit',
  too_large: 'it exceeds the size limit',
  bad_encoding: 'its content coding is invalid',
  protocol_error: 'the server violated the protocol',
  alpn: 'the server speaks another protocol',
  http_1_1_required: 'the server refused the request over HTTP/2 and offers nothing else',
  not_tls: 'port 443 does not use TLS',
  client_certificate_required: 'the server asks for a client certificate',
  no_response: 'the server sent no response',
  tls: 'the TLS handshake failed',
  [NOT_VISITED]: 'the check was asked not to visit the site',
  resolver_timeout: 'the name servers did not answer in time',
  servfail: 'the name servers answered SERVFAIL',
  refused: 'the request was refused',
  cname_loop: 'the aliases of the name form a loop',
  cname_too_long: 'the chain of aliases is too long',
  gatherer_failed: 'a part of this service failed',
  not_recorded: 'the recording does not contain it',
  [NOT_ANALYSED]: 'the service ran out of time before it analysed it',
  loading: 'they are still loading',
  not_loaded: 'they are not loaded',
  stale: 'the copies are too old',
  list_unhealthy: 'they failed their health check',
  busy: 'it already gets as many queries as it may',
  list_paused: 'they are paused after failures',
  public_resolver: 'they do not answer public resolvers',
  addresses_unknown: 'the addresses are unknown',
}

/** The kind of evidence already names the source. */
const LOOKUP_PREFIX = /^(?:rdap|whois|dns)_/

function words(reason: string): string {
  const bare = reason.replace(LOOKUP_PREFIX, '')
  return Object.hasOwn(reasons, bare) ? (reasons[bare] as string) : bare.replaceAll('_', ' ')
}
