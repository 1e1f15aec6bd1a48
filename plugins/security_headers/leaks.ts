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

/** A number with a point, or a number after a slash: `nginx/1.25`, `PHP 8.2`, `Server/9`. */
const VERSION = /\d\.\d|\/\d/

export const findLeaks = (headers: Headers): readonly Leak[] =>
  headers
    .filter(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return field !== undefined && value !== '' && (field.always || VERSION.test(value))
    })
    .slice(0, LISTED)
    .map(([name, value]) => ({ name, value: shown(value), version: VERSION.test(value) }))
