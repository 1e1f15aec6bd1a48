// Response headers that disclose software and its version.
import { printable } from '../../src/engine/plugin.ts'
import type { Headers } from './fields.ts'

/** A header that names software. */
export interface Leak {
  readonly name: string
  readonly value: string
  /** Discloses a version, not only a product. */
  readonly version: boolean
}

/** Header fields that name software. Marked fields should not be sent at all; `Server` may name a product. */
const fields: Readonly<Record<string, { readonly always: boolean }>> = {
  server: { always: false },
  'x-powered-by': { always: true },
  'x-aspnet-version': { always: true },
  'x-aspnetmvc-version': { always: true },
  'x-generator': { always: true },
  'x-powered-cms': { always: true },
  'x-php-version': { always: true },
  'x-runtime-version': { always: true },
  'x-server-version': { always: true },
}

const MAX_ENTRIES = 20

/** A number with a point, or after a slash outside comments: `nginx/1.25`, `PHP 8.2`, `Server/9`; not `ECS (dcb/7F3B)`. */
const tellsVersion = (value: string): boolean => /\d\.\d/.test(value) || /\/\d/.test(withoutComments(value))

/** Comments are in parentheses (RFC 9110 section 5.6.5); an unclosed comment extends to the end. */
function withoutComments(value: string): string {
  const [before = '', ...pieces] = value.split('(')
  return before + pieces.map(piece => (piece.includes(')') ? piece.slice(piece.indexOf(')')) : '')).join('')
}

/** The headers that name software, in the order of the response. */
export const findLeaks = (headers: Headers): readonly Leak[] =>
  headers
    .filter(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return field !== undefined && value !== '' && (field.always || tellsVersion(value))
    })
    .slice(0, MAX_ENTRIES)
    .map(([name, value]) => ({ name, value: printable(value), version: tellsVersion(value) }))
