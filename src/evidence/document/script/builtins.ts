// The functions of the language that turn constants into constants: decoders, and the methods of strings and lists. Pure.
import {
  asBoolean,
  asNumber,
  asText,
  type Disguise,
  disguiseOf,
  HOLE,
  joinTexts,
  LONGEST_TEXT,
  list,
  number,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from './value.ts'

/** Calls a function of the script. */
export type Call = (callable: Value, args: readonly Value[]) => Value

export type Builtin = (args: readonly Value[], call: Call) => Value

/** A decoder of one text. What it cannot decode is not known, but was disguised. */
const decoder =
  (disguise: Disguise, decode: (text: string) => string): Builtin =>
  ([value = UNKNOWN]) => {
    const source = asText(value)
    if (source === null || source.includes(HOLE)) return decodeAroundHoles(value, disguise, decode)
    try {
      const decodedText = decode(source)
      return text(decodedText, decodedText === source ? disguiseOf(value) : disguise)
    } catch {
      return unknown(disguise)
    }
  }

/** Percent encoding is decoded around what is not known. */
function decodeAroundHoles(value: Value, disguise: Disguise, decode: (text: string) => string): Value {
  const source = asText(value)
  if (source === null || disguise !== 'percent_encoding') return unknown(disguise)
  try {
    return text(source.split(HOLE).map(decode).join(HOLE), disguise)
  } catch {
    return unknown(disguise)
  }
}

const fromCodes =
  (convert: (code: number) => string): Builtin =>
  args => {
    const codes = args.map(asNumber)
    const disguise = 'character_codes'
    if (codes.every(code => code === null)) return unknown(disguise)
    try {
      return text(codes.map(code => (code === null ? HOLE : convert(code))).join(''), disguise)
    } catch {
      return unknown(disguise)
    }
  }

const mathOf =
  (compute: (...numbers: number[]) => number): Builtin =>
  args => {
    const numbers = args.map(asNumber)
    return numbers.some(one => one === null) ? UNKNOWN : number(compute(...(numbers as number[])))
  }

const convertJson = (value: unknown): Value => {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return list(value.map(convertJson))
  if (value === null || typeof value !== 'object') return UNKNOWN
  return { kind: 'record', members: new Map(Object.entries(value).map(([key, one]) => [key, convertJson(one)])) }
}

/** Octets as text, as `TextDecoder` reads them. */
const decodeOctets: Builtin = ([octets]) => {
  if (octets?.kind !== 'list') return unknown('character_codes')
  const numbers = octets.items.map(asNumber)
  if (numbers.some(one => one === null)) return unknown('character_codes')
  return text(Buffer.from(numbers as number[]).toString('utf8'), disguiseOf(octets) ?? 'character_codes')
}

const listFrom: Builtin = ([argument = UNKNOWN, mapper], call) => {
  const items = itemsOf(argument)
  if (items === null) return UNKNOWN
  return mapper === undefined ? list(items) : list(items.map((item, at) => call(mapper, [item, number(at)])))
}

function itemsOf(value: Value): Value[] | null {
  if (value.kind === 'list') return [...value.items]
  if (value.kind === 'text') return value.text.split('').map(one => text(one, value.disguise))
  return null
}

const all: Readonly<Record<string, Builtin>> = {
  atob: decoder('base64', argument => atob(argument)),
  unescape: decoder('percent_encoding', unescapePercent),
  decodeURIComponent: decoder('percent_encoding', decodeURIComponent),
  decodeURI: decoder('percent_encoding', decodeURI),
  escape: ([value = UNKNOWN]) => keepDisguise(value, escapePercent),
  encodeURIComponent: ([value = UNKNOWN]) => keepDisguise(value, encodeURIComponent),
  'String.fromCharCode': fromCodes(code => String.fromCharCode(code)),
  'String.fromCodePoint': fromCodes(code => String.fromCodePoint(code)),
  String: ([value = UNKNOWN]) => keepDisguise(value, argument => argument),
  'String.raw': ([value = UNKNOWN]) => keepDisguise(value, argument => argument),
  Number: mathOf(value => value),
  parseInt: ([value, radix]) => {
    const source = value === undefined ? null : asText(value)
    return source === null || source.includes(HOLE) ? UNKNOWN : number(Number.parseInt(source, asNumber(radix) ?? 10))
  },
  parseFloat: mathOf(value => value),
  'Math.floor': mathOf(Math.floor),
  'Math.ceil': mathOf(Math.ceil),
  'Math.round': mathOf(Math.round),
  'Math.abs': mathOf(Math.abs),
  'Math.min': mathOf(Math.min),
  'Math.max': mathOf(Math.max),
  'JSON.parse': ([value = UNKNOWN]) => {
    try {
      return convertJson(JSON.parse(asText(value) ?? ''))
    } catch {
      return unknown(disguiseOf(value))
    }
  },
  'Array.from': listFrom,
  'Uint8Array.from': listFrom,
  'Uint16Array.from': listFrom,
  Uint8Array: listFrom,
  Uint16Array: listFrom,
  Array: args => list([...args]),
  // A promise is what it is kept with.
  'Promise.resolve': ([value = UNKNOWN]) => value,
  Map: ([entries = UNKNOWN]) => {
    const pairs = entries.kind === 'list' ? entries.items : []
    const members = pairs.flatMap(pair => {
      const [key = UNKNOWN, value = UNKNOWN] = pair.kind === 'list' ? pair.items : []
      return [[asText(key) ?? '', value] as const]
    })
    return { kind: 'record', members: new Map(members) }
  },
  'Array.of': args => list([...args]),
  'TextDecoder.decode': decodeOctets,
}

/** Functions by their path. */
export const functions: ReadonlyMap<string, Builtin> = new Map(Object.entries(all))

/** Converts text, and keeps its disguise. */
function keepDisguise(value: Value, convert: (text: string) => string): Value {
  const source = asText(value)
  if (source === null) return unknown(disguiseOf(value))
  try {
    return text(convert(source), disguiseOf(value))
  } catch {
    return unknown(disguiseOf(value))
  }
}

type Method<Of> = (on: Of, args: readonly Value[], call: Call) => Value
type TextValue = Extract<Value, { kind: 'text' }>
type ListValue = Extract<Value, { kind: 'list' }>

const at = (args: readonly Value[], index: number): number | undefined => asNumber(args[index]) ?? undefined

const same =
  (change: (text: string, args: readonly Value[]) => string): Method<TextValue> =>
  (on, args) =>
    text(change(on.text, args), on.disguise)

/** Text that decoders compute from: its code bears the disguise on. */
const codeAt: Method<TextValue> = (on, args) => {
  const code = on.text.charCodeAt(at(args, 0) ?? 0)
  return Number.isNaN(code) || on.text.charAt(at(args, 0) ?? 0) === HOLE ? UNKNOWN : number(code)
}

const replace =
  (all: boolean): Method<TextValue> =>
  (on, [searchValue, by], call) => {
    const needle =
      searchValue === undefined ? null : searchValue.kind === 'pattern' ? searchValue.pattern : asText(searchValue)
    if (needle === null || by === undefined) return unknown(on.disguise)
    const change = by.kind === 'function' ? null : asText(by)
    // What stands before or after may be as long as the text, each time.
    if (change !== null && /\$[`']/.test(change)) return unknown(on.disguise)
    const computeReplacement = (...replacerArguments: unknown[]) => {
      const groups = replacerArguments.filter(one => typeof one === 'string').slice(0, 2) as string[]
      return (
        asText(
          call(
            by,
            groups.map(one => text(one, on.disguise)),
          ),
        ) ?? HOLE
      )
    }
    const disguise = on.disguise ?? (by.kind === 'function' ? 'arithmetic' : null)
    const isAll = all || (needle instanceof RegExp && needle.global)
    // Replacing text by longer text many times could use much time and memory.
    const longest = on.text.length * Math.max(1, change?.length ?? 8)
    if (isAll && longest > LONGEST_TEXT * 2) return unknown(disguise)
    if (change !== null) {
      return text(isAll ? on.text.replaceAll(globally(needle), change) : on.text.replace(needle, change), disguise)
    }
    return text(
      isAll ? on.text.replaceAll(globally(needle), computeReplacement) : on.text.replace(needle, computeReplacement),
      disguise,
    )
  }

const globally = (pattern: string | RegExp): string | RegExp =>
  typeof pattern === 'string' || pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)

export const textMethods: Readonly<Record<string, Method<TextValue>>> = {
  at: same((argument, args) => argument.at(at(args, 0) ?? 0) ?? ''),
  charAt: same((argument, args) => argument.charAt(at(args, 0) ?? 0)),
  charCodeAt: codeAt,
  codePointAt: codeAt,
  concat: (on, args) => textOf([on, ...args], '', on.disguise),
  slice: same((argument, args) => argument.slice(at(args, 0), at(args, 1))),
  substring: same((argument, args) => argument.substring(at(args, 0) ?? 0, at(args, 1))),
  substr: same((argument, args) => {
    const start = at(args, 0) ?? 0
    const from = start < 0 ? Math.max(0, argument.length + start) : start
    return argument.slice(from, from + (at(args, 1) ?? argument.length))
  }),
  toLowerCase: same(argument => argument.toLowerCase()),
  toUpperCase: same(argument => argument.toUpperCase()),
  trim: same(argument => argument.trim()),
  toString: same(argument => argument),
  valueOf: same(argument => argument),
  normalize: same(argument => argument),
  repeat: (on, args) => {
    const times = at(args, 0) ?? 0
    return times >= 0 && on.text.length * times <= LONGEST_TEXT ? text(on.text.repeat(times), on.disguise) : UNKNOWN
  },
  padStart: same((argument, args) => argument.padStart(Math.min(64, at(args, 0) ?? 0), padding(args))),
  padEnd: same((argument, args) => argument.padEnd(Math.min(64, at(args, 0) ?? 0), padding(args))),
  indexOf: (on, [searchValue]) => {
    const needle = searchValue === undefined ? null : asText(searchValue)
    return needle === null ? UNKNOWN : number(on.text.indexOf(needle))
  },
  split: (on, [separator]) => {
    const delimiter =
      separator === undefined ? on.text : separator.kind === 'pattern' ? separator.pattern : asText(separator)
    return delimiter === null ? UNKNOWN : list(on.text.split(delimiter).map(one => text(one, on.disguise)))
  },
  match: (on, [searchValue]) =>
    searchValue?.kind === 'pattern' && searchValue.pattern.global
      ? list((on.text.match(searchValue.pattern) ?? []).map(one => text(one, on.disguise)))
      : UNKNOWN,
  replace: replace(false),
  replaceAll: replace(true),
}

const textOf = (items: readonly Value[], separator: string, disguise: Disguise | null): Value => {
  const whole = joinTexts(items, separator)
  return whole === null ? unknown(disguise) : text(whole, disguise)
}

const padding = (args: readonly Value[]): string => (args[1] === undefined ? ' ' : (asText(args[1]) ?? ' '))

export const listMethods: Readonly<Record<string, Method<ListValue>>> = {
  join: (on, [separator]) => {
    const between = separator === undefined ? ',' : asText(separator)
    return between === null ? UNKNOWN : textOf(on.items, between, disguiseOf(on))
  },
  reverse: on => {
    on.items.reverse()
    // Reversing single characters is how text is turned round.
    if (on.items.length < 2 || on.items.some(item => item.kind !== 'text' || item.text.length !== 1)) return on
    on.items.forEach((item, index) => {
      if (item.kind === 'text') on.items[index] = text(item.text, item.disguise ?? 'reversal')
    })
    return on
  },
  map: (on, [mapper = UNKNOWN], call) => list(on.items.map((item, index) => call(mapper, [item, number(index), on]))),
  forEach: (on, [mapper = UNKNOWN], call) => {
    on.items.forEach((item, index) => void call(mapper, [item, number(index), on]))
    return UNKNOWN
  },
  reduce: (on, [reducer = UNKNOWN, first], call) => {
    const items = first === undefined ? on.items : [first, ...on.items]
    return items.reduce((sum, item, index) => call(reducer, [sum, item, number(index)]))
  },
  filter: (on, [predicate = UNKNOWN], call) =>
    list(on.items.filter((item, index) => asBoolean(call(predicate, [item, number(index), on])) !== false)),
  concat: (on, args) => list([...on.items, ...args.flatMap(one => (one.kind === 'list' ? one.items : [one]))]),
  slice: (on, args) => list(on.items.slice(at(args, 0), at(args, 1))),
  push: (on, args) => {
    if (on.items.length < LONGEST_TEXT) on.items.push(...args)
    return number(on.items.length)
  },
  unshift: (on, args) => {
    if (on.items.length < LONGEST_TEXT) on.items.unshift(...args)
    return number(on.items.length)
  },
  pop: (on: ListValue) => on.items.pop() ?? UNKNOWN,
  shift: (on: ListValue) => on.items.shift() ?? UNKNOWN,
  at: (on: ListValue, args: readonly Value[]) => on.items.at(at(args, 0) ?? 0) ?? UNKNOWN,
  toString: (on: ListValue) => textOf(on.items, ',', disguiseOf(on)),
}

export const numberToText = (value: number, radix: number | null): Value =>
  radix === null || (radix >= 2 && radix <= 36) ? text(value.toString(radix ?? 10)) : UNKNOWN

/** Elements of one character class, escapes and plain characters, at most one repetition, and that last: linear in the text. */
const LINEAR = /^\(?(?:\\[^bBk\d]|\[(?:\\.|[^\]\\])*\]|[^\\[\](){}*+?|^$])+(?:[+*]|\{\d(?:,\d?)?\})?\)?$/

/** A regular expression whose matching is linear in the text, or null. */
export function linearPattern(source: string, flags: string): RegExp | null {
  if (source.length > 64 || !LINEAR.test(source)) return null
  try {
    return new RegExp(source, flags.replace(/[^gimsu]/g, ''))
  } catch {
    return null
  }
}

/** As `unescape` (ECMAScript annex B.2.1): `%XX` and `%uXXXX`; anything else stays. */
function unescapePercent(text: string): string {
  return text.replace(/%(?:u([0-9a-f]{4})|([0-9a-f]{2}))/gi, (_, unit?: string, octet?: string) =>
    String.fromCharCode(Number.parseInt(unit ?? octet ?? '', 16)),
  )
}

/** As `escape`. */
function escapePercent(text: string): string {
  return text.replace(/[^A-Za-z0-9@*_+\-./]/g, character => {
    const code = character.charCodeAt(0)
    const digits = code.toString(16).toUpperCase()
    return code < 256 ? `%${digits.padStart(2, '0')}` : `%u${digits.padStart(4, '0')}`
  })
}
