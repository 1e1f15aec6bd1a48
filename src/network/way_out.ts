// Whether connections leave this machine and are answered, for each address family. Data from a public peer proves it.
// A TCP handshake alone does not, because proxies accept connections for peers they cannot reach. When no peer has sent
// data recently, control hosts are tried: services that this installation uses anyway.
import type { Socket } from 'node:net'
import { OVER, timeLimit } from '../base/abort.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { isHealthy, nextStanding, type Standing, UNPROVED_STANDING } from '../base/health/standing.ts'
import { withTimeout } from '../base/timeout.ts'
import type { Control } from './endpoints.ts'
import { hostAddresses } from './host_addresses.ts'
import type { CheckNetwork, Network } from './network.ts'
import { connectSecurely } from './tls.ts'

export type Family = 4 | 6

export const familyOf = (address: string): Family => (address.includes(':') ? 6 : 4)

export interface WayOutOptions {
  readonly controls: readonly Control[]
  readonly network: Pick<Network, 'open'>
  readonly clock?: Clock
}

/** Milliseconds for which received data proves the way out, unless a control fails in the meantime. */
const PROVED_MS = 300_000
/**
 * Milliseconds for which received data is as good as a new control: the time limit of a connection (`connect_ms`), so
 * that the data is younger than the attempt that failed.
 */
const FRESH_MS = 2_000
/** Milliseconds for one round of controls, names and handshakes included. */
const ROUND_MS = 2_500
/** Milliseconds between background checks whether a round is due: a way out that is down may recover. */
const EVERY_MS = 10_000
/** Control hosts tried in one round. One that is down proves nothing; three are hardly down at once. */
const CONTROLS_PER_ROUND = 3
/** Milliseconds before the other controls join the first. */
const HEAD_START_MS = 700

const BOTH: readonly Family[] = [4, 6]

interface FamilyState {
  standing: Standing
  received_at: number
  /** Open connections that have received nothing yet. */
  readonly sockets: Set<Socket>
  /** The last error of our network stack or of the path. */
  fault: string
}

const NEVER = Number.NEGATIVE_INFINITY

/** Slugs for the system errors of a failed connection. */
const faults: Readonly<Record<string, string>> = {
  ENETUNREACH: 'no_route',
  ENETDOWN: 'no_route',
  EADDRNOTAVAIL: 'no_address',
  EHOSTUNREACH: 'host_unreachable',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
}

export class WayOut {
  readonly #controls: readonly Control[]
  readonly #network: Pick<Network, 'open'>
  readonly #clock: Clock
  readonly #familyStates: Readonly<Record<Family, FamilyState>> = { 4: newFamilyState(), 6: newFamilyState() }
  readonly #stopped = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | null = null
  #triedAt = NEVER
  #first = 0

  constructor({ controls, network, clock = systemClock }: WayOutOptions) {
    this.#controls = controls
    this.#network = network
    this.#clock = clock
  }

  #recordReply(about: FamilyState) {
    about.received_at = this.#clock.monotonic()
    about.standing = nextStanding(about.standing, 'healthy', null, this.#clock.now())
  }

  /** Updates the family from its open connections, and expires old proof. */
  #refresh(family: Family): FamilyState {
    const about = this.#familyStates[family]
    for (const socket of about.sockets) {
      if (socket.bytesRead === 0) continue
      about.sockets.delete(socket)
      this.#recordReply(about)
    }
    const isOld = this.#clock.monotonic() - about.received_at > PROVED_MS
    if (isOld && isHealthy(about.standing)) about.standing = { ...UNPROVED_STANDING, fault: 'nothing_heard' }
    return about
  }

  #silentSince(families: Iterable<Family>, since: number) {
    return [...families].filter(family => this.#refresh(family).received_at < since)
  }

  /** Tries one control, then others if it does not reply: a single dead control must not end the proof. */
  async #tryControls(): Promise<void> {
    const began = this.#clock.monotonic()
    const limit = timeLimit(ROUND_MS, this.#stopped.signal)
    const { signal } = limit
    const scope = { signal, deadline: performance.now() + ROUND_MS }
    const order = this.#controls
      .map((_, at) => this.#controls[(this.#first + at) % this.#controls.length] as Control)
      .slice(0, CONTROLS_PER_ROUND)
    const triedFamilies = new Set<Family>()
    const startTry = (control: Control, families: readonly Family[]) =>
      tryControl(this.#network.open(scope), control, { families, triedFamilies, signal })
    const [one, ...others] = order
    if (one !== undefined) {
      const firstTry = startTry(one, BOTH)
      await withTimeout(firstTry, HEAD_START_MS)
      const silent = this.#silentSince(triedFamilies.size > 0 ? triedFamilies : BOTH, began)
      if (silent.length > 0) await Promise.all([firstTry, ...others.map(other => startTry(other, silent))])
    }
    const silent = this.#silentSince(triedFamilies, began)
    limit.end()
    this.#triedAt = this.#clock.monotonic()
    if (this.#stopped.signal.aborted) return
    if (silent.length > 0) this.#first = (this.#first + 1) % this.#controls.length
    for (const family of silent) {
      const about = this.#familyStates[family]
      about.standing = nextStanding(about.standing, 'down', about.fault, this.#clock.now())
    }
  }

  #isFresh(at: number) {
    return this.#clock.monotonic() - at < FRESH_MS
  }

  /**
   * Tries the controls, unless one of the families has just received data. Resolves when they are done; never rejects.
   */
  async suspect(families: readonly Family[] = BOTH): Promise<void> {
    if (this.#controls.length === 0 || this.#stopped.signal.aborted) return
    if (
      this.#round === null &&
      (this.#isFresh(this.#triedAt) || families.some(family => this.#isFresh(this.#refresh(family).received_at)))
    )
      return
    this.#round ??= this.#tryControls().finally(() => {
      this.#round = null
    })
    return this.#round
  }

  /** Needs no control while recent data proves a family. */
  async #tryInBackground() {
    if (!BOTH.some(family => isHealthy(this.#refresh(family).standing))) await this.suspect()
  }

  /** Observes a connection to a public address. */
  watch(socket: Socket, family: Family): void {
    const about = this.#familyStates[family]
    about.sockets.add(socket)
    socket.once('error', (error: NodeJS.ErrnoException) => {
      about.fault = faults[error.code ?? ''] ?? 'timeout'
    })
    socket.once('close', () => {
      if (about.sockets.delete(socket) && socket.bytesRead > 0) this.#recordReply(about)
    })
  }

  standing(family: Family): Standing {
    return this.#refresh(family).standing
  }

  /** Tries the controls, then keeps trying in the background. Resolves after the first round; never rejects. */
  start(): Promise<void> {
    this.#timer ??= setInterval(() => this.#tryInBackground(), EVERY_MS).unref()
    return this.#tryInBackground()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#stopped.abort(OVER)
  }
}

const newFamilyState = (): FamilyState => ({
  standing: UNPROVED_STANDING,
  received_at: NEVER,
  sockets: new Set(),
  fault: 'timeout',
})

interface ControlTry {
  readonly families: readonly Family[]
  /** Collects the families for which the control has an address. */
  readonly triedFamilies: Set<Family>
  readonly signal: AbortSignal
}

/** Resolves when the handshake with the control has ended for each family. The sockets record what was received. */
async function tryControl(
  network: CheckNetwork,
  { host, port }: Control,
  { families, triedFamilies, signal }: ControlTry,
): Promise<void> {
  const resolution = await hostAddresses(network, host, signal)
  if (!resolution.ok) return
  await Promise.all(
    families.map(async family => {
      const addresses = resolution.addresses.filter(address => familyOf(address) === family)
      if (addresses.length === 0) return
      triedFamilies.add(family)
      const secureResult = await connectSecurely(network, { addresses, port, host, signal })
      if (secureResult.status === 'secure') secureResult.socket.destroy()
    }),
  )
}
