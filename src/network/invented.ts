// Resolvers that invent: where the truth is NXDOMAIN, some answer with addresses of their own, such as an ad server's
// (SSAC, SAC 032). Names that nobody can have registered are asked for; the addresses that come back are such a
// server's inventions, and an answer of nothing else is read as the NXDOMAIN it was made from, as dnsmasq does with
// those of its option `bogus-nxdomain`.
import { randomBytes } from 'node:crypto'
import { createResolver } from './create_resolver.ts'
import type { Limits } from './limits.ts'
import type { ResolverAddress } from './resolver_address.ts'
import { createRounds } from './rounds.ts'

/** `unproven`: has not answered yet. */
export type ServerState = 'unproven' | 'honest' | 'inventing'

export interface Inventions {
  /** Addresses that this server is known to invent; waits for its first proof while that is under way. Never rejects. */
  of(server: ResolverAddress): Promise<ReadonlySet<string>>
  /** Proves all servers, then again every hour. Resolves after the first round, in two seconds at most; never rejects. */
  start(): Promise<void>
  stop(): void
  /** Proves the servers that are due. */
  prove(): Promise<void>
  /** How each server stands, in the order they are configured. */
  report(): readonly ServerState[]
}

export interface InventionsOptions {
  readonly servers: readonly ResolverAddress[]
  readonly limits: Limits
  /** A clock that is never set: milliseconds. */
  readonly now?: () => number
}

/** Milliseconds between proofs of a server. */
const PROOF_MS = 3_600_000
/** Milliseconds until a silent server is asked again. */
const SILENCE_MS = 60_000
/** Most addresses remembered of one server: those that take turns are learnt from proof to proof. */
const REMEMBERED = 64

interface Known {
  state: ServerState
  invented: ReadonlySet<string>
  due: number
  proof: Promise<void>
}

export function createInventions({ servers, limits, now = () => performance.now() }: InventionsOptions): Inventions {
  const known = new Map<ResolverAddress, Known>(servers.map(server => [server, unproven()]))

  async function proveOne(server: ResolverAddress, about: Known, signal: AbortSignal): Promise<void> {
    const addresses = await askForNothing(server, limits, signal)
    // Silence tells nothing of what the server would say: what was known of it stays.
    about.due = now() + (addresses === null ? SILENCE_MS : PROOF_MS)
    if (addresses === null) return
    about.state = addresses.length > 0 ? 'inventing' : 'honest'
    about.invented = new Set(addresses.length > 0 ? [...addresses, ...about.invented].slice(0, REMEMBERED) : [])
  }

  const rounds = createRounds(signal =>
    [...known]
      .filter(([, { due }]) => due <= now())
      .map(([server, about]) => {
        about.proof = proveOne(server, about, signal)
        return about.proof
      }),
  )

  return {
    ...rounds,
    async of(server) {
      const about = known.get(server)
      if (about?.state === 'unproven') await about.proof
      return about?.invented ?? NONE
    },
    report: () => [...known.values()].map(({ state }) => state),
  }
}

const NONE: ReadonlySet<string> = new Set()

const unproven = (): Known => ({
  state: 'unproven',
  invented: NONE,
  due: Number.NEGATIVE_INFINITY,
  proof: Promise.resolve(),
})

/** Below several top-level domains, for some inventors know only the common ones; `invalid` would be answered by the book (RFC 6761). */
const TOPS = ['com', 'net', 'org']

/** The addresses of names that are not there; null when the server is silent about all of them. */
async function askForNothing(
  server: ResolverAddress,
  limits: Limits,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const resolver = createResolver({ servers: [server], limits, signal })
  const questions = TOPS.flatMap(top => {
    const name = `${randomBytes(12).toString('hex')}.${top}`
    return (['A', 'AAAA'] as const).map(type => resolver.query(name, type, { signal }))
  })
  const answers = await Promise.all(questions)
  if (answers.every(({ status }) => status === 'unknown')) return null
  return answers.flatMap(answer => (answer.status === 'found' ? answer.records : []))
}
