// Headers that tell an attacker which faults to try.
import { type Headers, shown } from './fields.ts'

export interface Leak {
  readonly name: string
  readonly value: string
  /** It tells a version, not only a product. */
  readonly version: boolean
}

/** Fields that name software. In those marked, any value tells too much; `Server` alone may name a product. */
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

const LISTED = 20

/** A number with a point, or outside comments one after a slash: `nginx/1.25`, `PHP 8.2`, `Server/9`; not `ECS (dcb/7F3B)`. */
const tellsVersion = (value: string): boolean => /\d\.\d/.test(value) || /\/\d/.test(withoutComments(value))

/** Comments stand in parentheses (RFC 9110 section 5.6.5); one that is left open holds the rest. */
function withoutComments(value: string): string {
  const [before = '', ...pieces] = value.split('(')
  return before + pieces.map(piece => (piece.includes(')') ? piece.slice(piece.indexOf(')')) : '')).join('')
}

export const findLeaks = (headers: Headers): readonly Leak[] =>
  headers
    .filter(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return field !== undefined && value !== '' && (field.always || tellsVersion(value))
    })
    .slice(0, LISTED)
    .map(([name, value]) => ({ name, value: shown(value), version: tellsVersion(value) }))
