// The names a certificate is for (RFC 5280 section 4.2.1.6), straight from DER: what is not plain ASCII stays visible.
import ipaddr from 'ipaddr.js'
import { inside } from './der.ts'

/** GeneralNames that are read: more than OpenSSL's 100 KiB for all certificates of a handshake can hold of any use. */
const mostNames = 10_000
/** A name in DNS has 253 octets at most; one that is cut here is longer and matches nothing. */
const longestName = 256

const dNSName = 0x82
const iPAddress = 0x87

const escaped = (octet: number) => `\\x${octet.toString(16).padStart(2, '0')}`

/** Lower case; octets that no host name has (NUL, blanks, UTF-8, the backslash itself) as `\xhh`. */
function dnsName(content: Buffer): string {
  const text = content.subarray(0, longestName).toString('latin1')
  return text.replace(/[^!-[\]-~]/g, character => escaped(character.charCodeAt(0))).toLowerCase()
}

/** Canonical text of 4 or 16 octets; other lengths, which are no addresses, in hexadecimal after `#`. */
function ipAddress(content: Buffer): string {
  if (content.length === 4 || content.length === 16) return ipaddr.fromByteArray([...content]).toString()
  return `#${content.subarray(0, 32).toString('hex')}`
}

export interface AlternativeNames {
  readonly dns_names: readonly string[]
  readonly ip_addresses: readonly string[]
}

export function readAlternativeNames(value: Buffer | null): AlternativeNames {
  const names = value === null ? [] : inside(value, mostNames)
  return {
    dns_names: names.filter(name => name.tag === dNSName).map(name => dnsName(name.content)),
    ip_addresses: names.filter(name => name.tag === iPAddress).map(name => ipAddress(name.content)),
  }
}
