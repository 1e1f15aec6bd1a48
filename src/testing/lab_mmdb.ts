// Writes an MMDB file (MaxMind DB 2.0) from networks and their records: locations for tests and the demo.
import ipaddr from 'ipaddr.js'

export type MmdbValue =
  | string
  | number
  | bigint
  | boolean
  | readonly MmdbValue[]
  | { readonly [key: string]: MmdbValue }

export interface MmdbOptions {
  /** `GeoLite2-City`, for example. */
  readonly type?: string
  readonly built_at?: Date
}

/** A position in the tree: empty, the index of a record, or two branches. */
type Branch = null | number | Node
type Node = [Branch, Branch]

interface Network {
  readonly bits: readonly (0 | 1)[]
  readonly record: number
}

const types = { text: 2, double: 3, uint32: 6, map: 7, uint64: 9, array: 11, boolean: 14 } as const
const recordBits = 32
const separator = Buffer.alloc(16)
const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')

/** `networks` by CIDR of either IP version; a longer prefix wins over a shorter one, as in routing. */
export function writeMmdb(networks: Readonly<Record<string, MmdbValue>>, options: MmdbOptions = {}): Buffer {
  const records = Object.values(networks).map(encode)
  let end = 0
  const offsets = records.map(record => {
    end += record.length
    return end - record.length
  })
  const tree = buildTree(Object.keys(networks).map((cidr, record) => ({ bits: prefixBits(cidr), record })))
  const nodes = numberNodes(tree)
  return Buffer.concat([
    ...[...nodes.keys()].map(node => encodeNode(node, nodes, offsets)),
    separator,
    ...records,
    marker,
    encodeMetadata(nodes.size, options),
  ])
}

/** The prefix in the IPv6 tree, where IPv4 is ::/96. */
function prefixBits(cidr: string): (0 | 1)[] {
  const [address, length] = ipaddr.parseCIDR(cidr)
  const bytes = address.toByteArray()
  const padding = 16 - bytes.length
  const all = [...new Array<number>(padding).fill(0), ...bytes]
  const bits = all.flatMap(byte => [7, 6, 5, 4, 3, 2, 1, 0].map(shift => ((byte >> shift) & 1) as 0 | 1))
  return bits.slice(0, padding * 8 + length)
}

function buildTree(networks: readonly Network[]): Node {
  const root: Node = [null, null]
  for (const network of networks.toSorted((a, b) => a.bits.length - b.bits.length)) insert(root, network)
  return root
}

/** Shorter prefixes come first; a longer one splits them. */
function insert(root: Node, { bits, record }: Network): void {
  let node = root
  for (const bit of bits.slice(0, -1)) {
    const next = node[bit]
    const inner: Node = Array.isArray(next) ? next : [next, next]
    node[bit] = inner
    node = inner
  }
  node[bits.at(-1) ?? 0] = record
}

function numberNodes(root: Node): Map<Node, number> {
  const numbers = new Map<Node, number>([[root, 0]])
  for (const node of numbers.keys()) {
    for (const branch of node) if (Array.isArray(branch)) numbers.set(branch, numbers.size)
  }
  return numbers
}

function encodeNode(node: Node, numbers: ReadonlyMap<Node, number>, offsets: readonly number[]): Buffer {
  const bytes = Buffer.alloc(recordBits / 4)
  for (const [side, branch] of node.entries()) {
    bytes.writeUInt32BE(pointer(branch, numbers, offsets), (side * recordBits) / 8)
  }
  return bytes
}

/** A node by its index; the number of nodes for empty; beyond that, the data. */
function pointer(branch: Branch, numbers: ReadonlyMap<Node, number>, offsets: readonly number[]): number {
  if (branch === null) return numbers.size
  if (Array.isArray(branch)) return numbers.get(branch) ?? numbers.size
  return numbers.size + separator.length + (offsets[branch] ?? 0)
}

function encodeMetadata(nodes: number, { type = 'Lab', built_at = new Date(0) }: MmdbOptions): Buffer {
  return encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: BigInt(Math.floor(built_at.getTime() / 1000)),
    database_type: type,
    description: { en: type },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes,
    record_size: recordBits,
  })
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') return field(types.text, Buffer.from(value))
  if (typeof value === 'boolean') return control(types.boolean, value ? 1 : 0)
  if (typeof value === 'bigint') return field(types.uint64, unsigned(value))
  if (typeof value === 'number') return encodeNumber(value)
  if (isList(value)) return Buffer.concat([control(types.array, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([
    control(types.map, entries.length),
    ...entries.flatMap(([key, item]) => [encode(key), encode(item)]),
  ])
}

const isList = (value: MmdbValue): value is readonly MmdbValue[] => Array.isArray(value)

function encodeNumber(value: number): Buffer {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 32 && !Object.is(value, -0)) {
    return field(types.uint32, unsigned(BigInt(value)))
  }
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return field(types.double, bytes)
}

/** Big-endian without leading zeros; empty for 0. */
function unsigned(value: bigint): Buffer {
  const hex = value === 0n ? '' : value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}

const field = (type: number, content: Buffer) => Buffer.concat([control(type, content.length), content])

/** Type and size: types above 7 have an extra octet, sizes above 28 have one to three. */
function control(type: number, size: number): Buffer {
  const [short, length] = sizeOctets(size)
  return type > 7
    ? Buffer.concat([Buffer.from([short, type - 7]), length])
    : Buffer.concat([Buffer.from([(type << 5) | short]), length])
}

function sizeOctets(size: number): [number, Buffer] {
  if (size < 29) return [size, Buffer.alloc(0)]
  if (size < 285) return [29, Buffer.from([size - 29])]
  const wide = size < 65_821
  const bytes = Buffer.alloc(wide ? 2 : 3)
  bytes.writeUIntBE(size - (wide ? 285 : 65_821), 0, bytes.length)
  return [wide ? 30 : 31, bytes]
}
