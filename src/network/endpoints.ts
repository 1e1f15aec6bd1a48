// Hosts and ports in the configuration: DNS servers, and control hosts that prove the way out.
import { getServers } from 'node:dns'
import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'

export interface ResolverAddress {
  readonly host: string
  readonly port: number
}

const DNS_PORT = 53

/** Parses `9.9.9.9`, `127.0.0.1:5353`, `2620:fe::fe`, `[::1]:5353` or `fe80::1%eth0`; null for anything else. */
export function parseResolver(text: string): ResolverAddress | null {
  const match = /^(?:\[([0-9a-f:.]+(?:%[\w.-]+)?)\]|(\d+\.\d+\.\d+\.\d+))(?::(\d{1,5}))?$/i.exec(text)
  const host = match?.[1] ?? match?.[2] ?? text
  const port = Number(match?.[3] ?? DNS_PORT)
  const [bare = '', zone, ...rest] = host.split('%')
  // A zone says which link a link-local address is on (RFC 4007 section 11)
  const isZoned = rest.length === 0 && zone !== undefined && /^fe[89ab]/i.test(bare) && /^[\w.-]+$/.test(zone)
  const valid =
    ipaddr.IPv4.isValidFourPartDecimal(host) || ((zone === undefined || isZoned) && ipaddr.IPv6.isValid(bare))
  return valid && port >= 1 && port <= 65535 ? { host, port } : null
}

/**
 * The configured servers, or the system's when none are configured. Throws a `TypeError` when one is not an address.
 */
export function dnsServers(servers: readonly string[]): readonly ResolverAddress[] {
  if (servers.length === 0) return withZones(getServers(), resolvConf()).flatMap(text => parseResolver(text) ?? [])
  return servers.map(text => {
    const server = parseResolver(text)
    if (!server) throw new TypeError(`Invalid DNS server: ${text}`)
    return server
  })
}

const RESOLV_CONF = '/etc/resolv.conf'

/** The text of the system's list of DNS servers; empty on systems that keep it elsewhere. */
function resolvConf(): string {
  try {
    return readFileSync(RESOLV_CONF, 'utf8')
  } catch {
    return ''
  }
}

const NAME_SERVER = /^[ \t]*nameserver[ \t]+([0-9a-f:]+)%([\w.-]+)/gim

/** Node reports `nameserver fe80::1%eth0` without its zone, and nothing reaches a link-local address without one. */
export function withZones(servers: readonly string[], conf: string): readonly string[] {
  const zones = new Map(
    [...conf.matchAll(NAME_SERVER)].map(([, address = '', zone = '']) => [canonical(address), zone]),
  )
  return servers.map(server => {
    const zone = zones.get(canonical(server))
    return zone === undefined ? server : `${server}%${zone}`
  })
}

const canonical = (address: string): string =>
  ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address).toString() : address

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
