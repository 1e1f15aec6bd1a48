// Hosts and ports in the configuration: DNS servers, and control hosts that prove the way out.
import { getServers } from 'node:dns'
import ipaddr from 'ipaddr.js'

export interface ResolverAddress {
  readonly host: string
  readonly port: number
}

const DNS_PORT = 53

/** Parses `9.9.9.9`, `127.0.0.1:5353`, `2620:fe::fe` or `[::1]:5353`; null for anything else. */
export function parseResolver(text: string): ResolverAddress | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::(\d{1,5}))?$/i.exec(text)
  const host = match?.[1] ?? match?.[2] ?? text
  const port = Number(match?.[3] ?? DNS_PORT)
  const valid = ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host)
  return valid && port >= 1 && port <= 65535 ? { host, port } : null
}

/**
 * The configured servers, or the system's when none are configured. Throws a `TypeError` when one is not an address.
 */
export function dnsServers(configured: readonly string[]): readonly ResolverAddress[] {
  if (configured.length === 0) return getServers().flatMap(text => parseResolver(text) ?? [])
  return configured.map(text => {
    const server = parseResolver(text)
    if (!server) throw new TypeError(`Invalid DNS server: ${text}`)
    return server
  })
}

/** A well-known host and port: a TLS handshake with it proves the way out when no connection succeeded lately. */
export interface Control {
  readonly host: string
  readonly port: number
}

export const HTTPS_PORT = 443

/** Parses `host`, `host:8443` or `[2001:db8::1]:443`; null for anything else. */
export function parseControl(text: string): Control | null {
  if (!URL.canParse(`https://${text}`)) return null
  const { hostname, port, pathname, username } = new URL(`https://${text}`)
  if (pathname !== '/' || username !== '') return null
  return { host: hostname, port: port === '' ? HTTPS_PORT : Number(port) }
}
