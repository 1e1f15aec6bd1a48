// Decides whether an address, or a host of some name, may be contacted. Every connection of a check asks here first.
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { type Static, Type } from 'typebox'
import { dataFile } from '../base/data_file.ts'
import { nullable } from '../base/nullable.ts'
import { parseDomain } from '../targets/domain.ts'
import type { Vetting } from '../targets/target.ts'
import { DEFAULT_URL_PORTS } from '../targets/url.ts'
import {
  type Address,
  type Block,
  behindNat64,
  contains,
  embeddedAddress,
  parseAddress,
  parseBlock,
  readBlock,
} from './address_block.ts'
import data from './data/special_purpose.json' with { type: 'json' }

// Address blocks that are not public: the IANA special-purpose registries (RFC 6890) where "globally reachable" is
// false, multicast, blocks that embed IPv4 addresses, and cloud metadata services.
const SpecialBlock = Type.Object(
  {
    cidr: Type.String({ pattern: '^[0-9a-f.:]+/\\d{1,3}$' }),
    reason: nullable(Type.String({ pattern: '^[a-z0-9_]+$' }), {
      description: 'Null: globally reachable, although inside a block that is not. The most specific entry decides.',
    }),
  },
  { additionalProperties: false },
)
export type SpecialBlock = Static<typeof SpecialBlock>

export const SpecialPurposeFile = dataFile({ blocks: Type.Array(SpecialBlock, { minItems: 1, uniqueItems: true }) })
export const specialBlocks: readonly SpecialBlock[] = data.blocks

/** The reason for an address or name in `network.deny`; it says nothing about the target. */
export const DENIED = 'denied'

/** Reasons are slugs: `private_use`, `loopback`, `own_address`, `denied`, ... A name is only ever `denied`. */
export type Guard = Vetting

export interface GuardOptions {
  /** CIDR blocks or addresses that may always be dialled. */
  readonly allow?: readonly string[]
  /** CIDR blocks, addresses and names (with all names below them) that are never dialled, even if allowed. */
  readonly deny?: readonly string[]
  /** This machine's own addresses, with or without prefix length; called each time. Default: its interfaces. */
  readonly own?: () => readonly string[]
  /** Ports that a URL to check may have. */
  readonly url_ports?: readonly number[]
  /** The name below which test targets are. */
  readonly test_targets?: string | null
}

const special = specialBlocks
  .map(({ cidr, reason }) => ({ block: parseBlock(cidr), reason }))
  .sort((one, other) => other.block[1] - one.block[1])

/** Throws a `TypeError` when an entry of `allow` or `deny` cannot be read. */
export function createGuard(options: GuardOptions = {}): Guard {
  const {
    allow = [],
    deny = [],
    own = interfaceAddresses,
    url_ports = DEFAULT_URL_PORTS,
    test_targets = null,
  } = options
  const allowedBlocks = allow.map(parseBlock)
  const ownBlocks = cachedBlocks()
  const denyList = readDenied(deny)
  const guard: Guard = {
    refuse(text) {
      const address = parseAddress(text)
      if (!address) return 'invalid_address'
      if (denyList.holds(address)) return DENIED
      if (allowedBlocks.some(block => contains(block, address))) return null
      const v4Address = behindNat64(address)
      if (v4Address !== null) return guard.refuse(v4Address.toString())
      return specialReason(address) ?? embeddedReason(address) ?? ownReason(address, ownBlocks(own()))
    },
    special: specialPurpose,
    refuseName: name => (denyList.names.size > 0 && isBelow(name, denyList.names) ? DENIED : null),
    url_ports,
    test_targets,
  }
  return guard
}

/**
 * The failure when all addresses of a host are refused: `denied` if the operator denies at least one, since that says
 * nothing about the target.
 */
export const refusalOf = (reasons: readonly (string | null)[]): 'denied' | 'not_public' =>
  reasons.includes(DENIED) ? DENIED : 'not_public'

/** The fault of an entry of `deny`; null when it is valid. */
export function denyFault(text: string): string | null {
  if (readBlock(text) !== null) return null
  if (/[/:]/.test(text)) return 'is not an address, a CIDR range or a domain name'
  if (/^\*?\./.test(text)) return 'has a wildcard or a leading dot; a name already covers all names below it'
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
      const embeddedV4 = embeddedAddress(address)
      return isIn(address) || (embeddedV4 !== null && isIn(embeddedV4))
    },
  }
}

function parseName(text: string): string {
  const fault = denyFault(text)
  const parsed = parseDomain(text)
  if (fault !== null || !parsed.ok) throw new TypeError(`network.deny: "${text}" ${fault}`)
  return parsed.value
}

/** Whether `name`, as written in DNS or in a URL, equals one of the names or is below one. */
function isBelow(name: string, names: ReadonlySet<string>): boolean {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  return labels.some((_, at) => names.has(labels.slice(at).join('.')))
}

/** By the IANA registries alone, whatever the configuration allows. */
export function isGloballyReachable(text: string): boolean {
  const address = parseAddress(text)
  const v4Address = address && behindNat64(address)
  if (v4Address) return isGloballyReachable(v4Address.toString())
  return address !== null && specialReason(address) === null && embeddedReason(address) === null
}

/** By the IANA registries alone. */
function specialPurpose(text: string): string | null {
  const address = parseAddress(text)
  return address === null ? null : (specialReason(address) ?? embeddedReason(address))
}

const specialReason = (address: Address): string | null =>
  special.find(({ block }) => contains(block, address))?.reason ?? null

/** ISATAP (RFC 5214 section 6.1): the interface identifier holds an IPv4 address, below any prefix. */
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

/** Parses a list of blocks, again only when the list has changed. */
function cachedBlocks(): (list: readonly string[]) => readonly Block[] {
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

/**
 * Milliseconds for which interface addresses are cached: they change rarely, and reading them costs several system
 * calls.
 */
const FRESH_MS = 5_000

let readAt = Number.NEGATIVE_INFINITY
let addresses: readonly string[] = []

/**
 * This machine's addresses in CIDR notation with their prefix length: `192.0.2.7/24`. Addresses of the loopback
 * interface are left out: the usual ones are refused as such, and others are there on purpose, such as anycast
 * addresses.
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
