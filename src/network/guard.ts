// Decides whether an address, or a host of some name, may be contacted. Every connection of a check asks here first.

import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { parseDomain } from '../targets/domain.ts'
import type { Vetting } from '../targets/target.ts'
import {
  type Address,
  type Block,
  contains,
  embeddedAddress,
  parseAddress,
  parseBlock,
  readBlock,
} from './address_block.ts'
import { specialBlocks } from './special_purpose.ts'

/** The reason for what `network.deny` names: it says nothing of the target. */
export const DENIED = 'denied'

/** Reasons are slugs: `private_use`, `loopback`, `own_address`, `denied`, ... Names: `denied` alone. */
export type Guard = Vetting

export interface GuardOptions {
  /** Blocks in CIDR notation (or single addresses) that may be dialled whatever they are. */
  readonly allow?: readonly string[]
  /** Blocks, addresses and names (with all names below them) that are never dialled, whatever allows them. */
  readonly deny?: readonly string[]
  /** This machine's own addresses, with or without prefix length; asked at each call, default: its interfaces. */
  readonly own?: () => readonly string[]
}

const special = specialBlocks
  .map(({ cidr, reason }) => ({ block: parseBlock(cidr), reason }))
  .sort((one, other) => other.block[1] - one.block[1])

/** Throws a `TypeError` when an entry of `allow` or `deny` cannot be read. */
export function createGuard({ allow = [], deny = [], own = interfaceAddresses }: GuardOptions = {}): Guard {
  const allowed = allow.map(parseBlock)
  const ownBlocks = parsedOnce()
  const denied = readDenied(deny)
  return {
    refuse(text) {
      const address = parseAddress(text)
      if (!address) return 'invalid_address'
      if (denied.holds(address)) return DENIED
      if (allowed.some(block => contains(block, address))) return null
      return specialReason(address) ?? embeddedReason(address) ?? ownReason(address, ownBlocks(own()))
    },
    refuseName: name => (denied.names.size > 0 && isBelow(name, denied.names) ? DENIED : null),
  }
}

/** What a refusal of all addresses of a host comes to: `denied` where at least one is the operator's, for then no other may be accused. */
export const refusalOf = (reasons: readonly (string | null)[]): 'denied' | 'not_public' =>
  reasons.includes(DENIED) ? DENIED : 'not_public'

/** What is wrong with an entry of `deny`; null when nothing is. */
export function denyFault(text: string): string | null {
  if (readBlock(text) !== null) return null
  if (/[/:]/.test(text)) return 'is not an address, a CIDR range or a domain name'
  if (/^\*?\./.test(text)) return 'has a wildcard or a leading dot; a name stands for all names below it as well'
  const parsed = parseDomain(text)
  return parsed.ok ? null : `is not an address, a CIDR range or a domain name (${parsed.detail})`
}

function readDenied(deny: readonly string[]) {
  const blocks = deny.flatMap(text => {
    const block = readBlock(text)
    return block === null ? [] : [block]
  })
  const names = new Set(deny.filter(text => readBlock(text) === null).map(parseName))
  const isIn = (address: Address) => blocks.some(block => contains(block, address))
  return {
    names,
    holds(address: Address): boolean {
      const embedded = embeddedAddress(address)
      return isIn(address) || (embedded !== null && isIn(embedded))
    },
  }
}

function parseName(text: string): string {
  const fault = denyFault(text)
  const parsed = parseDomain(text)
  if (fault !== null || !parsed.ok) throw new TypeError(`network.deny: "${text}" ${fault}`)
  return parsed.value
}

/** Whether the name, or one that it is below, is among the names. `name` as it stands in DNS or in a URL. */
function isBelow(name: string, names: ReadonlySet<string>): boolean {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  return labels.some((_, at) => names.has(labels.slice(at).join('.')))
}

/** By the registries alone, whatever the configuration allows. */
export function isGloballyReachable(text: string): boolean {
  const address = parseAddress(text)
  return address !== null && specialReason(address) === null && embeddedReason(address) === null
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

/** Milliseconds a reading is used: interfaces change rarely, and a reading costs several system calls. */
const FRESH_MS = 5_000

let readAt = Number.NEGATIVE_INFINITY
let addresses: readonly string[] = []

/**
 * In CIDR notation, the interface's own prefix length included: `192.0.2.7/24`. What the loopback interface carries
 * is left out: its usual addresses are refused as such, and others stand there for a reason, such as anycast.
 */
export function interfaceAddresses(): readonly string[] {
  const now = performance.now()
  if (now - readAt > FRESH_MS) {
    readAt = now
    addresses = Object.values(networkInterfaces()).flatMap(entries =>
      (entries ?? []).filter(({ internal }) => !internal).map(withoutZone),
    )
  }
  return addresses
}

const withoutZone = ({ address, cidr }: { address: string; cidr: string | null }): string =>
  (cidr ?? address).replace(/%[^/]*/, '')
