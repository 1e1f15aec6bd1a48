// Connects to a site: by HTTPS, or by HTTP if no TLS connection succeeds. A URL is reached by its own scheme only.

import { withTimeout } from '../../base/timeout.ts'
import type { Limits } from '../../network/limits.ts'
import type { ConnectFailure, ConnectResult } from '../../network/network.ts'
import { openHttpSession, type Sessions, speaksHttp } from '../../network/sessions.ts'
import type { SecureResult } from '../../network/tls.ts'
import { connectError, isSilent } from '../addresses/dialable.ts'

export interface SiteAccess {
  /** As written in a URL. */
  readonly host: string
  /** Connect to ports 443 and 80, or to that of the URL, on their first call. */
  secure(): Promise<SecureResult>
  plain(): Promise<ConnectResult>
  /** Takes over the chosen connection. */
  readonly sessions: Sessions
  readonly limits: Limits
}

export type ReachResult = { readonly url: URL } | { readonly failure: string }

/** Head start of port 443 before port 80 is tried too, in case a firewall drops packets to port 443. */
const HEAD_START_MS = 1_000

/** `failure` is the target's own answer (`refused`, `alpn`, ...). Rejects with `Unavailable` when the target does not answer. */
export async function reachSite(access: SiteAccess): Promise<ReachResult> {
  const { host, secure, plain, sessions, limits } = access
  const early = await withTimeout(secure(), HEAD_START_MS)
  const spare = early && speaksTls(early) ? null : plain()
  const secureResult = await secure()
  if (speaksTls(secureResult)) {
    spare?.then(connection => connection.ok && connection.socket.destroy())
    return secureResult.status === 'secure'
      ? adoptSecure(secureResult, access, new URL(`https://${host}/`))
      : { failure: 'client_certificate_required' }
  }
  const connection = await plain()
  if (connection.ok) {
    sessions.adopt(`http://${host}`, openHttpSession(connection, limits))
    return { url: new URL(`http://${host}/`) }
  }
  const { failure } = connection
  const hasAnswered =
    secureResult.status === 'failed' || secureResult.failure === 'refused' || secureResult.failure === 'reset'
  if (failure === 'refused' || failure === 'reset' || (isSilent(failure) && hasAnswered)) return { failure }
  throw connectError(failure)
}

/** Rejects like `reachSite`. */
export async function reachUrl(access: SiteAccess, url: URL): Promise<ReachResult> {
  const connectResult = url.protocol === 'https:' ? await access.secure() : await access.plain()
  if ('ok' in connectResult) {
    if (!connectResult.ok) return unreachable(connectResult.failure)
    access.sessions.adopt(url.origin, openHttpSession(connectResult, access.limits))
    return { url }
  }
  if (connectResult.status === 'secure') return adoptSecure(connectResult, access, url)
  if (connectResult.status === 'certificate_required') return { failure: 'client_certificate_required' }
  if (connectResult.status === 'unconnected') return unreachable(connectResult.failure)
  const { failure } = connectResult
  return failure === 'timeout' || failure === 'cancelled' ? unreachable(failure) : { failure: 'tls' }
}

function unreachable(failure: ConnectFailure): ReachResult {
  if (failure === 'refused' || failure === 'reset') return { failure }
  throw connectError(failure)
}

type SpokeTls = Extract<SecureResult, { status: 'secure' | 'certificate_required' }>

const speaksTls = (secureResult: SecureResult): secureResult is SpokeTls =>
  secureResult.status === 'secure' || secureResult.status === 'certificate_required'

function adoptSecure(
  secureResult: SecureResult & { status: 'secure' },
  { sessions, limits }: SiteAccess,
  url: URL,
): ReachResult {
  if (!speaksHttp(secureResult.socket)) return { failure: 'alpn' }
  sessions.adopt(url.origin, openHttpSession(secureResult, limits))
  return { url }
}
