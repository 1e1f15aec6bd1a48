// The query string, read by hand: bounded, linear, strict about UTF-8, and without an object that a parameter could name.

/** More than any client sends, few enough to refuse floods of `a&a&a&...` at once. */
const parameterCount = 16

export interface Asked {
  readonly domain: string | null
  readonly ip: string | null
}

export type Query = ({ readonly ok: true } & Asked) | { readonly ok: false; readonly detail: string }

const refuse = (detail: string): Query => ({ ok: false, detail })

/**
 * Yields `domain` and `ip`, decoded once as application/x-www-form-urlencoded (so `+` is a space). Either of them
 * twice, empty or not UTF-8 is refused, other parameters are ignored. `raw` is what follows the `?`.
 */
export function parseQuery(raw: string): Query {
  const parameters = raw.split('&', parameterCount + 1)
  if (parameters.length > parameterCount) return refuse(`The query has more than ${parameterCount} parameters.`)
  let domain: string | null = null
  let ip: string | null = null
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    const name = decode(equals === -1 ? parameter : parameter.slice(0, equals))
    if (name !== 'domain' && name !== 'ip') continue
    if ((name === 'domain' ? domain : ip) !== null) return refuse(`The parameter ${name} is given twice.`)
    const value = equals === -1 ? '' : decode(parameter.slice(equals + 1))
    if (value === '') return refuse(`The parameter ${name} is empty.`)
    if (value === null) return refuse(`The parameter ${name} is not percent-encoded UTF-8.`)
    if (name === 'domain') domain = value
    else ip = value
  }
  return { ok: true, domain, ip }
}

/** Null when it is not UTF-8: overlong forms, surrogates and truncated sequences included (RFC 3629 section 3). */
function decode(text: string): string | null {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
