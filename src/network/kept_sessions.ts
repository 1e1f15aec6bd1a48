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

/** Milliseconds after which a connection is not used again, so that names are resolved and addresses vetted again. */
const LIFE_MS = 5 * 60_000
/** Unused connections to one origin: as many as one registry gets queries at once. */
const IDLE_PER_ORIGIN = 4
/** Unused connections to all origins; more than the registries of a busy minute. */
const IDLE_TOTAL = 64
/** Number of origins with a remembered TLS session: one ticket each, some 2 KiB. */
const RESUMPTIONS = 256

export type BorrowOptions = Omit<SessionOptions, 'known'>

interface KeptSession {
  /** See `placeOf`. */
  readonly place: string
  readonly session: HttpSession
  /** On the monotonic clock, in milliseconds. */
  readonly opened_at: number
  /** Closes the connection. */
  readonly end: () => void
}

/** The key of a kept connection: a request for a verified certificate never gets an unverified connection. */
const placeOf = ({ origin }: URL, { verify_certificate = false }: BorrowOptions): string =>
  verify_certificate ? origin : `${origin} unverified`

/** `open` opens a network that belongs to no check. */
export class KeptSessions {
  readonly #open: Network['open']
  readonly #clock: Clock
  /** Unused connections, oldest first, with the timers that close them. */
  readonly #idle = new Map<KeptSession, NodeJS.Timeout>()
  readonly #tickets = new Map<string, Buffer>()

  constructor(open: Network['open'], clock: Clock) {
    this.#open = open
    this.#clock = clock
  }

  #drop(connection: KeptSession): void {
    clearTimeout(this.#idle.get(connection))
    this.#idle.delete(connection)
    connection.end()
  }

  #idleAt(place: string): KeptSession[] {
    return [...this.#idle.keys()].filter(connection => connection.place === place)
  }

  #isUsable({ session, opened_at }: KeptSession): boolean {
    return session.reusable() && session.isIntact() && this.#clock.monotonic() - opened_at < LIFE_MS
  }

  /** The connection used last, because it is the least likely to have been closed. */
  #take(place: string): KeptSession | null {
    for (const candidate of this.#idleAt(place).reverse()) {
      if (!this.#isUsable(candidate)) {
        this.#drop(candidate)
        continue
      }
      clearTimeout(this.#idle.get(candidate))
      this.#idle.delete(candidate)
      return candidate
    }
    return null
  }

  #giveBack(connection: KeptSession): void {
    if (!this.#isUsable(connection)) {
      connection.end()
      return
    }
    const timer = setTimeout(() => this.#drop(connection), IDLE_MS)
    timer.unref()
    this.#idle.set(connection, timer)
    const here = this.#idleAt(connection.place)
    const [excess] = here.length > IDLE_PER_ORIGIN ? here : this.#idle.size > IDLE_TOTAL ? this.#idle.keys() : []
    if (excess) this.#drop(excess)
  }

  /** The network of one connection ends with it. */
  async #connect(
    url: URL,
    options: BorrowOptions & Pick<SecureRequest, 'alpn'>,
  ): Promise<KeptSession | Extract<OpenedSession, { ok: false }>> {
    const life = new AbortController()
    const end = () => life.abort(OVER)
    const network = this.#open({ signal: life.signal, deadline: Number.POSITIVE_INFINITY })
    const resolution = await hostAddresses(network, url.hostname, options.signal)
    const resume = this.#resumption(url.origin)
    const outcome = resolution.ok
      ? await connectTo(network, url, { ...options, addresses: resolution.addresses, resume })
      : resolution
    if (outcome.ok && options.verify_certificate) resume.verified()
    if (outcome.ok)
      return { place: placeOf(url, options), session: outcome.session, opened_at: this.#clock.monotonic(), end }
    end()
    return outcome
  }

  /** Tickets may arrive before the certificate has been verified; they are kept once it has. */
  #resumption(origin: string): TlsResumption & { verified(): void } {
    let verified = false
    let latest: Buffer | null = null
    const keep = () => {
      if (!verified || latest === null) return
      this.#tickets.delete(origin)
      this.#tickets.set(origin, latest)
      const [oldest] = this.#tickets.keys()
      if (oldest !== undefined && this.#tickets.size > RESUMPTIONS) this.#tickets.delete(oldest)
    }
    return {
      session: () => this.#tickets.get(origin),
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

  /** Sessions for one fetch. Its `close` gives them back. */
  borrow(options: BorrowOptions): Sessions {
    const lentSessions = new Map<string, KeptSession>()
    return {
      open: async url => {
        const mine = lentSessions.get(url.origin)
        const isRefused = mine?.session.prefersHttp1() ?? false
        if (mine?.session.reusable() && !isRefused) return { ok: true, session: mine.session, reused: true }
        const place = placeOf(url, options)
        // A broken connection means that the server has probably closed its other connections too.
        if (mine) for (const stale of this.#idleAt(place)) this.#drop(stale)
        mine?.end()
        const idleSession = mine ? null : this.#take(place)
        const outcome =
          idleSession ?? (await this.#connect(url, { ...options, alpn: isRefused ? [HTTP1] : HTTP_PROTOCOLS }))
        if ('ok' in outcome) return outcome
        lentSessions.set(url.origin, outcome)
        return { ok: true, session: outcome.session, reused: idleSession !== null }
      },
      adopt: () => {},
      close: () => {
        for (const session of lentSessions.values()) this.#giveBack(session)
        lentSessions.clear()
      },
    }
  }

  /** Closes all unused connections. */
  close(): void {
    for (const session of [...this.#idle.keys()]) this.#drop(session)
  }
}
