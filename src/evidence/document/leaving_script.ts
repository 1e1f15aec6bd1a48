// Finds statements of scripts that leave the page for a literal URL, without running them. Every repetition is bounded.
import type { Leave } from './facts.ts'

/** `location = "…"`, `location.href = "…"`, `location.replace("…")` and `location.assign("…")`. */
const LEAVES =
  /\blocation\s{0,9}(?:(?:\.\s{0,9}href\s{0,9}|\[\s{0,9}["'`]href["'`]\s{0,9}\]\s{0,9})?=|\.\s{0,9}(?:replace|assign)\s{0,9}\()\s{0,9}(["'`])([^"'`\s]{1,2048})/g
/** `window.open("…", "_self")` */
const OPENS = /\bopen\s{0,9}\(\s{0,9}(["'`])([^"'`\s]{1,2048})(?=["'`]\s{0,9},\s{0,9}["'`]_(?:self|top|parent)["'`])/g

/** Characters before and after a statement that are looked at. A script with more does something else too. */
const AROUND = 160
const WINDOW = String.raw`(?:(?:window|document|self|top|parent|this|globalThis)\s{0,3}\.\s{0,3}){0,3}`
const OF_WINDOW = new RegExp(String.raw`[^\w$.]${WINDOW}$`, 'i')
const DECLARATION = /\b(?:var|let|const)\s{1,9}$/i
const NAMES_SITE = /^(?:https?:)?\/\//i

/** Beside `location`, only what opens a page in its own place leaves: other scripts need no search. */
const SELF = /_(?:self|top|parent)/

/** Statements of one kind in a script: a page leaves once. */
const MOST = 64

function firstOf(matches: Iterable<RegExpExecArray>): readonly RegExpExecArray[] {
  const first: RegExpExecArray[] = []
  for (const one of matches) {
    if (first.push(one) === MOST) break
  }
  return first
}

/** Most scripts show by a word that they do not leave. */
export const mayLeave = (script: string): boolean =>
  script.includes('location') || (script.includes('open') && SELF.test(script))

/** White space of `script` is folded. `handlers`: those of the page, which may call a function of this script. */
export function leavesOf(script: string, handlers: readonly string[]): Leave[] {
  const matches = [LEAVES, OPENS].flatMap(pattern => firstOf(script.matchAll(pattern)))
  return matches.flatMap(({ 0: text, 1: quote = '', 2: literal = '', index }) => {
    const url = literal.replaceAll('\\/', '/')
    const near = (index < AROUND ? ';' : '') + script.slice(Math.max(0, index - AROUND), index)
    const isOfWindow = OF_WINDOW.test(near) && !DECLARATION.test(near)
    // Data of the page may have a member of this name, but then not with the URL of another site.
    if (!isOfWindow && !NAMES_SITE.test(url)) return []
    const end = index + text.length
    const isWhole = script[end] === quote && !url.includes('\\') && !url.includes('${')
    const [before, after] = [script.slice(0, index), script.slice(end + 1)]
    const isCertain = isWhole && isOnly(before, after, handlers)
    return [{ written: url, isCertain, seconds: isCertain ? secondsOf(before, after, handlers) : 0 }]
  })
}

const FUNCTION = String.raw`(?:async\s?)?(?:function\s?\w{0,64}\s?\(\s?\w{0,16}\s?\)\s?\{|\(?\s?\w{0,16}\s?\)?\s?=>\s?\{?)`
const wrapper = (opening: string): RegExp => new RegExp(`^${opening}`, 'i')
/** What may stand around the statement: it then runs when the page is loaded, or soon after. */
const WRAPPERS = [
  wrapper(String.raw`(?:window\s?\.\s?)?onload\s?=\s?${FUNCTION}`),
  wrapper(
    String.raw`(?:(?:window|document)\s?\.\s?)?addEventListener\s?\(\s?["'](?:load|DOMContentLoaded)["']\s?,\s?${FUNCTION}`,
  ),
  wrapper(String.raw`(?:window\s?\.\s?)?setTimeout\s?\(\s?(?:${FUNCTION}|["'])`),
  wrapper(String.raw`(?:\$|jQuery)\s?\(\s?(?:document\s?\)\s?\.\s?ready\s?\(\s?)?${FUNCTION}`),
  wrapper(String.raw`[(!]\s?${FUNCTION}`),
]
/** A function that the rest of the script, or a handler, must call. */
const NAMED_FUNCTION = /^function\s(\w{1,64})\s?\(\s?\)\s?\{/i
/** Wrappers within each other. */
const DEPTH = 3

/** The delay of a timer, in milliseconds. */
const DELAY = /,\s?(\d{1,9})\s?\)/

/** Seconds that a script waits which consists of the statement between `before` and `after`. */
function secondsOf(before: string, after: string, handlers: readonly string[]): number {
  const around = [after, ...handlers]
  if (![before, ...around].some(text => /\bsetTimeout\b/i.test(text))) return 0
  const [delay = 0] = around.flatMap(text => DELAY.exec(text)?.[1] ?? [])
  return Number(delay) / 1_000
}

const NOTHING_BEFORE = new RegExp(`^(?:<!--)?${WINDOW}$`, 'i')
const NOTHING_AFTER = /^[\s(){};,.=\d"'`]{0,160}(?:\/\/\s?)?(?:-->)?\s?$/
const HARMLESS = /\b(?:setTimeout|window|onload|true|false)\b|,\s?["'`]_(?:self|top|parent)["'`]/gi

/** Whether the script consists of the statement between `before` and `after`, and of what makes it run by itself. */
function isOnly(before: string, after: string, handlers: readonly string[]): boolean {
  if (before.length > AROUND || after.length > AROUND) return false
  let tail = before.trim()
  let name = ''
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const opening = WRAPPERS.flatMap(pattern => pattern.exec(tail)?.[0] ?? [])[0] ?? ''
    const [functionName = '', calledName = ''] = opening === '' && name === '' ? (NAMED_FUNCTION.exec(tail) ?? []) : []
    name ||= calledName
    tail = tail.slice(opening.length + functionName.length).trimStart()
  }
  if (!NOTHING_BEFORE.test(tail)) return false
  if (name !== '' && ![after, ...handlers].some(text => text.split(/\W/).includes(name))) return false
  const rest = after.replace(HARMLESS, '')
  return NOTHING_AFTER.test(name === '' ? rest : rest.replaceAll(name, ''))
}
