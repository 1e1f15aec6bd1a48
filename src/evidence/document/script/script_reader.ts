// Reads what the scripts of a page write into it, without running them: their syntax is parsed, and constants are followed to
// where they are written. Scripts that cannot write anything constant are not parsed.
import { type Options, Parser, type Program } from 'acorn'
import { createInterpreter, Exhausted, MOST_STEPS } from './interpreter.ts'
import { type Disguise, newScope } from './value.ts'
import { createHost, type Findings, newRoom, type PageSources } from './writes.ts'

export interface ScriptReader {
  /** What a script does, in the order of its steps. `isUrl`: a `javascript:` URL, whose value is a document. */
  read(script: string, disguise?: Disguise | null, isUrl?: boolean): Findings
}

/** Characters of all scripts of a page that are parsed: a page in one literal has this many. */
const MOST_CHARACTERS = 512 * 1024
/** Tokens of all scripts of a page that are parsed, which takes some 3 ms. A page in one literal is one token. */
const MOST_TOKENS = 6_000
/** Scripts of a page that are parsed, with those in text that they run. */
const MOST_SCRIPTS = 200
/** Scripts in text that scripts run. */
const NESTED = 4

/** Ways to run text or to leave the page; a member in brackets may be any of them, or a way to write. */
const RUNS =
  /\beval\b|\bFunction\s{0,9}\(|\bset(?:Timeout|Interval)\s{0,9}\(\s{0,9}["'`a]|\blocation\s{0,9}(?:=[^=]|\.\s{0,9}(?:href\s{0,9}=[^=]|replace\b|assign\b))|\]\s{0,9}\(/
/** What decodes text. */
const DECODES =
  /\batob\b|\bunescape\b|\bdecodeURI|fromC(?:har|odeP)|charCodeAt|TextDecoder|\breverse\(|\b(?:text|application)\/(?:html|xhtml)/
/** Ways to write markup that is not encoded. */
const WRITES =
  /\bdocument\s{0,9}\.\s{0,9}write(?:ln)?\b|(?:inner|outer)HTML|insertAdjacentHTML|createContextualFragment|parseFromString|setHTMLUnsafe|srcdoc|\bBlob\b|\.(?:html|append|prepend|replaceWith)\(/
/** Elements that draw a page; what includes scripts, pictures and lines of text is most of what scripts write. */
const DRAWS =
  /<(?:!doctype|html|body|form|input|select|textarea|button|iframe|object|embed|svg|h[1-3]|main|section)\b|>(?:mrof|lmth|ydob)\/?<|\\x3c|\\u003c|\\74/i
/** Reads what the page holds, or shows a template. */
const READS = /\b(?:textContent|innerText|dataset|getAttribute)\b|\.(?:text|value)\b|cloneNode|importNode/

/** An encoded text long enough for a page, which another script may write. */
const HOLDS = /["'`](?:[\w+/=.-]{200}|(?:%[0-9a-f]{2}){50}|(?:\\[ux][0-9a-f]{2,4}){50})|(?:\b\d{1,3},\s?){50}/i

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

/** Parsing costs most: most scripts show by a few words that they write nothing that could be a page. */
const mayWrite = (script: string): boolean =>
  (DECODES.test(script) && (WRITES.test(script) || RUNS.test(script))) ||
  ((WRITES.test(script) || /\]\s{0,9}\(/.test(script)) &&
    (DRAWS.test(script) || (script.length < SHORT && READS.test(script)))) ||
  (script.length < SHORT && CLONES.test(script)) ||
  PAGE_URL.test(script) ||
  HOLDS.test(script)

/** Shows a template. */
const CLONES = /\b(?:cloneNode|importNode)\b/

/** A URL that holds a page. */
const PAGE_URL = /data:(?:text\/html|application\/xhtml)/i

/** A script that shows what the page holds is short; longer ones that read fields are applications. */
const SHORT = 4 * 1024

/**
 * acorn compares each name with all names of the blocks around it, and each named group with all others, which is quadratic. Which
 * names clash does not matter here.
 */
const ScriptParser = Parser.extend(
  Base =>
    class extends Base {
      protected declareName(): void {}
      protected validateRegExpPattern(): void {}
    },
)

/** One for a page: its scripts share their variables and their budget. */
export function createScriptReader(sources: PageSources): ScriptReader {
  const budget = { steps: MOST_STEPS }
  const scope = newScope(null)
  const room = newRoom()
  let characters = 0
  let scripts = 0
  let tokens = 0
  let nested = 0

  function parsed(script: string): Program | 'too_long' | null {
    characters += script.length
    scripts += 1
    if (characters > MOST_CHARACTERS || scripts > MOST_SCRIPTS) return 'too_long'
    const onToken = () => {
      tokens += 1
      if (tokens > MOST_TOKENS) throw new Exhausted()
    }
    for (const sourceType of ['script', 'module'] as const) {
      try {
        return ScriptParser.parse(script, { ...OPTIONS, sourceType, onToken })
      } catch (error) {
        if (error instanceof Exhausted || error instanceof RangeError) return 'too_long'
      }
    }
    // Browsers run no script with a syntax error.
    return null
  }

  function follow(script: string, findings: Findings, disguise: Disguise | null, isUrl: boolean): void {
    if (!(isUrl || disguise !== null || mayWrite(script))) return
    if (nested >= NESTED) return
    const program = parsed(script)
    if (program === null) return
    const unread = () => {
      const found = disguise ?? DECODERS.find(([pattern]) => pattern.test(script))?.[1] ?? null
      room.findings -= 1
      if (found !== null && room.findings >= 0)
        findings.writes.push({ means: 'document_write', disguise: found, markup: null })
    }
    if (program === 'too_long') {
      unread()
      return
    }
    nested += 1
    const disguised = disguise === null ? findings : { ...findings, writes: disguisedAs(disguise, findings.writes) }
    const host = createHost(disguised, room, sources, (text, of) => follow(text, findings, of ?? disguise, false))
    const interpreter = createInterpreter(host, budget)
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
      unread()
    } finally {
      nested -= 1
    }
  }

  return {
    read(script, disguise = null, isUrl = false) {
      const findings: Findings = { writes: [], destinations: [] }
      follow(script, findings, disguise, isUrl)
      return findings
    },
  }
}

/** What a decoded script writes is disguised, also when it writes plain text. */
const disguisedAs = (disguise: Disguise, writes: Findings['writes']): Findings['writes'] =>
  Object.assign([], {
    push: (...all: Findings['writes']) =>
      writes.push(...all.map(one => ({ ...one, disguise: one.disguise ?? disguise }))),
  })
