// Reads what the scripts of a page write into it, without running them: their syntax is parsed, and constants are followed to
// where they are written. Scripts that cannot write anything constant are not parsed.
import { type Options, Parser, type Program, type TokenType, tokTypes } from 'acorn'
import { type Course, Exhausted, Interpreter, MOST_STEPS } from './interpreter.ts'
import { type Disguise, newScope } from './value.ts'
import { type Findings, newRoom, type PageSources, WritingHost } from './writes.ts'

export interface ScriptReader {
  /** What a script does, in the order of its steps. `isUrl`: a `javascript:` URL, whose value is a document. */
  read(script: string, disguise?: Disguise | null, isUrl?: boolean): ReadScript
}

export interface ReadScript extends Findings {
  /** Null, or why the script may write more than was found. */
  readonly unread: UnreadScript | null
}

export interface UnreadScript {
  /** How it decodes, if it does. */
  readonly disguise: Disguise | null
  /** It was not read to its end; otherwise none of what it holds was found to be written. */
  readonly isCut: boolean
  /** It holds text that may be a page, encoded or in pieces; otherwise plain markup or nothing. */
  readonly isHeld: boolean
}

/** Characters of all scripts of a page that are parsed: a page in one literal has this many. */
const MOST_CHARACTERS = 512 * 1024
/** Tokens of all scripts of a page that are parsed, which takes some 3 ms. A page in one literal is one token. */
const MOST_TOKENS = 6_000
/** The same for literals and commas, in which a page may be split: these are parsed faster. */
const MOST_LITERALS = 40_000
/** Scripts of a page that are parsed, with those in text that they run. */
const MOST_SCRIPTS = 200
/** Scripts in text that scripts run. */
const MAX_NESTING = 4
/** What such text costs, in steps of the script that runs it: to begin with it, and to search so many of its characters. */
const START_STEPS = 128
const SEARCH_CHARACTERS = 8

/** Ways to run text or to leave the page; a member in brackets may be any of them, or a way to write. */
const RUNS =
  /\beval\b|\bFunction\s{0,9}\(|\bset(?:Timeout|Interval)\s{0,9}\(\s{0,9}["'`a]|\blocation\s{0,9}(?:=[^=]|\.\s{0,9}(?:href\s{0,9}=[^=]|replace\b|assign\b))|\]\s{0,9}\(/
/** What decodes text. */
const DECODES =
  /\batob\b|\bunescape\b|\bdecodeURI|fromC(?:har|odeP)|charCodeAt|TextDecoder|\breverse\(|\b(?:text|application)\/(?:html|xhtml)/
/** Ways to write markup that is not encoded. */
const WRITES =
  /\bdocument\s{0,9}\.\s{0,9}(?:write(?:ln)?|open)\b|(?:inner|outer)HTML|replaceChildren|insertAdjacentHTML|createContextualFragment|parseFromString|setHTMLUnsafe|srcdoc|\bBlob\b|\.(?:html|append|prepend|replaceWith)\(/
/** Elements that draw a page; what includes scripts, pictures and lines of text is most of what scripts write. */
const DRAWS =
  /<(?:!doctype|html|body|form|input|select|textarea|button|iframe|object|embed|svg|h[1-3]|main|section)\b|>(?:mrof|lmth|ydob)\/?<|\\x3c|\\u003c|\\74/i
/** Reads what the page holds, or shows a template. */
const READS = /\b(?:textContent|innerText|dataset|getAttribute)\b|\.(?:text|value)\b|cloneNode|importNode/

/** What takes the place of the page, or writes after it was read. */
const REPLACES =
  /\b(?:body|documentElement)\b["'\])\s]{0,9}(?:\.|\[)\s{0,9}["']?(?:(?:inner|outer)HTML|replaceChildren|replaceWith)|\bdocument\s{0,9}\.\s{0,9}open\s{0,9}\(/
const LATER = /\bfetch\b|XMLHttpRequest|\.then\b|\bawait\b|addEventListener|\bonload\b|setTimeout|\.ready\b/
/** Leaves the page, for a literal URL or for one that the script holds. */
const LEAVES = /\blocation\b\s{0,9}(?:=[^=]|\.\s{0,9}(?:href\s{0,9}=[^=]|replace\b|assign\b))/
const HOLDS_URL = /["'`](?:https?:)?(?:\\?\/){2}|\blocation[.\w]{0,12}\s{0,9}[=(]\s{0,9}["'`]/

/** Characters that are written: the least that an encoded text stands for. */
const ENCODED_TEXT_LENGTH = 50
/** Characters of a text, or texts in a row, that may be a page. */
const HELD_LITERAL = 1_024
const HELD_PIECES = 400

/** An encoded text long enough for a page, which another script may write. */
export const HOLDS = /["'`](?:[\w+/=.-]{200}|(?:%[0-9a-f]{2}){50}|(?:\\[ux][0-9a-f]{2,4}){50})|(?:\b\d{1,3},\s?){50}/i

/** A page in pieces that show no tag. */
const PIECES = /(?:(?:"[^"\n]{0,16}"|'[^'\n]{0,16}')\s?[,+]\s?){50}/

/** For a script that is too long to parse: what it decodes with. */
const DECODERS: readonly (readonly [pattern: RegExp, disguise: Disguise])[] = [
  [/\batob\b/, 'base64'],
  [/\bunescape\b|\bdecodeURI(?:Component)?\b/, 'percent_encoding'],
  [/\bfromC(?:har|ode)/, 'character_codes'],
]

const OPTIONS: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
  allowHashBang: true,
}

/** Whether a script could write or run what it holds. */
const hasMeans = (script: string): boolean => WRITES.test(script) || RUNS.test(script) || CLONES.test(script)

/** Parsing costs most: most scripts show by a few words that they write nothing that could be a page. */
export function mayWrite(script: string): boolean {
  const has = (word: string) => script.includes(word)
  const isShort = script.length < SHORT
  const writes = WRITES.test(script)
  if (writes || has('(')) {
    if ((writes || RUNS.test(script)) && DECODES.test(script)) return true
    if (
      (writes || BRACKETS.test(script)) &&
      (DRAWS.test(script) || PIECES.test(script) || (isShort && READS.test(script)))
    )
      return true
  }
  if (writes && (REPLACES.test(script) || (has('.write') && LATER.test(script)))) return true
  if (isShort && (CLONES.test(script) || (has('location') && LEAVES.test(script) && HOLDS_URL.test(script))))
    return true
  return (has('data:') && PAGE_URL.test(script)) || HOLDS.test(script)
}

/** A member in brackets is called. */
const BRACKETS = /\]\s{0,9}\(/

/** Shows a template. */
const CLONES = /\b(?:cloneNode|importNode)\b|\.content\b/

/** A URL that holds a page. */
const PAGE_URL = /data:(?:text\/html|application\/xhtml)/i

/** A script that shows what the page holds is short; longer ones that read fields are applications. */
const SHORT = 4 * 1024

/** What was parsed of the scripts of a page. */
interface Tally {
  tokens: number
  literals: number
  /** Of the script that is parsed: its texts, and the characters of the longest. */
  texts: number
  longest: number
}

/** Parsing is done at once, so that one tally at a time is enough. */
let tally: Tally = { tokens: 0, literals: 0, texts: 0, longest: 0 }

/** Pictures and fonts are no pages. */
const MEDIA = /^data:(?:image|font|audio|video)\//

function count(type: TokenType, value: unknown): void {
  const isText = type === tokTypes.string || type === tokTypes.template
  if (!isText && type !== tokTypes.comma && type !== tokTypes.num) tally.tokens += 1
  else tally.literals += 1
  if (isText && typeof value === 'string') {
    tally.texts += 1
    if (value.length > tally.longest && !MEDIA.test(value)) tally.longest = value.length
  }
  if (tally.tokens > MOST_TOKENS || tally.literals > MOST_LITERALS) throw new Exhausted()
}

/** A method of acorn that its types leave out. */
interface Finishing {
  finishToken(type: TokenType, value?: unknown): void
}
const { finishToken } = Parser.prototype as unknown as Finishing

/**
 * acorn compares each name with all names of the blocks around it, and each named group with all others, which is quadratic. Which
 * names clash does not matter here.
 */
const ScriptParser = Parser.extend(
  base =>
    class extends base {
      protected declareName(): void {}
      protected validateRegExpPattern(): void {}
      /** Counting here spares an object for each token. */
      protected finishToken(type: TokenType, value?: unknown): void {
        count(type, value)
        finishToken.call(this, type, value)
      }
    },
)

type Cut = Pick<UnreadScript, 'disguise' | 'isHeld'>

/** One for a page: its scripts share their variables and their budget. */
export function createScriptReader(sources: PageSources): ScriptReader {
  const course: Course = { steps: MOST_STEPS, doubts: 0, waited_ms: 0 }
  const scope = newScope(null)
  const room = newRoom()
  let characters = 0
  let scripts = 0
  const own: Tally = { tokens: 0, literals: 0, texts: 0, longest: 0 }
  let depth = 0
  let cut: Cut | null = null

  function parseScript(script: string): Program | 'too_long' | null {
    characters += script.length
    scripts += 1
    if (characters > MOST_CHARACTERS || scripts > MOST_SCRIPTS) return 'too_long'
    tally = own
    for (const sourceType of ['script', 'module'] as const) {
      own.texts = 0
      own.longest = 0
      try {
        return ScriptParser.parse(script, { ...OPTIONS, sourceType })
      } catch (error) {
        if (error instanceof Exhausted || error instanceof RangeError) return 'too_long'
      }
    }
    // Browsers run no script with a syntax error.
    return null
  }

  function follow(script: string, findings: Findings, disguise: Disguise | null, isUrl: boolean): void {
    if (depth > 0) {
      course.steps -= START_STEPS + script.length / SEARCH_CHARACTERS
      if (course.steps < 0) throw new Exhausted()
    }
    if (!(isUrl || disguise !== null || mayWrite(script))) return
    const notRead = () => {
      const isHeld =
        cut?.isHeld === true || HOLDS.test(script) || own.longest >= HELD_LITERAL || own.texts >= HELD_PIECES
      cut = { disguise: cut?.disguise ?? disguise ?? decoderIn(script), isHeld }
    }
    const program = depth >= MAX_NESTING ? 'too_long' : parseScript(script)
    if (program === null) return
    if (program === 'too_long') {
      notRead()
      return
    }
    depth += 1
    const disguisedFindings =
      disguise === null ? findings : { ...findings, writes: disguisedAs(disguise, findings.writes) }
    const host = new WritingHost(disguisedFindings, { room, course, sources }, (text, of) =>
      follow(text, findings, of ?? disguise, false),
    )
    const interpreter = new Interpreter(host, course)
    try {
      interpreter.run(program, scope)
      const last = isUrl ? program.body.at(-1) : undefined
      if (last?.type === 'ExpressionStatement')
        host.assign('srcdoc', interpreter.evaluate(last.expression, scope), { kind: 'host', path: '' }, () => ({
          kind: 'unknown',
          disguise: null,
        }))
    } catch (error) {
      if (!(error instanceof Exhausted || error instanceof RangeError)) throw error
      notRead()
    } finally {
      depth -= 1
    }
  }

  return {
    read(script, disguise = null, isUrl = false) {
      const findings: Findings = { writes: [], destinations: [] }
      cut = null
      follow(script, findings, disguise, isUrl)
      return { ...findings, unread: cut === null ? notFound(script, findings) : { isCut: true, ...(cut as Cut) } }
    },
  }
}

/** A script that holds a page and has means to write it, but of which nothing was found to be written. */
function notFound(script: string, { writes, destinations }: Findings): UnreadScript | null {
  if (destinations.length > 0 || !hasMeans(script)) return null
  const isHeld = HOLDS.test(script)
  if (!isHeld && !(WRITES.test(script) && DRAWS.test(script))) return null
  const characters = writes.reduce((sum, { markup }) => sum + (markup?.length ?? 0), 0)
  return characters >= (isHeld ? ENCODED_TEXT_LENGTH : 1) ? null : { disguise: decoderIn(script), isCut: false, isHeld }
}

/** What a script that was not kept may write. */
export const unreadScript = (script: string): UnreadScript => ({
  disguise: decoderIn(script),
  isCut: true,
  isHeld: HOLDS.test(script) || PIECES.test(script),
})

const decoderIn = (script: string): Disguise | null => DECODERS.find(([pattern]) => pattern.test(script))?.[1] ?? null

/** What a decoded script writes is disguised, also when it writes plain text. */
const disguisedAs = (disguise: Disguise, writes: Findings['writes']): Findings['writes'] =>
  Object.assign([], {
    push: (...all: Findings['writes']) =>
      writes.push(...all.map(one => ({ ...one, disguise: one.disguise ?? disguise }))),
  })
