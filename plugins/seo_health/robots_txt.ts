// robots.txt as one crawler reads it (RFC 9309): the rules of its group, and which rule decides about a path.
import { matchesPattern, normalizePath, normalizePattern } from './robots_pattern.ts'

/** Maximum characters of a line that are read, as in Google's parser: eight times the longest URL it follows. */
const LINE_LENGTH = 16_664
/** Maximum rules of one group that are matched against a path. */
const MAX_RULES = 5_000
/** Maximum characters of path and query that are matched. */
const PATH_LENGTH = 2_048
/** Maximum number of sitemaps that are recorded. */
const MAX_SITEMAPS = 50
/** Maximum number of faulty lines that are named. */
const MAX_FAULT_LINES = 5
/** Crawlers skip one that is cut short too; read as UTF-8, its octets are U+FFFD or these characters. */
const BYTE_ORDER_MARK = /^(?:\ufeff|\u00ef\u00bb\u00bf?|\u00ef|\ufffd{1,2})/

export interface RobotsRule {
  readonly allow: boolean
  /** Normalized. The longest matching pattern wins. */
  readonly pattern: string
}

export interface RobotsTxt {
  /** Rules of the groups that name the crawler, otherwise of those for `*`; empty if there are neither. */
  readonly rules: readonly RobotsRule[]
  /** Number of invalid or misspelled lines, and of rules before any group. */
  readonly faults: number
  /** Numbers of the first lines of these, from 1. */
  readonly fault_lines: readonly number[]
  /** The first sitemaps that the file lists, as written. */
  readonly sitemaps: readonly string[]
}

/** Rules and the product tokens they apply to. */
interface Group {
  readonly tokens: string[]
  readonly rules: RobotsRule[]
}

/** Reads the file for one crawler, given its product token without version; case does not matter. */
export function parseRobotsTxt(text: string, productToken: string): RobotsTxt {
  const lines = text
    .replace(BYTE_ORDER_MARK, '')
    .split(/\r\n|\r|\n/)
    .map(readLine)
  const groups: Group[] = []
  const faults: number[] = []
  for (const [at, line] of lines.entries()) {
    if (line.kind === 'fault' || ('misspelled' in line && line.misspelled)) faults.push(at + 1)
    const group = groups.at(-1)
    if (line.kind === 'user_agent') {
      if (group?.rules.length === 0) group.tokens.push(line.token)
      else groups.push({ tokens: [line.token], rules: [] })
    } else if (line.kind === 'rule') {
      if (group) group.rules.push(line.rule)
      else if (!line.misspelled) faults.push(at + 1)
    }
  }
  const sitemaps = lines.flatMap(line => (line.kind === 'sitemap' ? [line.url] : [])).slice(0, MAX_SITEMAPS)
  const rules = rulesFor(groups, productToken.toLowerCase())
  return { rules, faults: faults.length, fault_lines: faults.slice(0, MAX_FAULT_LINES), sitemaps }
}

/** Normalized. All groups that name the crawler are merged; groups for `*` count only if there is none (section 2.2.1). */
function rulesFor(groups: readonly Group[], token: string): RobotsRule[] {
  const matches = groups.filter(({ tokens }) => tokens.includes(token))
  const own = matches.length > 0 ? matches : groups.filter(({ tokens }) => tokens.includes('*'))
  return own
    .flatMap(({ rules }) => rules.filter(({ pattern }) => pattern !== ''))
    .slice(0, MAX_RULES)
    .map(({ allow, pattern }) => ({ allow, pattern: normalizePattern(pattern) }))
}

interface Spelling {
  readonly misspelled: boolean
}

/** Misspellings that Google's parser obeys; it reads `user-agent *` without a colon too. */
const KEYS: Readonly<Record<string, 'user-agent' | 'allow' | 'disallow' | 'sitemap'>> = {
  useragent: 'user-agent',
  'user agent': 'user-agent',
  dissallow: 'disallow',
  dissalow: 'disallow',
  disalow: 'disallow',
  diasllow: 'disallow',
  disallaw: 'disallow',
  'site-map': 'sitemap',
}
/** Without a colon, one blank part and no other. */
const COLONLESS = /^([a-z-]+)[ \t]+([^ \t]+)$/i

/** Records of other kinds do not end a group (section 2.2.4). */
type RobotsLine =
  | ({ readonly kind: 'user_agent'; readonly token: string } & Spelling)
  | ({ readonly kind: 'rule'; readonly rule: RobotsRule } & Spelling)
  | ({ readonly kind: 'sitemap'; readonly url: string } & Spelling)
  | { readonly kind: 'other' | 'fault' }

/** Also matches an empty line and a comment. */
const OTHER: RobotsLine = { kind: 'other' }
const FAULT: RobotsLine = { kind: 'fault' }
const KEY = /^[a-z][a-z0-9_ -]{0,40}$/
/**
 * Only spaces and tabs (WS of section 2.2): other blanks, such as a no-break space, belong to key or value. No other ASCII
 * blank can occur, because control characters are not recorded.
 */
const trimBlanks = (text: string): string => text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '')

function readLine(line: string): RobotsLine {
  if (line === '') return OTHER
  const comment = line.indexOf('#')
  const content = trimBlanks(line.slice(0, comment === -1 ? LINE_LENGTH : Math.min(comment, LINE_LENGTH)))
  if (content === '') return OTHER
  const colon = content.indexOf(':')
  const [, bare = '', only = ''] = colon === -1 ? (COLONLESS.exec(content) ?? []) : []
  const field = (colon === -1 ? bare : trimBlanks(content.slice(0, colon))).toLowerCase()
  const value = colon === -1 ? only : trimBlanks(content.slice(colon + 1))
  const key = Object.hasOwn(KEYS, field) ? KEYS[field] : field
  const isMisspelled = colon === -1 || key !== field
  if (key === 'user-agent') return { kind: 'user_agent', token: tokenOf(value), misspelled: isMisspelled }
  if (key === 'allow' || key === 'disallow') {
    return { kind: 'rule', rule: { allow: key === 'allow', pattern: value }, misspelled: isMisspelled }
  }
  if (key === 'sitemap') return { kind: 'sitemap', url: value, misspelled: isMisspelled }
  return colon !== -1 && KEY.test(field) ? OTHER : FAULT
}

/** Without a version (section 2.2.1). */
function tokenOf(value: string): string {
  return value.startsWith('*') ? '*' : (/^[a-z_-]*/i.exec(value)?.[0].toLowerCase() ?? '')
}

/** The rule that decides about the URL: the longest match; of equal ones the one that allows; null if none matches. */
export function decidingRule({ rules }: RobotsTxt, { pathname, search }: URL): RobotsRule | null {
  if (pathname === '/robots.txt') return null
  const path = normalizePath(`${pathname}${search}`.slice(0, PATH_LENGTH))
  let best: RobotsRule | null = null
  for (const rule of rules) {
    const longer = best === null || rule.pattern.length > best.pattern.length
    const kinder = best !== null && rule.pattern.length === best.pattern.length && rule.allow && !best.allow
    if ((longer || kinder) && matchesPattern(rule.pattern, path)) best = rule
  }
  return best
}
