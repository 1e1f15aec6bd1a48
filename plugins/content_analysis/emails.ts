// Contact addresses from mailto links, structured data and text, including those obfuscated by people or by a CDN.
import type { Document } from '../../src/engine/plugin.ts'
import { MAX_ADDRESS, MAX_LOCAL, parseAddress } from './email_address.ts'

/** A page with more is a directory of people, not contact data of the site. */
const MAX_EMAILS = 50
/** Only this many characters of the text are searched. */
const TEXT_LENGTH = 512 * 1024
/** At most this many at-signs are examined, so that a page full of them stays cheap. */
const MAX_CANDIDATES = 5_000
/** Maximum characters read of a mailto link: enough for several addresses and a subject. */
const MAILTO_LENGTH = 4_096

/** Unique contact addresses in document order: links first, then structured data, then text. */
export function findEmails(page: Pick<Document, 'anchors' | 'text' | 'cloaked_emails' | 'json_ld'>): string[] {
  const addresses = new Map<string, string>()
  for (const address of candidates(page)) {
    if (address === null) continue
    const key = address.toLowerCase()
    if (!addresses.has(key)) addresses.set(key, address)
    if (addresses.size === MAX_EMAILS) break
  }
  return [...addresses.values()]
}

function* candidates({
  anchors,
  text,
  cloaked_emails,
  json_ld,
}: Parameters<typeof findEmails>[0]): Generator<string | null> {
  for (const { href } of anchors) {
    if (isMailto(href)) yield* mailtoAddresses(href)
    if (href.includes(CDN_LINK)) yield cdnLinkAddress(href)
  }
  for (const hex of cloaked_emails) yield decodeProtected(hex)
  for (const block of json_ld) yield* structuredAddresses(block)
  const prefix = text.slice(0, TEXT_LENGTH)
  yield* textAddresses(prefix)
  if (!DEFANGED_ADDRESS.test(prefix)) yield* textAddresses(deobfuscate(prefix))
}

/** The `email` of schema.org, in blocks that are cut or invalid too. The evidence holds at most 64 Ki of them. */
const STRUCTURED_EMAIL = /"email"\s{0,9}:\s{0,9}\[?\s{0,9}("(?:[^"\\\n]|\\.){1,400}")/gi

function* structuredAddresses(block: string): Generator<string | null> {
  for (const [, literal = ''] of block.matchAll(STRUCTURED_EMAIL)) {
    const text = unquote(literal).trim()
    if (isMailto(text)) yield* mailtoAddresses(text)
    else yield parseAddress(text, { loose: true })
  }
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return ''
  }
}

const isMailto = (href: string): boolean => /^mailto:/i.test(href)

/** The addresses before the query (RFC 6068 section 2). `to`, `cc` and `bcc` in the query belong to share buttons. */
export function* mailtoAddresses(href: string): Generator<string | null> {
  if (!isMailto(href)) return
  const [path = ''] = href.slice(7, MAILTO_LENGTH).replace(/^\/\//, '').split('?', 1)
  for (const part of path.split(',')) yield parseAddress(percentDecoded(part).trim(), { loose: false })
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `/cdn-cgi/l/email-protection#…`: Cloudflare's obfuscated mailto link. */
const CDN_LINK = '/cdn-cgi/l/email-protection'

function cdnLinkAddress(href: string): string | null {
  const [page, hex = ''] = href.slice(0, 4 * MAX_ADDRESS).split('#', 2)
  return page?.endsWith(CDN_LINK) ? decodeProtected(hex) : null
}

/** Cloudflare's encoding: hexadecimal octets. All octets are XORed with the first one. */
export function decodeProtected(hex: string): string | null {
  if (hex.length > 2 * (MAX_ADDRESS + 1) || hex.length % 2 === 1 || !/^[0-9a-f]+$/i.test(hex)) return null
  const [key = 0, ...octets] = hex.match(/../g)?.map(pair => Number.parseInt(pair, 16)) ?? []
  const link = new TextDecoder().decode(Uint8Array.from(octets, octet => octet ^ key))
  const query = link.indexOf('?', link.indexOf('@'))
  return parseAddress(query === -1 ? link : link.slice(0, query), { loose: false })
}

/** Any brackets around "at" or "dot" with at most two spaces, so that each match looks ahead a constant distance. */
const OBFUSCATED_MARK = / {0,2}[[({] {0,2}(at|@|dot|\.|punkt|punto|point) {0,2}[\])}] {0,2}/gi

/**
 * `hxxp://evil[.]example`: a text about threats, which makes its addresses unusable so that nobody writes to them. A contact's dot is
 * a word, or stands apart.
 */
const DEFANGED_ADDRESS = /hxxps?:|\[:\]\/\/|[\p{L}\p{N}](?:\[\.\]?|\(\.\)|\{\.\})[\p{L}\p{N}]/iu

/** Rewrites `name [at] example (dot) com` as an address. */
const deobfuscate = (text: string): string =>
  text.replace(OBFUSCATED_MARK, (_, word: string) => (word === '@' || word.toLowerCase() === 'at' ? '@' : '.'))

const LOCAL = /[A-Za-z0-9._%+'-]/
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u
const EDGES = /^['-]+|[.-]+$/g
/** The domain goes on behind it: `info@example.co(dot)uk`. */
const MORE_DOMAIN = /^ {0,2}[[({] {0,2}(?:\.|(?:dot|punkt|punto|point)\b)/i
/** Characters that it may take. */
const MORE_LENGTH = 12

function* textAddresses(text: string): Generator<string | null> {
  let at = text.indexOf('@')
  for (let i = 0; at !== -1 && i < MAX_CANDIDATES; i++, at = text.indexOf('@', at + 1)) {
    yield addressAround(text, at)
  }
}

/**
 * Reads at most one local part back and one domain ahead. Text beside a second at-sign or a path is not an address, nor is the user
 * of a URL, of a remote file or of a command.
 */
function addressAround(text: string, at: number): string | null {
  let start = at
  while (start > 0 && at - start <= MAX_LOCAL && LOCAL.test(text.charAt(start - 1))) start--
  let end = at + 1
  while (end < text.length && end - at <= MAX_ADDRESS && DOMAIN.test(text.charAt(end))) end++
  if (start === at || end === at + 1) return null
  if ('@/'.includes(text.charAt(start - 1) || ' ') || text.charAt(end) === '@') return null
  if (text.charAt(start) === '.' || MORE_DOMAIN.test(text.slice(end, end + MORE_LENGTH))) return null
  if (isUrl(runBefore(text, start)) || COMMAND.test(text.slice(Math.max(0, start - COMMAND_LENGTH), start))) return null
  if (text.charAt(end) === ':' && isRemote(text.slice(start, at), text.slice(end + 1, end + URL_LENGTH))) return null
  return parseAddress(text.slice(start, end).replace(EDGES, ''), { loose: true })
}

/** Characters read of a URL before the address, and of a path behind it. */
const URL_LENGTH = 512

/** Punctuation that a URL seldom has. */
const ENDS_URL = /[\s<>"'()[\],;|]/

/** The text before `start` that may be one URL with it. */
function runBefore(text: string, start: number): string {
  let from = start
  while (from > 0 && start - from < URL_LENGTH && !ENDS_URL.test(text.charAt(from - 1))) from--
  return text.slice(from, start)
}

/** Within a URL, an at-sign follows a user, an account or a parameter. */
const isUrl = (run: string): boolean =>
  run.includes('://') || /^(?:jdbc|sips?|xmpp|acct|ssh):/i.test(run) || (/^www\./i.test(run) && run.includes('/'))

/** A command that takes a user and a host, with what options and files stand between. */
const COMMAND =
  /(?:^|[\s`$>])(?:ssh|scp|sftp|rsync|mosh|sshfs|ssh-copy-id|sqlplus)(?: (?:-\S{1,40}(?: [\w.,:/~-]{1,80})?|[\w-]{0,40}[./*~]\S{0,80})){0,6} $/
/** Characters before an address in which a command is looked for. */
const COMMAND_LENGTH = 256

/**
 * What follows the colon is a path (`deploy@host:/var/www`, `user@host:dir/`, `git@host:house/tool`) or the port of a server
 * (`scott@host:1521:orcl`).
 */
const isRemote = (user: string, after: string): boolean =>
  (user === 'git' && /^[\w~./-]/.test(after)) ||
  /^(?:[/~]|\.{1,2}\/|[\w.-]{1,100}\/(?!\d)|[\w~./-]{1,300}\.git(?![\w-])|[1-9]\d{2,4}(?!\d))/.test(after)
