// Whether each resolver can be believed, proved in both directions: it must find what certainly exists (the root's name
// servers, the SOA of a large top-level domain) and must say NXDOMAIN, with the SOA that RFC 2308 section 3 asks for, of a
// name that nobody can have registered. Resolvers that rewrite NXDOMAIN to addresses of their own (SSAC, SAC 032) are
// healthy but for that: the addresses they make up are learnt, and an answer of nothing else counts as NXDOMAIN.
import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../clock.ts'
import { isHealthy, movedTo, type Standing, together, UNPROVED } from '../health/standing.ts'
import { loopAwareTimeout } from '../timeout.ts'
import { createEnding } from './abort.ts'
import { createQuery, isReferral, RCODE, type Reply, TYPE } from './dns_message.ts'
import type { Frame } from './dns_records.ts'
import { type Carried, carry } from './dns_transport.ts'
import type { ResolverAddress } from './endpoints.ts'
import type { Limits } from './limits.ts'
import { createResolver } from './resolver.ts'

export interface ResolverReport extends Standing {
  /** It answers with addresses for names that do not exist. */
  readonly rewrites: boolean
}

export interface ResolverHealth {
  /** Whom to ask: those that are not known to be down; all when every one is. */
  servers(): readonly ResolverAddress[]
  /** Addresses that this server makes up; waits for its first proof while that is under way. Never rejects. */
  inventedBy(server: ResolverAddress): Promise<ReadonlySet<string>>
  /** Proves anew every server whose proof is not fresh; a failed one never is. Resolves when the proofs are done; never rejects. */
  suspect(): Promise<void>
  /**
   * Of all servers together. With `since`, milliseconds since the Unix epoch, a server that was found to give false answers
   * from then on comes first: what was asked meanwhile may rest on its answers, however healthy the others are.
   */
  standing(since?: number): Standing
  /** In the order they are configured. */
  report(): readonly ResolverReport[]
  /** Proves all servers, and goes on in the background. Resolves after the first proof; never rejects. */
  start(): Promise<void>
  stop(): void
}

export interface ResolverHealthOptions {
  readonly servers: readonly ResolverAddress[]
  readonly limits: Limits
  readonly clock?: Clock
}

/** Milliseconds for one proof: three tries of each question. A check that waits for it has 2.5 s for its own questions. */
const PROOF_MS = 1_500
const TRY_MS = 500
/** Milliseconds that a proof is as good as a new one, however many targets fail; less where a try is given less. */
const FRESH_MS = 2_000
/** Milliseconds between proofs in the background: of a healthy server, and of one that is down and may be back. */
const HEALTHY_EVERY_MS = 60_000
const DOWN_EVERY_MS = 5_000
/** Addresses remembered of one server: those that take turns are learnt from proof to proof. */
const REMEMBERED = 64

interface Known {
  standing: Standing
  invented: ReadonlySet<string>
  /** When the last proof ended, on the monotonic clock. */
  proved_at: number
  proof: Promise<void> | null
}

export function createResolverHealth(options: ResolverHealthOptions): ResolverHealth {
  const { servers, limits, clock = systemClock } = options
  const known = new Map(servers.map(server => [server, unproved()]))
  const over = new AbortController()
  // A question fails after one try at the least: a proof that is no older than that is younger than the question.
  const fresh_ms = Math.min(FRESH_MS, limits.dns_try_ms)
  let timer: NodeJS.Timeout | undefined

  async function proveNow(server: ResolverAddress, about: Known, tries: number): Promise<void> {
    const proof = await prove(server, limits, over.signal)
    if (over.signal.aborted) return
    about.proved_at = clock.monotonic()
    const honest = proof.fault === null && proof.invented.length === 0
    about.invented = honest ? NONE : new Set([...proof.invented, ...about.invented].slice(0, REMEMBERED))
    // Alone, one failed proof is a lost packet; beside a check that failed as well it is enough.
    if (proof.fault !== null && isHealthy(about.standing) && tries > 1) return proveNow(server, about, tries - 1)
    const state = proof.fault === null ? 'healthy' : 'down'
    about.standing = movedTo(about.standing, state, proof.fault, clock.now())
  }

  function proofOf(server: ResolverAddress, about: Known, tries: number): Promise<void> {
    about.proof ??= proveNow(server, about, tries).finally(() => {
      about.proof = null
    })
    return about.proof
  }

  const proveThose = async (due: (about: Known) => boolean, tries: number): Promise<void> => {
    const proofs = [...known].filter(([, about]) => about.proof !== null || due(about))
    await Promise.all(proofs.map(([server, about]) => proofOf(server, about, tries)))
  }
  const age = (about: Known) => clock.monotonic() - about.proved_at
  const inBackground = () =>
    proveThose(about => age(about) >= (isHealthy(about.standing) ? HEALTHY_EVERY_MS : DOWN_EVERY_MS), 2)

  return {
    servers() {
      const able = [...known].filter(([, { standing }]) => standing.state !== 'down').map(([server]) => server)
      return able.length > 0 ? able : servers
    },
    async inventedBy(server) {
      const about = known.get(server)
      if (about?.standing.state === 'unproved') await about.proof
      return about?.invented ?? NONE
    },
    suspect: () => proveThose(about => age(about) >= (about.standing.state === 'down' ? 0 : fresh_ms), 1),
    standing(since = Number.POSITIVE_INFINITY) {
      if (servers.length === 0) return NO_SERVERS
      const all = [...known.values()].map(({ standing }) => standing)
      return all.find(one => isFalse(one) && (one.since ?? 0) >= since) ?? together(all)
    },
    report: () => [...known.values()].map(({ standing, invented }) => ({ ...standing, rewrites: invented.size > 0 })),
    start() {
      timer ??= setInterval(inBackground, DOWN_EVERY_MS).unref()
      return inBackground()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
      over.abort()
    },
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Faults of a server whose answers are taken for true; after any other fault the next server is asked. */
const FALSE_ANSWERS: ReadonlySet<string | null> = new Set(['denies_what_exists', 'no_nxdomain', 'nxdomain_without_soa'])

const isFalse = ({ state, fault }: Standing): boolean => state === 'down' && FALSE_ANSWERS.has(fault)

const NO_SERVERS: Standing = { state: 'down', fault: 'not_configured', since: null }

const unproved = (): Known => ({
  standing: UNPROVED,
  invented: NONE,
  proved_at: Number.NEGATIVE_INFINITY,
  proof: null,
})

/** Large and signed; several, for a resolver may have trouble with one, and some rewrite the common ones only. `invalid` would be answered by the book (RFC 6761). */
const TOPS = ['com', 'net', 'org']

interface Proof {
  readonly fault: string | null
  readonly invented: readonly string[]
}

async function prove(server: ResolverAddress, limits: Limits, signal: AbortSignal): Promise<Proof> {
  const ending = createEnding()
  // Time in which this process itself did not run says nothing of the resolver.
  const callOff = loopAwareTimeout(PROOF_MS, () => ending.end())
  const stop = () => ending.end()
  signal.addEventListener('abort', stop, { once: true })
  const ask = (name: string, type: 'NS' | 'SOA' | 'A') => carry(server, createQuery(name, type, false), TRY_MS, ending)
  try {
    const absent = TOPS.map(top => `${randomBytes(12).toString('hex')}.${top}`)
    const [root, tops, none, invented] = await Promise.all([
      ask('', 'NS'),
      Promise.all(TOPS.map(top => ask(top, 'SOA'))),
      Promise.all(absent.map(name => ask(name, 'A'))),
      madeUp(server, limits, absent, signal),
    ])
    const denial = invented.length > 0 ? null : failureOf(none, deniedProperly)
    return { invented, fault: failureOf([root], holds(TYPE.NS)) ?? failureOf(tops, holds(TYPE.SOA)) ?? denial }
  } finally {
    callOff()
    signal.removeEventListener('abort', stop)
    ending.end()
  }
}

/** Addresses it has for names that do not exist, aliases followed. */
async function madeUp(
  server: ResolverAddress,
  limits: Limits,
  absent: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const quick = { ...limits, dns_try_ms: TRY_MS, dns_phase_ms: PROOF_MS }
  const resolver = createResolver({ servers: [server], limits: quick, signal })
  const questions = absent.flatMap(name => (['A', 'AAAA'] as const).map(type => resolver.query(name, type, { signal })))
  return (await Promise.all(questions)).flatMap(answer => (answer.status === 'found' ? answer.records : []))
}

/** Null when one of the replies is as it should be; else what is wrong with the most telling of them. */
function failureOf(carried: readonly Carried[], proves: (reply: Reply) => string | null): string | null {
  const faults = carried.map(one => (one.ok ? (errorOf(one.value) ?? proves(one.value)) : one.failure))
  if (faults.includes(null)) return null
  return faults.find(fault => fault !== 'timeout' && fault !== 'unreachable') ?? faults[0] ?? 'timeout'
}

function errorOf({ rcode }: Reply): string | null {
  if (rcode === RCODE.NOERROR || rcode === RCODE.NXDOMAIN) return null
  return rcode === RCODE.SERVFAIL ? 'servfail' : 'refused'
}

const isOf = (type: number) => (frame: Frame) => frame.type === type

const holds =
  (type: number) =>
  (reply: Reply): string | null => {
    if (reply.rcode === RCODE.NXDOMAIN || !reply.answers.some(isOf(type))) return 'denies_what_exists'
    return isReferral(reply) ? 'refused' : null
  }

function deniedProperly(reply: Reply): string | null {
  if (reply.rcode !== RCODE.NXDOMAIN) return 'no_nxdomain'
  return reply.authorities.some(isOf(TYPE.SOA)) ? null : 'nxdomain_without_soa'
}
