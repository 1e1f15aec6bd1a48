// SVCB and HTTPS records (RFC 9460): where a service is, and how to connect to it.
import ipaddr from 'ipaddr.js'
import { readName } from './dns_name.ts'

export interface ServiceBinding {
  /** 0: an alias (AliasMode); otherwise smaller is preferred. */
  readonly priority: number
  /** '' is the owner itself; in an alias, that there is no such service (section 2.5). */
  readonly target: string
  /** Protocol IDs, such as `h2` and `h3`, one character per octet (latin1). */
  readonly alpn: readonly string[]
  /** The default protocol is not supported (section 7.1.1). */
  readonly no_default_alpn: boolean
  /** Null: the port of the scheme. */
  readonly port: number | null
  readonly ipv4_hints: readonly string[]
  readonly ipv6_hints: readonly string[]
  /** It has keys for Encrypted Client Hello. */
  readonly ech: boolean
  /** Numbers of the parameters that a client must understand (section 8). */
  readonly mandatory: readonly number[]
}

/** Numbers of the parameters (section 14.3.2). */
export const SERVICE_PARAMETER = {
  mandatory: 0,
  alpn: 1,
  no_default_alpn: 2,
  port: 3,
  ipv4_hints: 4,
  ech: 5,
  ipv6_hints: 6,
} as const

/** Null when it is malformed; parameters must be in order, each once (section 2.2). */
export function readServiceBinding(
  message: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
): ServiceBinding | null {
  if (end - start < 3) return null
  const target = readName(message, start + 2)
  const parameters = target === null ? null : readParameters(message, target.end, end)
  if (target === null || parameters === null) return null
  const of = (name: keyof typeof SERVICE_PARAMETER) => parameters.get(SERVICE_PARAMETER[name])
  const alpn = protocols(of('alpn'))
  const port = of('port')
  const mandatory = pieces(of('mandatory'), 2)
  const ipv4 = pieces(of('ipv4_hints'), 4)
  const ipv6 = pieces(of('ipv6_hints'), 16)
  const isSound = (port === undefined || port.length === 2) && (of('no_default_alpn')?.length ?? 0) === 0
  if (alpn === null || mandatory === null || ipv4 === null || ipv6 === null || !isSound) return null
  return {
    priority: message.readUInt16BE(start),
    target: target.name,
    alpn,
    no_default_alpn: of('no_default_alpn') !== undefined,
    port: port?.readUInt16BE() ?? null,
    ipv4_hints: ipv4.map(addressText),
    ipv6_hints: ipv6.map(addressText),
    ech: of('ech') !== undefined,
    mandatory: mandatory.map(key => key.readUInt16BE()),
  }
}

const addressText = (octets: Buffer): string => ipaddr.fromByteArray([...octets]).toString()

function readParameters(message: Buffer, start: number, end: number): ReadonlyMap<number, Buffer> | null {
  const parameters: [number, Buffer][] = []
  let last = -1
  let at = start
  while (at < end) {
    if (end - at < 4) return null
    const key = message.readUInt16BE(at)
    const next = at + 4 + message.readUInt16BE(at + 2)
    if (key <= last || next > end) return null
    parameters.push([key, message.subarray(at + 4, next)])
    last = key
    at = next
  }
  return at === end ? new Map(parameters) : null
}

/** Pieces of one size, at least one; none without the parameter; null when they do not fill it. */
function pieces(value: Buffer | undefined, size: number): Buffer[] | null {
  if (value === undefined) return []
  if (value.length === 0 || value.length % size !== 0) return null
  return Array.from({ length: value.length / size }, (_, at) => value.subarray(at * size, (at + 1) * size))
}

/** Strings with their length in front (section 7.1.1). */
function protocols(value: Buffer | undefined): string[] | null {
  if (value === undefined) return []
  const names: string[] = []
  for (let at = 0; at < value.length; ) {
    const next = at + 1 + value.readUInt8(at)
    if (next > value.length || next === at + 1) return null
    names.push(value.toString('latin1', at + 1, next))
    at = next
  }
  return names.length === 0 ? null : names
}
