// Identifiers that are the same for the same thing: UUIDs of version 5 (RFC 9562 section 5.5).
import { createHash } from 'node:crypto'

/** The namespace for identifiers of observables, which all producers share (STIX 2.1 section 2.9). */
export const STIX_NAMESPACE = '00abedb4-aa42-466c-9c01-fed23315a9b7'
/** Our own namespace, for everything else: STIX does not allow its namespace there. */
export const OWN_NAMESPACE = '7b1f2d6c-5e0a-4c39-9d18-2f64a0c3e5b7'

/** `namespace` is a UUID. Returns a UUID in lower case. */
export function uuid5(namespace: string, name: string): string {
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex')
  const octets = createHash('sha1').update(space).update(name, 'utf8').digest().subarray(0, 16)
  octets[6] = ((octets[6] as number) & 0x0f) | 0x50
  octets[8] = ((octets[8] as number) & 0x3f) | 0x80
  const hex = octets.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** JSON with sorted members (RFC 8785). Strings must be well-formed, and numbers finite. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

const isList = (value: readonly Json[] | { readonly [name: string]: Json }): value is readonly Json[] =>
  Array.isArray(value)
