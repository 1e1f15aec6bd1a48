// The client's address: the peer of the socket, unless that is a trusted proxy. proxy-addr does not fit: it returns an element of
// X-Forwarded-For that is no address as the client, reads `1` and `0x7f.1` as addresses, and follows any number of proxies.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Consecutive proxies that are trusted. */
const hopsMax = 10

/** The parts of a request that hold its address; also of a connection without a valid request. */
export type Sender = Pick<IncomingMessage, 'socket' | 'headers'>

type Range = ReturnType<typeof ipaddr.parseCIDR>

/** The other end of a connection, read once: each of its requests would spend a twentieth of a cached answer on it. */
interface Peer {
  readonly address: ipaddr.IPv4 | ipaddr.IPv6
  readonly name: string
  readonly trusted: boolean
}

/**
 * `trustedProxies` are addresses and CIDRs. X-Forwarded-For is read from the right, because each proxy appends its client: the
 * first address that is not trusted is the client. Anything that is not an address ends the search.
 */
export function createClientAddress(trustedProxies: readonly string[]): (request: Sender) => string {
  const ranges = trustedProxies.map(parseRange)
  const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
    ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))

  const peers = new WeakMap<Sender['socket'], Peer>()

  function peerOf(socket: Sender['socket']): Peer | null {
    const cachedPeer = peers.get(socket)
    if (cachedPeer !== undefined) return cachedPeer
    const address = parse(socket.remoteAddress ?? '')
    if (address === null) return null
    const peer = { address, name: address.toString(), trusted: isTrusted(address) }
    peers.set(socket, peer)
    return peer
  }

  return ({ socket, headers }) => {
    const peer = peerOf(socket)
    if (peer === null) return ''
    if (!peer.trusted) return peer.name
    const forwardedFor = headers['x-forwarded-for']
    const hops = typeof forwardedFor === 'string' ? forwardedFor.split(',').slice(-hopsMax).reverse() : []
    let client = peer.address
    for (const hop of hops) {
      const address = parse(hop.trim())
      if (address === null) break
      client = address
      if (!isTrusted(address)) break
    }
    return client.toString()
  }
}

/** The name under which an address is limited: an IPv6 subscriber has a whole /64 (RFC 6177). */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${parts.map(part => part.toString(16)).join(':')}::/64`
}

/** How much of an address is logged. */
export type AddressDetail = 'full' | 'prefix' | 'none'

/** `203.0.113.0/24` or `2001:db8:1::/48` for `prefix`; undefined for `none` and for an empty address. `address` is canonical. */
export function logAddress(address: string, detail: AddressDetail): string | undefined {
  if (detail === 'none' || address === '') return undefined
  if (detail === 'full') return address
  // Cut as text, because it runs for every request.
  if (!address.includes(':')) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`
  const [first = 0, second = 0, third = 0] = ipaddr.IPv6.parse(address).parts
  return `${new ipaddr.IPv6([first, second, third, 0, 0, 0, 0, 0]).toString()}/48`
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const canonical = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  return canonical && !text.includes('%') ? ipaddr.process(text) : null
}

/** Throws for anything but an address or a CIDR, which the configuration has ruled out. */
const parseRange = (text: string): Range =>
  text.includes('/') ? ipaddr.parseCIDR(text) : ipaddr.parseCIDR(`${text}/${text.includes(':') ? 128 : 32}`)
