// May we dial this address? Answers why not. Everything that opens a connection for a check asks here first.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { interfaceAddresses } from './interfaces.ts'
import { specialBlocks } from './special_purpose.ts'

export interface Guard {
  /** A slug that says why the address may not be dialled (`private_use`, `loopback`, `own_address`, ...), or null. */
  refuse(address: string): string | null
}

export interface GuardOptions {
  /** Blocks in CIDR notation (or single addresses) that may be dialled whatever they are. */
  readonly allow?: readonly string[]
  /** This machine's own addresses, with or without prefix length; asked at each call, default: its interfaces. */
  readonly own?: () => readonly string[]
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Block = [Address, number]

const special = specialBlocks
  .map(({ cidr, reason }) => ({ block: parseBlock(cidr), reason }))
  .sort((one, other) => other.block[1] - one.block[1])

/** Throws a `TypeError` when a block in `allow` cannot be read. */
export function createGuard({ allow = [], own = interfaceAddresses }: GuardOptions = {}): Guard {
  const allowed = allow.map(parseBlock)
  const ownBlocks = parsedOnce()
  return {
    refuse(text) {
      const address = parseAddress(text)
      if (!address) return 'invalid_address'
      if (allowed.some(block => contains(block, address))) return null
      return specialReason(address) ?? embeddedReason(address) ?? ownReason(address, ownBlocks(own()))
    },
  }
}

/** Null unless it is one, without zone. An IPv4-mapped IPv6 address is its IPv4: that is where the kernel connects. */
function parseAddress(text: string): Address | null {
  const family = text.includes('%') ? 0 : isIP(text)
  // ipaddr.js takes ::1.2.3.4 for ::ffff:1.2.3.4; in hexadecimal groups, as URLs have it, there is no doubt
  if (family === 6) return ipaddr.process(new URL(`http://[${text}]`).hostname.slice(1, -1))
  return family === 4 ? ipaddr.IPv4.parse(text) : null
}

const specialReason = (address: Address): string | null =>
  special.find(({ block }) => contains(block, address))?.reason ?? null

/** ISATAP (RFC 5214 section 6.1): an interface identifier that holds an IPv4 address, below any prefix. */
function embeddedReason(address: Address): string | null {
  if (!(address instanceof ipaddr.IPv6)) return null
  const [, , , , high = 0, low = 0] = address.parts
  return low === 0x5efe && (high & ~0x0200) === 0 ? 'isatap' : null
}

function ownReason(address: Address, own: readonly Block[]): string | null {
  for (const [ours, bits] of own) {
    if (ours.kind() !== address.kind()) continue
    if (ours.toString() === address.toString()) return 'own_address'
    // RFC 3021: two-address networks have no broadcast address
    if (address instanceof ipaddr.IPv4 && bits < 31 && isBroadcast(address, [ours, bits])) return 'broadcast'
  }
  return null
}

/** Parses a list of blocks when it is another than the last time. */
function parsedOnce(): (list: readonly string[]) => readonly Block[] {
  let last: readonly string[] = []
  let blocks: readonly Block[] = []
  return list => {
    if (list !== last) blocks = list.map(parseBlock)
    last = list
    return blocks
  }
}

const isBroadcast = (address: ipaddr.IPv4, [network, bits]: Block): boolean =>
  ipaddr.IPv4.broadcastAddressFromCIDR(`${network}/${bits}`).toString() === address.toString()

const contains = (block: Block, address: Address): boolean =>
  block[0].kind() === address.kind() && address.match(block as [ipaddr.IPv4 & ipaddr.IPv6, number])

function parseBlock(text: string): Block {
  const [start = '', prefix] = text.split('/')
  const address = parseAddress(start)
  const width = address?.kind() === 'ipv6' ? 128 : 32
  const bits = prefix === undefined ? width : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (!address || !(bits <= width)) throw new TypeError(`not an address block: ${text}`)
  return [address, bits]
}
