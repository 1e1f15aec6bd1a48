// The header Prefer: what a client would like, and what a server may ignore (RFC 7240).

/** Longest header that is read, in characters: preferences are short. A longer one is ignored. */
const LENGTH = 1_024

const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
const QUOTED_STRING = /"((?:[^"\\]|\\.)*)"/sy
const SPACE = /[ \t]*/y
const BETWEEN = /[ \t,]*/y
/** A malformed element, up to the comma that ends it. A quote that is not closed runs to the end. */
const ELEMENT = /(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^",])*/sy

/** Preferences by name in lower case; the value is empty when there is none. The first of several with one name counts. */
export function readPreferences(header: string | undefined): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>()
  if (header === undefined || header.length > LENGTH) return preferences
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  const skip = (sign: string): boolean => {
    take(SPACE)
    if (header[at] !== sign) return false
    at += 1
    take(SPACE)
    return true
  }
  /** `token [ "=" word ]`; null when it is malformed. */
  const pair = (): readonly [name: string, value: string] | null => {
    const name = take(TOKEN)?.[0]
    if (name === undefined) return null
    if (!skip('=')) return [name, '']
    const quotedValue = take(QUOTED_STRING)?.[1]?.replace(/\\(.)/gs, '$1')
    const value = quotedValue ?? take(TOKEN)?.[0]
    return value === undefined ? null : [name, value]
  }
  const parameters = (): boolean => {
    while (skip(';')) if (at < header.length && !';,'.includes(header[at] ?? '') && pair() === null) return false
    return true
  }
  for (take(BETWEEN); at < header.length; take(BETWEEN)) {
    const preference = pair()
    const isSound = preference !== null && parameters() && (at === header.length || header[at] === ',')
    const name = preference?.[0].toLowerCase() ?? ''
    if (isSound && !preferences.has(name)) preferences.set(name, preference[1])
    if (!isSound) take(ELEMENT)
  }
  return preferences
}

/** Whether the client would rather not wait for the outcome (RFC 7240 section 4.1). The preference has no value. */
export const prefersAsync = (header: string | undefined): boolean => readPreferences(header).get('respond-async') === ''
