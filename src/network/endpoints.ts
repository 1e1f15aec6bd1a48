// Hosts and ports in the configuration: DNS servers, and control hosts that prove the way out.

import { getServers } from 'node:dns'
import ipaddr from 'ipaddr.js'

export interface ResolverAddress {
  readonly host: string
  readonly port: number
}

const DNS_PORT = 53

/** Parses `9.9.9.9`, `127.0.0.1:5353`, `2620:fe::fe` or `[::1]:5353`; null when it is none of them. */
export function parseResolver(text: string): ResolverAddress | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::(\d{1,5}))?$/i.exec(text)
  const host = match?.[1] ?? match?.[2] ?? text
  const port = Number(match?.[3] ?? DNS_PORT)
  const valid = ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host)
  return valid && port >= 1 && port <= 65535 ? { host, port } : null
}

/** The servers named, or the system's when none is. Throws a `TypeError` when one of those named is not an address. */
export function dnsServers(named: readonly string[]): readonly ResolverAddress[] {
  if (named.length === 0) return getServers().flatMap(text => parseResolver(text) ?? [])
  return named.map(text => {
    const server = parseResolver(text)
    if (!server) throw new TypeError(`not a DNS server: ${text}`)
    return server
  })
}

export interface Control {
  readonly host: string
  readonly port: number
}

export const HTTPS_PORT = 443

/** `host`, `host:8443`, `[2001:db8::1]:443`; null when it is none of them. */
export function parseControl(text: string): Control | null {
  if (!URL.canParse(`https://${text}`)) return null
  const { hostname, port, pathname, username } = new URL(`https://${text}`)
  if (pathname !== '/' || username !== '') return null
  return { host: hostname, port: port === '' ? HTTPS_PORT : Number(port) }
}
