// Connections to services that every check asks, such as registries: opened for the whole process, lent to one fetch at
// a time, and kept for the next. The target's site never uses them. undici's Pool fits no limits of ours: it dials by
// itself and does not count octets.

import { OVER } from '../base/abort.ts'
import type { Clock } from '../base/clock.ts'
import { hostAddresses } from './host_addresses.ts'
import { type HttpSession, IDLE_MS } from './http.ts'
import type { Network } from './network.ts'
import { connectTo, type OpenedSession, type SessionOptions, type Sessions } from './sessions.ts'
import { HTTP_PROTOCOLS, HTTP1, type SecureRequest, type TlsResumption } from './tls.ts'

/** Milliseconds after which a connection is not used again, so that names are resolved and addresses vetted anew. */
const LIFE_MS = 5 * 60_000
/** Unused connections to one origin: as many as one registry gets queries at once. */
const IDLE_PER_ORIGIN = 4
/** Unused connections to all origins; more than the registries of a busy minute. */
const IDLE_TOTAL = 64
/** Number of origins with a remembered TLS session: one ticket each, some 2 KiB. */
const RESUMPTIONS = 256

export type BorrowOptions = Omit<SessionOptions, 'known'>

export interface KeptSessions {
  /** Sessions for one fetch. Its `close` gives them back. */
  borrow(options: BorrowOptions): Sessions
  /** Closes all unused connections. */
  close(): void
}

interface Kept {
  /** See `placeOf`. */
  readonly place: string
  readonly session: HttpSession
  /** On the monotonic clock, in milliseconds. */
  readonly opened_at: number
  /** Closes the connection. */
  readonly end: () => void
}

/** Where a connection is kept: whoever wants a verified certificate gets none that nobody has verified. */
const placeOf = ({ origin }: URL, { verify_certificate = false }: BorrowOptions): string =>
  verify_certificate ? origin : `${origin} unverified`

/** `open` opens a network that belongs to no check. */
export function createKeptSessions(open: Network['open'], clock: Clock): KeptSessions {
  /** Unused connections, oldest first, with the timers that close them. */
  const idle = new Map<Kept, NodeJS.Timeout>()
  const tickets = new Map<string, Buffer>()

  function drop(kept: Kept): void {
    clearTimeout(idle.get(kept))
    idle.delete(kept)
    kept.end()
  }

  const idleAt = (place: string): Kept[] => [...idle.keys()].filter(kept => kept.place === place)

  const isUsable = ({ session, opened_at }: Kept): boolean =>
    session.reusable() && session.isIntact() && clock.monotonic() - opened_at < LIFE_MS

  /** The connection used last, because it is the least likely to have been closed. */
  function take(place: string): Kept | null {
    for (const candidate of idleAt(place).reverse()) {
      if (!isUsable(candidate)) {
        drop(candidate)
        continue
      }
      clearTimeout(idle.get(candidate))
      idle.delete(candidate)
      return candidate
    }
    return null
  }

  function giveBack(kept: Kept): void {
    if (!isUsable(kept)) {
      kept.end()
      return
    }
    const timer = setTimeout(() => drop(kept), IDLE_MS)
    timer.unref()
    idle.set(kept, timer)
    const here = idleAt(kept.place)
    const [excess] = here.length > IDLE_PER_ORIGIN ? here : idle.size > IDLE_TOTAL ? idle.keys() : []
    if (excess) drop(excess)
  }

  /** The network of one connection ends with it. */
  async function connect(
    url: URL,
    options: BorrowOptions & Pick<SecureRequest, 'alpn'>,
  ): Promise<Kept | Extract<OpenedSession, { ok: false }>> {
    const life = new AbortController()
    const end = () => life.abort(OVER)
    const network = open({ signal: life.signal, deadline: Number.POSITIVE_INFINITY })
    const resolved = await hostAddresses(network, url.hostname, options.signal)
    const resume = resumption(url.origin)
    const opened = resolved.ok
      ? await connectTo(network, url, { ...options, addresses: resolved.addresses, resume })
      : resolved
    if (opened.ok && options.verify_certificate) resume.verified()
    if (opened.ok) return { place: placeOf(url, options), session: opened.session, opened_at: clock.monotonic(), end }
    end()
    return opened
  }

  /** Tickets may arrive before the certificate has been verified; they are kept once it has. */
  function resumption(origin: string): TlsResumption & { verified(): void } {
    let verified = false
    let latest: Buffer | null = null
    const keep = () => {
      if (!verified || latest === null) return
      tickets.delete(origin)
      tickets.set(origin, latest)
      const [oldest] = tickets.keys()
      if (oldest !== undefined && tickets.size > RESUMPTIONS) tickets.delete(oldest)
    }
    return {
      session: () => tickets.get(origin),
      remember(session) {
        latest = session
        keep()
      },
      verified() {
        verified = true
        keep()
      },
    }
  }

  return {
    borrow(options) {
      const lent = new Map<string, Kept>()
      return {
        async open(url) {
          const mine = lent.get(url.origin)
          const isRefused = mine?.session.prefersHttp1() ?? false
          if (mine?.session.reusable() && !isRefused) return { ok: true, session: mine.session, reused: true }
          const place = placeOf(url, options)
          // A connection that broke off tells of a server that has closed its others too.
          if (mine) for (const stale of idleAt(place)) drop(stale)
          mine?.end()
          const idleSession = mine ? null : take(place)
          const opened = idleSession ?? (await connect(url, { ...options, alpn: isRefused ? [HTTP1] : HTTP_PROTOCOLS }))
          if ('ok' in opened) return opened
          lent.set(url.origin, opened)
          return { ok: true, session: opened.session, reused: idleSession !== null }
        },
        adopt: () => {},
        close() {
          for (const session of lent.values()) giveBack(session)
          lent.clear()
        },
      }
    },
    close() {
      for (const session of [...idle.keys()]) drop(session)
    },
  }
}
