// How operators write a resolver: an address with an optional port.
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
