// Whether browsers reject the certificate of the target's host: they honour no policy that comes over such a connection.
import type { Evidence } from '../../src/engine/plugin.ts'

type Tls = Evidence['tls']

/** The host whose certificate is expired, not yet valid, of another name or of no trusted root; otherwise null. */
export function rejectedHost(tls: Tls | null, now: Date): string | null {
  const [leaf] = tls?.chain ?? []
  const host = tls?.server_name ?? null
  if (tls?.status !== 'handshake' || leaf === undefined || host === null) return null
  const moment = now.getTime()
  const isDated = moment < Date.parse(leaf.not_before) || moment >= Date.parse(leaf.not_after) + 1_000
  const isNamed = leaf.dns_names.some(name => covers(name.toLowerCase(), host))
  return isDated || !isNamed || tls.anchored === false ? host : null
}

/** A wildcard stands for the whole first label (RFC 9525 section 6.3). */
const covers = (name: string, host: string): boolean =>
  name === host || (name.startsWith('*.') && host.slice(host.indexOf('.')) === name.slice(1))
