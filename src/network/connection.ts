// A connected socket: how much its peer may send, and what an error on it means.
import type { Socket } from 'node:net'

export type OctetCap = ReturnType<typeof capOctets>

/** Milliseconds between looks: short enough that a peer at line rate costs little, long enough to cost nothing. */
const INTERVAL_MS = 50

/** Octets that a peer may send besides heads and bodies: certificates, session tickets, framing. */
const OVERHEAD = 256 * 1024

/** Calls `onExcess` once, soon after more octets than expected have arrived on the TCP socket. */
export function capOctets(socket: Socket, onExcess: () => void) {
  let cap = OVERHEAD
  const timer = setInterval(() => {
    if (socket.bytesRead <= cap) return
    clearInterval(timer)
    onExcess()
  }, INTERVAL_MS)
  timer.unref()
  socket.once('close', () => clearInterval(timer))
  return {
    /** Expects this many more octets. */
    raise: (more: number) => {
      cap += more
    },
  }
}

/** Alert descriptions (RFC 8446 section 6, RFC 5246 section 7.2, RFC 7301 section 3.2) by number. */
const alerts: Readonly<Record<string, string>> = {
  10: 'unexpected_message',
  20: 'bad_record_mac',
  22: 'record_overflow',
  30: 'decompression_failure',
  40: 'handshake_failure',
  41: 'no_certificate',
  42: 'bad_certificate',
  43: 'unsupported_certificate',
  44: 'certificate_revoked',
  45: 'certificate_expired',
  46: 'certificate_unknown',
  47: 'illegal_parameter',
  48: 'unknown_ca',
  49: 'access_denied',
  50: 'decode_error',
  51: 'decrypt_error',
  70: 'protocol_version',
  71: 'insufficient_security',
  80: 'internal_error',
  86: 'inappropriate_fallback',
  90: 'user_canceled',
  100: 'no_renegotiation',
  109: 'missing_extension',
  110: 'unsupported_extension',
  112: 'unrecognized_name',
  113: 'bad_certificate_status_response',
  115: 'unknown_psk_identity',
  116: 'certificate_required',
  120: 'no_application_protocol',
}

/** The name of an alert description, or its number. */
export const alertName = (number: number | string): string => alerts[number] ?? `${number}`

/** OpenSSL errors with a plainer name; every other one is `protocol_error`. */
const opensslErrors: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'not_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'not_tls',
  ERR_SSL_HTTP_REQUEST: 'not_tls',
  // OpenSSL reads 100 KiB of certificates; browsers read more.
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE: 'certificate_too_large',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'unsupported_protocol',
  ERR_SSL_DH_KEY_TOO_SMALL: 'weak_key',
  ERR_SSL_EE_KEY_TOO_SMALL: 'weak_key',
  ERR_SSL_CA_KEY_TOO_SMALL: 'weak_key',
  ERR_SSL_CA_MD_TOO_WEAK: 'weak_signature',
  ERR_SSL_WRONG_SIGNATURE_TYPE: 'weak_signature',
  ERR_SSL_LEGACY_SIGALG_DISALLOWED_OR_UNSUPPORTED: 'weak_signature',
  ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED: 'unsafe_renegotiation',
}

/** Failures of a server that might accept an older protocol, cipher or key than a modern offer has. */
const LEGACY_CIPHERS: ReadonlySet<string> = new Set([
  'alert:handshake_failure',
  'alert:protocol_version',
  'alert:insufficient_security',
  'alert:illegal_parameter',
  'unsupported_protocol',
  'weak_key',
  'weak_signature',
  'unsafe_renegotiation',
])

export const seemsLegacy = (failure: string): boolean => LEGACY_CIPHERS.has(failure)

/** Only assay's own time limits cancel, so a cancelled connection is not the peer's failure. */
export const timeoutIfCancelled = (failure: string): string => (failure === 'cancelled' ? 'timeout' : failure)

/** What the peer or the path did, by system error. Without a code, the peer has gone. */
const systemErrors: Readonly<Record<string, string>> = {
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
}

/**
 * A slug for the error of a connected socket, with or without TLS: `reset`, `closed`, `alert:<name>`, `not_tls`, ...
 */
export function connectionFailure(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error
  const [, number] = /SSL alert number (\d{1,3})/.exec(message) ?? []
  if (number !== undefined) return `alert:${alertName(number)}`
  // Node reports an orderly end in the middle of a handshake with the code of a reset.
  if (message.startsWith('Client network socket disconnected')) return 'closed'
  return opensslErrors[code] ?? systemErrors[code] ?? (code.startsWith('ERR_SSL_') ? 'protocol_error' : 'closed')
}
