// Whether connections leave this machine and are answered, for each address family. Anything that a public peer sent over
// a connection of ours proves it: a TCP handshake alone does not, because proxies accept for peers they cannot reach. When
// nothing has been heard lately, control hosts are tried: services that this installation uses anyway.
import type { Socket } from 'node:net'
import { type Clock, systemClock } from '../clock.ts'
import { isHealthy, movedTo, type Standing, UNPROVED } from '../health/standing.ts'
import { withTimeout } from '../timeout.ts'
import { timeLimit } from './abort.ts'
import type { Control } from './endpoints.ts'
import { hostAddresses } from './host_addresses.ts'
import type { CheckNetwork, Network } from './network.ts'
import { connectSecurely } from './tls.ts'

export type Family = 4 | 6

export const familyOf = (address: string): Family => (address.includes(':') ? 6 : 4)

export interface WayOut {
  /** Learns from a connection to a public address. */
  watch(socket: Socket, family: Family): void
  standing(family: Family): Standing
  /** Tries the controls unless something was heard just now by one of the families. Resolves when they are done; never rejects. */
  suspect(families?: readonly Family[]): Promise<void>
  /** Tries the controls, and goes on in the background. Resolves after the first round; never rejects. */
  start(): Promise<void>
  stop(): void
}

export interface WayOutOptions {
  readonly controls: readonly Control[]
  readonly network: Pick<Network, 'open'>
  readonly clock?: Clock
}

/** Milliseconds that what was heard proves the way out: a control that fails since then ends it earlier. */
const PROVED_MS = 300_000
/**
 * Milliseconds that what was heard is as good as a control tried now: the time a connection has (`connect_ms`), so that what
 * was heard is younger than the attempt that failed.
 */
const FRESH_MS = 2_000
/** Milliseconds for one round of controls, names and handshakes included. */
const ROUND_MS = 2_500
/** Milliseconds between looks in the background whether a round is due: a way out that is down may be back. */
const EVERY_MS = 10_000
/** Control hosts tried in one round: one that is down proves nothing; three are not down at once. */
const TRIED = 3
/** Milliseconds that the first control has before the others are tried too. */
const HEAD_START_MS = 700

const BOTH: readonly Family[] = [4, 6]

interface Known {
  standing: Standing
  heard_at: number
  /** Open connections, which may have heard something meanwhile. */
  readonly sockets: Set<Socket>
  /** What our own stack or the path said last. */
  fault: string
}

const NEVER = Number.NEGATIVE_INFINITY

/** Words for what the system says when a connection does not come about. */
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

export function createWayOut({ controls, network, clock = systemClock }: WayOutOptions): WayOut {
  const known: Readonly<Record<Family, Known>> = { 4: unproved(), 6: unproved() }
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | null = null
  let tried_at = NEVER
  let first = 0

  const hear = (about: Known) => {
    about.heard_at = clock.monotonic()
    about.standing = movedTo(about.standing, 'healthy', null, clock.now())
  }

  /** Takes in what open connections have heard, and forgets what is long past. */
  function look(family: Family): Known {
    const about = known[family]
    for (const socket of about.sockets) {
      if (socket.bytesRead === 0) continue
      about.sockets.delete(socket)
      hear(about)
    }
    const isOld = clock.monotonic() - about.heard_at > PROVED_MS
    if (isOld && isHealthy(about.standing)) about.standing = { ...UNPROVED, fault: 'nothing_heard' }
    return about
  }

  const unheardOf = (families: Iterable<Family>, since: number) =>
    [...families].filter(family => look(family).heard_at < since)

  /** One control, and others where that one stays silent: one that is gone must not end the proof. */
  async function tryControls(): Promise<void> {
    const began = clock.monotonic()
    const limit = timeLimit(ROUND_MS, over.signal)
    const { signal } = limit
    const scope = { signal, deadline: performance.now() + ROUND_MS }
    const order = controls.map((_, at) => controls[(first + at) % controls.length] as Control).slice(0, TRIED)
    const tried = new Set<Family>()
    const shake = (control: Control, families: readonly Family[]) =>
      shakeHands(network.open(scope), control, { families, tried, signal })
    const [one, ...others] = order
    if (one !== undefined) {
      const shaken = shake(one, BOTH)
      await withTimeout(shaken, HEAD_START_MS)
      const unheard = unheardOf(tried.size > 0 ? tried : BOTH, began)
      if (unheard.length > 0) await Promise.all([shaken, ...others.map(other => shake(other, unheard))])
    }
    const unheard = unheardOf(tried, began)
    limit.end()
    tried_at = clock.monotonic()
    if (over.signal.aborted) return
    if (unheard.length > 0) first = (first + 1) % controls.length
    for (const family of unheard) {
      const about = known[family]
      about.standing = movedTo(about.standing, 'down', about.fault, clock.now())
    }
  }

  const isFresh = (at: number) => clock.monotonic() - at < FRESH_MS

  async function suspect(families: readonly Family[] = BOTH): Promise<void> {
    if (controls.length === 0 || over.signal.aborted) return
    if (round === null && (isFresh(tried_at) || families.some(family => isFresh(look(family).heard_at)))) return
    round ??= tryControls().finally(() => {
      round = null
    })
    return round
  }

  /** What was heard a while ago needs no control. */
  const inBackground = async () => {
    if (!BOTH.some(family => isHealthy(look(family).standing))) await suspect()
  }

  return {
    watch(socket, family) {
      const about = known[family]
      about.sockets.add(socket)
      socket.once('error', (error: NodeJS.ErrnoException) => {
        about.fault = faults[error.code ?? ''] ?? 'timeout'
      })
      socket.once('close', () => {
        if (about.sockets.delete(socket) && socket.bytesRead > 0) hear(about)
      })
    },
    standing: family => look(family).standing,
    suspect,
    start() {
      timer ??= setInterval(inBackground, EVERY_MS).unref()
      return inBackground()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
      over.abort('over')
    },
  }
}

const unproved = (): Known => ({ standing: UNPROVED, heard_at: NEVER, sockets: new Set(), fault: 'timeout' })

interface Shake {
  readonly families: readonly Family[]
  /** Gains the families that the control has an address of. */
  readonly tried: Set<Family>
  readonly signal: AbortSignal
}

/** Resolves when the control was heard, or not, by each of the families. What was heard is told by the sockets. */
async function shakeHands(
  network: CheckNetwork,
  { host, port }: Control,
  { families, tried, signal }: Shake,
): Promise<void> {
  const found = await hostAddresses(network, host, signal)
  if (!found.ok) return
  await Promise.all(
    families.map(async family => {
      const addresses = found.addresses.filter(address => familyOf(address) === family)
      if (addresses.length === 0) return
      tried.add(family)
      const secured = await connectSecurely(network, { addresses, port, host, signal })
      if (secured.status === 'secure') secured.socket.destroy()
    }),
  )
}
