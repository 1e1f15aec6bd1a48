// The head of a response (RFC 9112 sections 4 and 5) as plain, printable data.
import { isUtf8 } from 'node:buffer'
import { redactSetCookie } from '../set_cookie.ts'
import type { Exchange } from './exchange.ts'

export type ResponseHead = Pick<Exchange, 'url' | 'address' | 'status' | 'http_version' | 'headers'>
export type Fields = Exchange['headers']

/** Names in lower case and values, in order, duplicates kept, cookies without their values; null when there are more than `most` lines. */
export function readFields(raw: readonly (Buffer | string)[], most: number): Fields | null {
  if (raw.length / 2 > most) return null
  return Array.from({ length: raw.length / 2 }, (_, line) => {
    const name = printable(decode(raw[line * 2] ?? '')).toLowerCase()
    const value = decode(raw[line * 2 + 1] ?? '')
    return [name, printable(name === 'set-cookie' ? redactSetCookie(value) : value)]
  })
}

/** Every value of one field. */
export function fieldValues(fields: Fields, name: string): readonly string[] {
  return fields.filter(([one]) => one === name).map(([, value]) => value)
}

/** Octets beyond ASCII are UTF-8 where they can be, else Latin-1 (RFC 9110 section 5.5). */
const decode = (octets: Buffer | string): string =>
  typeof octets === 'string' ? octets : octets.toString(isUtf8(octets) ? 'utf8' : 'latin1')

const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').trim()
