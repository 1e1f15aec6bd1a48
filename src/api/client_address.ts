// Where a request comes from: the socket's other end, unless that is a proxy we were told to trust.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Proxies in a row that are believed. */
const hops_max = 10

type Range = ReturnType<typeof ipaddr.parseCIDR>

/**
 * `trusted` are addresses and CIDRs. X-Forwarded-For is read from its right end, since each proxy appends whom it
 * served: the first that is not trusted is the client. What is no address there ends the reading.
 */
export function createClientAddress(trusted: readonly string[]): (request: IncomingMessage) => string {
  const ranges = trusted.map(parseRange)
  const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))

  return ({ socket, headers }) => {
    const near = parse(socket.remoteAddress ?? '')
    if (near === null) return ''
    if (ranges.length === 0 || !isTrusted(near)) return near.toString()
    const given = headers['x-forwarded-for']
    const hops = typeof given === 'string' ? given.split(',').slice(-hops_max).reverse() : []
    let client = near
    for (const hop of hops) {
      const address = parse(hop.trim())
      if (address === null) break
      client = address
      if (!isTrusted(address)) break
    }
    return client.toString()
  }
}

/** The name an address is limited under: an IPv6 subscriber has a whole /64 (RFC 6177). */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${parts.map(part => part.toString(16)).join(':')}::/64`
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const canonical = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  return canonical && !text.includes('%') ? ipaddr.process(text) : null
}

/** Throws for what is neither an address nor a CIDR; the configuration has checked that. */
const parseRange = (text: string): Range =>
  text.includes('/') ? ipaddr.parseCIDR(text) : ipaddr.parseCIDR(`${text}/${text.includes(':') ? 128 : 32}`)
