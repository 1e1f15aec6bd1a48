// Tests whether each resolver can be trusted, in both directions: it must find records that certainly exist (the root's
// name servers, the SOA of large top-level domains), and must answer NXDOMAIN, with the SOA that RFC 2308 section 3
// requires, for a name that cannot be registered. Resolvers that rewrite NXDOMAIN to their own addresses (SSAC,
// SAC 032) still count as healthy: those addresses are remembered, and an answer with nothing else counts as NXDOMAIN.
import { randomBytes } from 'node:crypto'
import { createStopSignal } from '../base/abort.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { combine, isHealthy, nextStanding, type Standing, UNPROVED_STANDING } from '../base/health/standing.ts'
import { loopAwareTimeout } from '../base/timeout.ts'
import { createQuery, isReferral, RCODE, type Reply, TYPE } from './dns_message.ts'
import type { Frame } from './dns_records.ts'
import { type QueryResult, sendQuery } from './dns_transport.ts'
import type { ResolverAddress } from './endpoints.ts'
import type { Limits } from './limits.ts'
import { createResolver } from './resolver.ts'

export interface ResolverReport extends Standing {
  /** The resolver returns addresses for names that do not exist. */
  readonly rewrites: boolean
}

export type ResolverHealth = ReturnType<typeof createResolverHealth>

export interface ResolverHealthOptions {
  readonly servers: readonly ResolverAddress[]
  readonly limits: Limits
  readonly clock?: Clock
}

/** Milliseconds for one proof: three tries of each query. A check that waits for it has 2.5 s for its own queries. */
const PROOF_MS = 1_500
const TRY_MS = 500
/** Milliseconds in which a proof is not repeated, however many targets fail. Shorter when `limits.dns_try_ms` is. */
const FRESH_MS = 2_000
/** Milliseconds between background proofs of a healthy server, and of one that is down and may recover. */
const HEALTHY_EVERY_MS = 60_000
const DOWN_EVERY_MS = 5_000
/**
 * Event loop utilization at which a timeout says more about this process than about the server, and how often such a
 * proof is repeated before it counts.
 */
const SATURATION = 0.8
const SATURATED_TRIES = 2
/** Addresses remembered per server: a server that rotates them is learnt over several proofs. */
const MAX_ADDRESSES = 64

interface ServerState {
  standing: Standing
  hijacks: ReadonlySet<string>
  /** End of the last proof, on the monotonic clock. */
  proved_at: number
  proof: Promise<void> | null
}

export function createResolverHealth(options: ResolverHealthOptions) {
  const { servers, limits, clock = systemClock } = options
  const serverStates = new Map(servers.map(server => [server, newServerState()]))
  const lifetime = new AbortController()
  // A query takes at least one try to fail, so a proof of this age is younger than the query.
  const freshMs = Math.min(FRESH_MS, limits.dns_try_ms)
  let timer: NodeJS.Timeout | undefined

  async function proveNow(server: ResolverAddress, about: ServerState, tries: number): Promise<void> {
    const proof = await proveUnsaturated(server, limits, lifetime.signal)
    if (lifetime.signal.aborted) return
    about.proved_at = clock.monotonic()
    const isHonest = proof.fault === null && proof.hijacks.length === 0
    about.hijacks = isHonest ? NONE : new Set([...proof.hijacks, ...about.hijacks].slice(0, MAX_ADDRESSES))
    // A single failed proof may be a lost packet, unless a check failed as well (then `tries` is 1).
    if (proof.fault !== null && isHealthy(about.standing) && tries > 1) return proveNow(server, about, tries - 1)
    const state = proof.fault === null ? 'healthy' : 'down'
    about.standing = nextStanding(about.standing, state, proof.fault, clock.now())
  }

  function proofOf(server: ResolverAddress, about: ServerState, tries: number): Promise<void> {
    about.proof ??= proveNow(server, about, tries).finally(() => {
      about.proof = null
    })
    return about.proof
  }

  const proveDue = async (isDue: (about: ServerState) => boolean, tries: number): Promise<void> => {
    const proofs = [...serverStates].filter(([, about]) => about.proof !== null || isDue(about))
    await Promise.all(proofs.map(([server, about]) => proofOf(server, about, tries)))
  }
  const age = (about: ServerState) => clock.monotonic() - about.proved_at
  const proveInBackground = () =>
    proveDue(about => age(about) >= (isHealthy(about.standing) ? HEALTHY_EVERY_MS : DOWN_EVERY_MS), 2)

  return {
    /** The servers to query: all that are not known to be down, or all when every one is. */
    servers() {
      const usable = [...serverStates].filter(([, { standing }]) => standing.state !== 'down').map(([server]) => server)
      return usable.length > 0 ? usable : servers
    },
    /**
     * Addresses that this server returns for names that do not exist. Waits for the server's first proof. Never rejects.
     */
    async hijackAddresses(server: ResolverAddress) {
      const about = serverStates.get(server)
      if (about?.standing.state === 'unproved') await about.proof
      return about?.hijacks ?? NONE
    },
    /**
     * Proves every server again unless its last proof is fresh; a failed proof is never fresh. Resolves when done; never
     * rejects.
     */
    suspect: () => proveDue(about => age(about) >= (about.standing.state === 'down' ? 0 : freshMs), 1),
    /**
     * The standing of all servers together. With `since`, in milliseconds since the Unix epoch, a server that was found
     * to give false answers at that time or later comes first: results gathered since then may rest on its answers,
     * however healthy the others are.
     */
    standing(since = Number.POSITIVE_INFINITY) {
      if (servers.length === 0) return NO_SERVERS
      const all = [...serverStates.values()].map(({ standing }) => standing)
      return all.find(one => givesFalseAnswers(one) && (one.since ?? 0) >= since) ?? combine(all)
    },
    /** In the order of the configuration. */
    report: (): readonly ResolverReport[] =>
      [...serverStates.values()].map(({ standing, hijacks }) => ({ ...standing, rewrites: hijacks.size > 0 })),
    /** Proves all servers, then keeps proving them in the background. Resolves after the first proof; never rejects. */
    start() {
      timer ??= setInterval(proveInBackground, DOWN_EVERY_MS).unref()
      return proveInBackground()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
      lifetime.abort()
    },
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Faults with which a server's answers look valid. After any other fault the next server is queried. */
const FALSE_ANSWERS: ReadonlySet<string | null> = new Set(['denies_what_exists', 'no_nxdomain', 'nxdomain_without_soa'])

const givesFalseAnswers = ({ state, fault }: Standing): boolean => state === 'down' && FALSE_ANSWERS.has(fault)

const NO_SERVERS: Standing = { state: 'down', fault: 'not_configured', since: null }

const newServerState = (): ServerState => ({
  standing: UNPROVED_STANDING,
  hijacks: NONE,
  proved_at: Number.NEGATIVE_INFINITY,
  proof: null,
})

/**
 * Large, signed top-level domains. Several, because a resolver may fail for one of them, and some resolvers rewrite
 * only the common ones. `invalid` would not do: resolvers answer it themselves (RFC 6761).
 */
const TOPS = ['com', 'net', 'org']

interface Proof {
  readonly fault: string | null
  readonly hijacks: readonly string[]
}

async function proveUnsaturated(server: ResolverAddress, limits: Limits, signal: AbortSignal): Promise<Proof> {
  for (let triesLeft = SATURATED_TRIES; ; triesLeft--) {
    const before = performance.eventLoopUtilization()
    const proof = await prove(server, limits, signal)
    const { utilization } = performance.eventLoopUtilization(before)
    if (proof.fault !== 'timeout' || utilization < SATURATION || triesLeft === 0 || signal.aborted) return proof
  }
}

async function prove(server: ResolverAddress, limits: Limits, signal: AbortSignal): Promise<Proof> {
  const stop = createStopSignal()
  // Loop-aware: time in which this process was blocked says nothing about the resolver.
  const cancelLimit = loopAwareTimeout(PROOF_MS, () => stop.stop())
  const onAbort = () => stop.stop()
  signal.addEventListener('abort', onAbort, { once: true })
  const query = (name: string, type: 'NS' | 'SOA' | 'A') =>
    sendQuery(server, createQuery(name, type, false), TRY_MS, stop)
  try {
    const absent = TOPS.map(top => `${randomBytes(12).toString('hex')}.${top}`)
    const [root, tops, denials, hijacks] = await Promise.all([
      query('', 'NS'),
      Promise.all(TOPS.map(top => query(top, 'SOA'))),
      Promise.all(absent.map(name => query(name, 'A'))),
      findHijacks(server, limits, absent, signal),
    ])
    const denial = hijacks.length > 0 ? null : faultOf(denials, denialFault)
    return { hijacks, fault: faultOf([root], requires(TYPE.NS)) ?? faultOf(tops, requires(TYPE.SOA)) ?? denial }
  } finally {
    cancelLimit()
    signal.removeEventListener('abort', onAbort)
    stop.stop()
  }
}

/** The addresses that the server returns for names that do not exist, aliases followed. */
async function findHijacks(
  server: ResolverAddress,
  limits: Limits,
  absent: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const quick = { ...limits, dns_try_ms: TRY_MS, dns_phase_ms: PROOF_MS }
  const resolver = createResolver({ servers: [server], limits: quick, signal })
  const queries = absent.flatMap(name => (['A', 'AAAA'] as const).map(type => resolver.query(name, type, { signal })))
  return (await Promise.all(queries)).flatMap(answer => (answer.status === 'found' ? answer.records : []))
}

/** Null when one of the replies is correct; otherwise the most telling fault among them. */
function faultOf(results: readonly QueryResult[], replyFault: (reply: Reply) => string | null): string | null {
  const faults = results.map(one => (one.ok ? (errorOf(one.value) ?? replyFault(one.value)) : one.failure))
  if (faults.includes(null)) return null
  return faults.find(fault => fault !== 'timeout' && fault !== 'unreachable') ?? faults[0] ?? 'timeout'
}

function errorOf({ rcode }: Reply): string | null {
  if (rcode === RCODE.NOERROR || rcode === RCODE.NXDOMAIN) return null
  return rcode === RCODE.SERVFAIL ? 'servfail' : 'refused'
}

const isOf = (type: number) => (frame: Frame) => frame.type === type

const requires =
  (type: number) =>
  (reply: Reply): string | null => {
    if (reply.rcode === RCODE.NXDOMAIN || !reply.answers.some(isOf(type))) return 'denies_what_exists'
    return isReferral(reply) ? 'refused' : null
  }

function denialFault(reply: Reply): string | null {
  if (reply.rcode !== RCODE.NXDOMAIN) return 'no_nxdomain'
  return reply.authorities.some(isOf(TYPE.SOA)) ? null : 'nxdomain_without_soa'
}
