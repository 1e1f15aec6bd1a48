// What is known of a value of a script that is read without being run. Whatever is not known is `unknown`.
import type { ArrowFunctionExpression, FunctionDeclaration, FunctionExpression } from 'acorn'

/** How text was encoded before the script decoded it. */
export const DISGUISES = [
  'base64',
  'percent_encoding',
  'character_codes',
  'escapes',
  'reversal',
  'arithmetic',
  'ciphertext',
] as const

export type Disguise = (typeof DISGUISES)[number]

export interface Text {
  readonly kind: 'text'
  /** Parts that are not known are `HOLE`. */
  readonly text: string
  readonly disguise: Disguise | null
}

export interface Unknown {
  readonly kind: 'unknown'
  /** It was decoded from something that is not known. */
  readonly disguise: Disguise | null
  /** Characters of a text, or eight times the items of a list, that was made and is too long to be kept. */
  readonly size?: number
}

export type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression

export type Value =
  | Text
  | Unknown
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'list'; readonly items: Value[] }
  | { readonly kind: 'record'; readonly members: Map<string, Value> }
  | { readonly kind: 'function'; readonly node: FunctionNode; readonly scope: Scope }
  /** A regular expression without what could take long. */
  | { readonly kind: 'pattern'; readonly pattern: RegExp }
  /** Something of the browser by its path, such as `document.write`, without `window.` and the like. */
  | { readonly kind: 'host'; readonly path: string; readonly of?: Value }
  /** An element of the page by its `id`. */
  | { readonly kind: 'element'; readonly id: string }

/** Stands in text for a part that is not known: the object replacement character. */
export const HOLE = '\ufffc'

export const UNKNOWN: Unknown = { kind: 'unknown', disguise: null }

/** Characters of one text, and items of one list: more than any page that is worth hiding. */
export const LONGEST_TEXT = 512 * 1024
export const LONGEST_LIST = 256 * 1024

export const text = (text: string, disguise: Disguise | null = null): Value =>
  text.length > LONGEST_TEXT ? { kind: 'unknown', disguise, size: text.length } : { kind: 'text', text, disguise }

export const number = (number: number): Value => ({ kind: 'number', number })

export const list = (items: Value[]): Value =>
  items.length > LONGEST_LIST ? { ...UNKNOWN, size: items.length * 8 } : { kind: 'list', items }

export const unknown = (disguise: Disguise | null): Value =>
  disguise === null ? UNKNOWN : { kind: 'unknown', disguise }

/** The disguise of a value or of what it holds, if any. */
export function disguiseOf(value: Value): Disguise | null {
  if (value.kind === 'text' || value.kind === 'unknown') return value.disguise
  if (value.kind !== 'list') return null
  // The first items tell: a list is decoded as a whole.
  for (const item of value.items.slice(0, 4)) {
    if ((item.kind === 'text' || item.kind === 'unknown') && item.disguise !== null) return item.disguise
  }
  return null
}

/** As JavaScript converts a value to a string; null when nothing of it is known. */
export function asText(value: Value): string | null {
  if (value.kind === 'text') return value.text
  if (value.kind === 'number') return String(value.number)
  if (value.kind === 'list') return joinTexts(value.items, ',')
  return null
}

/** The items in a row; lists in lists are not followed, since they may hold themselves. Null beyond the longest text. */
export function joinTexts(items: readonly Value[], separator: string): string | null {
  let whole = ''
  for (const [at, item] of items.entries()) {
    whole += (at === 0 ? '' : separator) + ((item.kind === 'list' ? null : asText(item)) ?? HOLE)
    if (whole.length > LONGEST_TEXT) return null
  }
  return whole
}

/** As JavaScript converts a value to a number; null when it is not known. */
export function asNumber(value: Value | undefined): number | null {
  if (value?.kind === 'number') return value.number
  if (value?.kind === 'text' && !value.text.includes(HOLE)) return Number(value.text)
  return null
}

/** Whether a condition holds; null when that is not known. */
export function asBoolean(value: Value): boolean | null {
  if (value.kind === 'unknown' || value.kind === 'host' || value.kind === 'element') return null
  if (value.kind === 'number') return value.number !== 0 && !Number.isNaN(value.number)
  if (value.kind === 'text') return value.text !== ''
  return true
}

/** Variables of a function or of the script. */
export interface Scope {
  readonly variables: Map<string, Value>
  readonly parent: Scope | null
}

export const newScope = (parent: Scope | null): Scope => ({ variables: new Map(), parent })

export function lookUp(scope: Scope, name: string): Value | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const value = at.variables.get(name)
    if (value !== undefined) return value
  }
  return null
}

/** Sets a variable where it was declared, else as a global one. */
export function assign(scope: Scope, name: string, value: Value): void {
  let at = scope
  while (!at.variables.has(name) && at.parent !== null) at = at.parent
  at.variables.set(name, value)
}
