// Reads RDAP answers about an address (RFC 9083 section 5.4): the most specific network that contains it. Pure; never throws.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { asRecord, asText, type Json, parseJson } from '../../base/untrusted_json.ts'
import { clean } from '../document/text.ts'
import { cardText, entitiesOf, momentsOf, nameOf } from '../registration/rdap.ts'
import type { Reading } from '../registration/registry.ts'
import { registeredOn, shortName } from '../registration/values.ts'
import type { IpNetworkFacts } from './facts.ts'

export const noNetwork: IpNetworkFacts = {
  registered: false,
  start_address: null,
  end_address: null,
  name: null,
  holder: null,
  country: null,
  registered_at: null,
  abuse_email: null,
}

/** The first list of networks is RFC 790 of September 1981. Earlier dates are placeholders. */
const EARLIEST = Date.UTC(1981, 8, 1)
/** ARIN lists the abuse contact among the registrant's entities. */
const ABUSE_DEPTH = 2
/** RFC 5321 section 4.5.3.1.3. */
const EMAIL_CHARACTERS = 254

/** `now` in milliseconds since the Unix epoch. `failure` is `unreadable`, or `other_network` when the network does not contain the address. */
export function readNetwork(body: Buffer, ip: string, now: number): Reading<IpNetworkFacts> {
  const answer = asRecord(parseJson(new TextDecoder().decode(body)))
  if (answer?.['errorCode'] === 404) return { ok: true, facts: noNetwork }
  const range = answer === null ? null : rangeOf(answer)
  if (answer === null || range === null) return { ok: false, failure: 'unreadable' }
  if (!contains(range, ip)) return { ok: false, failure: 'other_network' }
  const [registrant] = entitiesOf(answer, 'registrant')
  const facts = {
    registered: true,
    ...range,
    name: shortName(asText(answer['name']) ?? ''),
    holder: registrant === undefined ? null : nameOf(registrant),
    country: countryOf(answer),
    registered_at: registeredOn(momentsOf(answer, 'registration'), now, EARLIEST).date?.at ?? null,
    abuse_email:
      entitiesOf(answer, 'abuse', ABUSE_DEPTH)
        .map(emailOf)
        .find(email => email !== null) ?? null,
  }
  return { ok: true, facts }
}

/** First and last address, in canonical text. */
export interface AddressRange {
  readonly start_address: string
  readonly end_address: string
}

/** Null for anything but a network with both addresses. */
function rangeOf({ objectClassName, errorCode, startAddress, endAddress }: Json): AddressRange | null {
  const kind = asText(objectClassName)?.toLowerCase() ?? 'ip network'
  if (kind !== 'ip network' || errorCode !== undefined) return null
  const [first, last] = [readAddress(startAddress), readAddress(endAddress)]
  return first === null || last === null ? null : { start_address: first, end_address: last }
}

function readAddress(value: unknown): string | null {
  const text = asText(value)?.trim() ?? ''
  return isIP(text) === 0 || text.includes('%') ? null : ipaddr.parse(text).toString()
}

const octetsOf = (address: string): Buffer => Buffer.from(ipaddr.parse(address).toByteArray())

/** Whether the range, ends included, contains the address; false for the other IP version. */
export function contains({ start_address, end_address }: AddressRange, ip: string): boolean {
  const [first, octets, last] = [octetsOf(start_address), octetsOf(ip), octetsOf(end_address)]
  if (first.length !== octets.length || last.length !== octets.length) return false
  return first.compare(octets) <= 0 && octets.compare(last) <= 0
}

function countryOf({ country }: Json): string | null {
  const text = asText(country)?.trim().toUpperCase() ?? ''
  return /^[A-Z]{2}$/.test(text) ? text : null
}

function emailOf(entity: Json): string | null {
  const text = clean(cardText(entity, 'email').toWellFormed(), EMAIL_CHARACTERS + 1)
  return text.length <= EMAIL_CHARACTERS && /^[^\s@<>"]+@[^\s@<>"]+$/.test(text) ? text : null
}
