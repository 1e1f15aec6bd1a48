// Gathers the offers that the target's TLS server accepts: a few handshakes, one after the other, none of them
// completed.
import type { Addresses } from '../addresses/facts.ts'
import { isOurFailure, NotApplicable, Unavailable } from '../facts.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import { portOf } from '../site_session/session.ts'
import type { Tls } from '../tls/facts.ts'
import { versionCodes } from './client_hello.ts'
import type { OfferedSuites, OfferedVersion, TlsOffer, TlsVersion } from './facts.ts'
import { createServerProbe, type ServerProbe } from './server_probe.ts'
import type { Reply } from './server_reply.ts'
import { isBlockMode, type Suite, type SuiteKind, suiteKinds, suites, suitesOfTls13 } from './suites.ts'

type Others = { addresses: Addresses; tls: Tls }
type Context = GatherContext<Others>
type Replies = Readonly<Record<TlsVersion, Reply>>

/** Versions that are negotiated: the server chooses the newest one that both sides support. Newest first. */
const NEGOTIATED_VERSIONS = ['TLSv1.2', 'TLSv1.1', 'TLSv1', 'SSLv3'] as const
const VERSIONS: readonly TlsVersion[] = ['TLSv1.3', ...NEGOTIATED_VERSIONS, 'SSLv2']
/** Versions that RFC 8996 and RFC 7568 forbid. */
const OLD_VERSIONS: readonly TlsVersion[] = ['TLSv1.1', 'TLSv1', 'SSLv3']

const codes = (of: readonly Suite[]): number[] => of.map(({ code }) => code)

/**
 * Waits for the handshake of the check, so that servers without TLS are not contacted, and uses the same address.
 * Rejects when that handshake does, and when no version's support is known.
 */
export const gatherTlsOffer: Gatherer<TlsOffer, Others> = async context => {
  const endpoint = await speaksTls(context)
  const server = createServerProbe({ ...context, ...endpoint, port: portOf(context.target, 'https') })
  const repliesByVersion = await askVersions(server)
  const newest = NEGOTIATED_VERSIONS.find(version => repliesByVersion[version].outcome === 'accepted')
  const last = newest === undefined ? undefined : await askKinds(server, newest)
  const fallbackRefused = await askFallback(server, repliesByVersion)
  const order = await askReversed(server, repliesByVersion, newest)
  await server.prove()
  const offers = VERSIONS.map(version => versionFacts(version, server.settled(repliesByVersion[version])))
  if (offers.every(({ status }) => status === 'unknown')) throw new Unavailable(offers[0]?.reason ?? 'timeout')
  const answers = acceptedReplies(server.replies())
  const primes = answers.flatMap(({ prime_bits }) => prime_bits ?? [])
  return {
    ...endpoint,
    versions: offers,
    suites: suiteKinds.map(kind => kindFacts(kind, server, last ?? withoutOlder(offers))),
    prime_bits: primes.length === 0 ? null : Math.min(...primes),
    ...order,
    secure_renegotiation: answers.find(answer => answer.secure_renegotiation !== null)?.secure_renegotiation ?? null,
    fallback_refused: fallbackRefused,
    handshakes: server.replies().length,
  }
}

export default () => gatherTlsOffer

/** The address that answered, and the name sent as SNI. */
async function speaksTls({ gather }: Context): Promise<Pick<TlsOffer, 'address' | 'server_name'>> {
  const { status, failure, address, server_name } = await gather('tls')
  if (failure !== null && isOurFailure(failure)) throw new Unavailable(failure)
  if (status === 'refused' || address === null || failure === 'not_tls') throw new NotApplicable('no_tls')
  return { address, server_name }
}

/** NegotiatedVersion each version that earlier replies have not settled. */
async function askVersions(server: ServerProbe): Promise<Replies> {
  const tls13 = await server.ask({ version: 'TLSv1.3', suites: codes(suitesOfTls13) })
  const replies: Partial<Record<TlsVersion, Reply>> = {}
  for (const [at, version] of NEGOTIATED_VERSIONS.entries()) {
    if (replies[version] === undefined) Object.assign(replies, await askFrom(server, NEGOTIATED_VERSIONS.slice(at)))
  }
  const sslv2 = await server.ask({ version: 'SSLv2', suites: [] })
  return { 'TLSv1.3': tls13, ...(replies as Record<NegotiatedVersion, Reply>), SSLv2: sslv2 }
}

type NegotiatedVersion = (typeof NEGOTIATED_VERSIONS)[number]

/** NegotiatedVersion all versions up to the first of these; returns what the reply shows about each. */
async function askFrom(
  server: ServerProbe,
  versions: readonly NegotiatedVersion[],
): Promise<Partial<Record<TlsVersion, Reply>>> {
  const [version = 'SSLv3', ...older] = versions
  const reply = await server.ask({ version, suites: codes(suites) })
  if (reply.outcome === 'accepted') {
    const newerVersions = versions.filter(one => versionCodes[one] > versionCodes[reply.version])
    return { ...Object.fromEntries(newerVersions.map(one => [one, OLDER_CHOSEN])), [reply.version]: reply }
  }
  // The server supports no version up to this one (RFC 5246 appendix E.1). Any other refusal may concern only this
  // version.
  const isAll = reply.outcome === 'refused' && reply.reason === 'alert:protocol_version'
  return { [version]: reply, ...(isAll ? Object.fromEntries(older.map(one => [one, NEWER_REFUSED])) : {}) }
}

const OLDER_CHOSEN: Reply = { outcome: 'refused', reason: 'older_version' }
const NEWER_REFUSED: Reply = { outcome: 'refused', reason: 'newer_refused' }
const NOTHING_LEFT: Reply = { outcome: 'refused', reason: 'nothing_left' }

type AcceptedReply = Extract<Reply, { outcome: 'accepted' }>

const acceptedReplies = (replies: readonly Reply[]): AcceptedReply[] =>
  replies.filter(reply => reply.outcome === 'accepted')

const kindsSeen = (server: ServerProbe): ReadonlySet<SuiteKind> =>
  new Set(acceptedReplies(server.replies()).flatMap(({ suite }) => suite?.kinds ?? []))

/**
 * NegotiatedVersion all suites of the kinds not yet accepted, the worst first, until the server refuses them. Returns that last
 * reply, which holds for every kind that is still missing then.
 */
async function askKinds(server: ServerProbe, version: TlsVersion): Promise<Reply> {
  for (;;) {
    const kindsBefore = kindsSeen(server)
    const open = suites.filter(({ kinds }) => kinds.some(kind => !kindsBefore.has(kind)))
    if (open.length === 0) return NOTHING_LEFT
    const reply = await server.ask({ version, suites: codes(open).reverse() })
    if (reply.outcome !== 'accepted') return reply
    if (kindsSeen(server).size === kindsBefore.size) return { outcome: 'unknown', reason: 'protocol_error' }
  }
}

/** Without an older version, only the suites of TLS 1.3 remain, which belong to none of the kinds. */
function withoutOlder(versions: readonly OfferedVersion[]): Reply {
  const unknownVersion = versions.find(({ status, version }) => status === 'unknown' && version !== 'TLSv1.3')
  return unknownVersion
    ? { outcome: 'unknown', reason: unknownVersion.reason ?? 'timeout' }
    : { outcome: 'refused', reason: 'tls13_only' }
}

async function askFallback(server: ServerProbe, replies: Replies): Promise<boolean | null> {
  const [newest] = VERSIONS.filter(version => replies[version].outcome === 'accepted')
  const version = OLD_VERSIONS.find(one => replies[one].outcome === 'accepted')
  if (version === undefined || version === newest) return null
  const reply = await server.ask({ version, suites: codes(suites), fallback: true })
  if (reply.outcome === 'accepted') return false
  return reply.outcome === 'refused' && reply.reason === 'alert:inappropriate_fallback' ? true : null
}

/** The last offer. Its reply also proves that earlier refusals came from the server. */
async function askReversed(
  server: ServerProbe,
  replies: Replies,
  version: NegotiatedVersion | undefined,
): Promise<Pick<TlsOffer, 'own_order' | 'compression'>> {
  const first = version && replies[version]
  const reply = version && (await server.ask({ version, suites: codes(suites).reverse(), compression: true }))
  if (first?.outcome !== 'accepted' || reply?.outcome !== 'accepted') return { own_order: null, compression: null }
  return { own_order: first.suite?.code === reply.suite?.code, compression: reply.compression }
}

const factsOf = (reply: Reply) =>
  reply.outcome === 'accepted'
    ? { status: reply.outcome, reason: null, suite: reply.suite?.name ?? null }
    : { status: reply.outcome, reason: reply.reason, suite: null }

function versionFacts(version: TlsVersion, reply: Reply): OfferedVersion {
  const facts = factsOf(reply)
  return { version, ...facts, block_mode: facts.suite === null ? null : isBlockMode(facts.suite) }
}

function kindFacts(kind: SuiteKind, server: ServerProbe, last: Reply): OfferedSuites {
  const acceptedReply = acceptedReplies(server.replies()).find(({ suite }) => suite?.kinds.includes(kind))
  return { kind, ...factsOf(acceptedReply ?? server.settled(last)) }
}
