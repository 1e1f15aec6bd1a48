// By which port a site is reached: TLS first, and in the clear when that does not come about.
import { openHttpSession } from '../network/http_session.ts'
import type { Limits } from '../network/limits.ts'
import type { ConnectResult } from '../network/network.ts'
import type { SecureResult } from '../network/secure.ts'
import type { Sessions } from '../network/sessions.ts'
import { within } from '../network/within.ts'
import { isSilent, unconnected } from './unconnected.ts'

export interface Ways {
  /** As in a URL. */
  readonly host: string
  /** Ports 443 and 80; each connects when first called. */
  secure(): Promise<SecureResult>
  plain(): Promise<ConnectResult>
  /** Given the connection that is kept. */
  readonly sessions: Sessions
  readonly limits: Limits
}

export type Arrival = { readonly url: URL } | { readonly failure: string }

/** Milliseconds that port 443 has before port 80 is connected to as well, against black holes. */
const headStart_ms = 1_000

/** `failure` is the target's own word (`refused`, `alpn`, ...). Rejects with `Unavailable` when it said nothing at all. */
export async function arrive(ways: Ways): Promise<Arrival> {
  const { host, secure, plain, sessions, limits } = ways
  const early = await within(headStart_ms, secure())
  const spare = early && speaksTls(early) ? null : plain()
  const secured = await secure()
  if (speaksTls(secured)) {
    spare?.then(connection => connection.ok && connection.socket.destroy())
    return secured.status === 'secure' ? arriveSecurely(secured, ways) : { failure: 'client_certificate_required' }
  }
  const connection = await plain()
  if (connection.ok) {
    sessions.adopt(`http://${host}`, openHttpSession(connection, limits))
    return { url: new URL(`http://${host}/`) }
  }
  const { failure } = connection
  const spoke = secured.status === 'failed' || secured.failure === 'refused' || secured.failure === 'reset'
  if (failure === 'refused' || failure === 'reset' || (isSilent(failure) && spoke)) return { failure }
  throw unconnected(failure)
}

type SpokeTls = Extract<SecureResult, { status: 'secure' | 'demanding' }>

const speaksTls = (secured: SecureResult): secured is SpokeTls =>
  secured.status === 'secure' || secured.status === 'demanding'

/** A protocol that was not offered cannot be spoken (RFC 7301 section 3.2). */
function arriveSecurely(secured: SecureResult & { status: 'secure' }, { host, sessions, limits }: Ways): Arrival {
  const { alpnProtocol } = secured.socket
  if (alpnProtocol && alpnProtocol !== 'http/1.1') return { failure: 'alpn' }
  sessions.adopt(`https://${host}`, openHttpSession(secured, limits))
  return { url: new URL(`https://${host}/`) }
}
