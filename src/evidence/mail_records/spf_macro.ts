// Parses SPF macro strings and domain specs (RFC 7208 section 7.1) and expands those that do not depend on the sender.

/** Part of a macro string: literal text or a macro. */
export type MacroPart =
  | { readonly literal: string }
  | {
      readonly letter: string
      /** Number of right-hand parts to keep; null keeps all. */
      readonly keep: number | null
      readonly reverse: boolean
      readonly delimiters: string
    }

const ESCAPES = new Map([
  ['%', '%'],
  ['_', ' '],
  ['-', '%20'],
])
/** `c`, `r` and `t` are allowed only in explanation texts (RFC 7208 section 7.2). */
const DOMAIN_LETTERS = 'slodiphv'
const TEXT_LETTERS = `${DOMAIN_LETTERS}crt`
const MACRO = /\{([a-z])(\d*)(r?)([.\-+,/_=]*)\}/iy

function readMacro(text: string, at: number): { part: MacroPart; end: number } | null {
  MACRO.lastIndex = at
  const match = MACRO.exec(text)
  if (match === null) return null
  const [whole, letter = '', digits = '', reverse = '', delimiters = ''] = match
  const keep = digits === '' ? null : Number(digits)
  if (keep === 0) return null
  const part = { letter: letter.toLowerCase(), keep, reverse: reverse !== '', delimiters: delimiters || '.' }
  return { part, end: at + whole.length }
}

/** Parses `macro-string`; null for other text. Linear. */
export function parseMacroString(text: string): MacroPart[] | null {
  const parts: MacroPart[] = []
  for (let at = 0; at < text.length; ) {
    const percent = text.indexOf('%', at)
    const end = percent < 0 ? text.length : percent
    const literal = text.slice(at, end)
    if (!/^[!-~]*$/.test(literal)) return null
    if (literal !== '') parts.push({ literal })
    at = end
    if (percent < 0) break
    const escapeText = ESCAPES.get(text.charAt(at + 1))
    const piece = escapeText === undefined ? readMacro(text, at + 1) : { part: { literal: escapeText }, end: at + 2 }
    if (piece === null || ('letter' in piece.part && !TEXT_LETTERS.includes(piece.part.letter))) return null
    parts.push(piece.part)
    at = piece.end
  }
  return parts
}

/** `toplabel`: a host name label that is not all digits. */
const isTopLabel = (label: string) => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(label) && !/^\d+$/.test(label)

/** `domain-end`: a top label after a dot, with or without a final dot, or a macro (including `%%`, `%_` and `%-`). */
function hasDomainEnd(text: string): boolean {
  if (text.endsWith('}') || /%[%_-]$/.test(text)) return true
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  const dot = name.lastIndexOf('.')
  return dot >= 0 && isTopLabel(name.slice(dot + 1))
}

/** Parses `domain-spec`; null for other text. Linear. */
export function parseDomainSpec(text: string): MacroPart[] | null {
  const parts = parseMacroString(text)
  if (parts === null || !hasDomainEnd(text)) return null
  return parts.every(part => 'literal' in part || DOMAIN_LETTERS.includes(part.letter)) ? parts : null
}

/** Macros known without a sender: the domain under evaluation (`d`) and the checked domain in place of the sender's (`o`). */
export interface KnownMacros {
  readonly d: string
  readonly o: string
}

function transform(value: string, { keep, reverse, delimiters }: Exclude<MacroPart, { literal: string }>): string {
  const pieces: string[] = []
  let start = 0
  for (let at = 0; at <= value.length; at++) {
    if (at < value.length && !delimiters.includes(value.charAt(at))) continue
    pieces.push(value.slice(start, at))
    start = at + 1
  }
  if (reverse) pieces.reverse()
  return pieces.slice(keep === null ? 0 : -keep).join('.')
}

/** The name a domain spec expands to; null when it depends on the sender. */
export function expand(parts: readonly MacroPart[], macros: KnownMacros): string | null {
  let name = ''
  for (const part of parts) {
    if ('literal' in part) name += part.literal
    else if (part.letter === 'd' || part.letter === 'o') name += transform(macros[part.letter], part)
    else return null
  }
  return name
}
