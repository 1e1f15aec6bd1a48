// Contact addresses: in mailto links, in the text, and behind the disguises that people and CDNs give them.
import type { Document } from '../../src/engine/plugin.ts'
import { MAX_ADDRESS, MAX_LOCAL, parseAddress } from './email_address.ts'

/** A page with more is a list of people, not how to reach the site. */
const MAX_EMAILS = 50
/** Characters of the text that are searched: a book's worth. */
const TEXT_LENGTH = 512 * 1024
/** Places looked at, each costing a bounded look around it: keeps a page of nothing but at-signs cheap. */
const MAX_CANDIDATES = 5_000
/** Characters of a mailto link that can matter: several addresses and a subject. */
const MAILTO_LENGTH = 4_096

/** Unique contact addresses, links first, then text, in document order. */
export function findEmails(page: Pick<Document, 'anchors' | 'text' | 'cloaked_emails'>): string[] {
  const found = new Map<string, string>()
  for (const address of candidates(page)) {
    if (address === null) continue
    const key = address.toLowerCase()
    if (!found.has(key)) found.set(key, address)
    if (found.size === MAX_EMAILS) break
  }
  return [...found.values()]
}

function* candidates({ anchors, text, cloaked_emails }: Parameters<typeof findEmails>[0]): Generator<string | null> {
  for (const { href } of anchors) {
    if (isMailto(href)) yield* mailtoAddresses(href)
    if (href.includes(CDN_LINK)) yield cdnLinkAddress(href)
  }
  for (const hex of cloaked_emails) yield decodeProtected(hex)
  const searched = text.slice(0, TEXT_LENGTH)
  yield* textAddresses(searched)
  yield* textAddresses(unveil(searched))
}

const isMailto = (href: string): boolean => /^mailto:/i.test(href)

/** RFC 6068 section 2: the addresses before the query; `to`, `cc` and `bcc` in it belong to share buttons. */
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

/** `/cdn-cgi/l/email-protection#…`: Cloudflare's disguise of a mailto link. */
const CDN_LINK = '/cdn-cgi/l/email-protection'

function cdnLinkAddress(href: string): string | null {
  const [page, hex = ''] = href.slice(0, 4 * MAX_ADDRESS).split('#', 2)
  return page?.endsWith(CDN_LINK) ? decodeProtected(hex) : null
}

/** Cloudflare's encoding: hexadecimal octets, the first of which is the key that all others were XORed with. */
export function decodeProtected(hex: string): string | null {
  if (hex.length > 2 * (MAX_ADDRESS + 1) || hex.length % 2 === 1 || !/^[0-9a-f]+$/i.test(hex)) return null
  const [key = 0, ...octets] = hex.match(/../g)?.map(pair => Number.parseInt(pair, 16)) ?? []
  const link = new TextDecoder().decode(Uint8Array.from(octets, octet => octet ^ key))
  const query = link.indexOf('?', link.indexOf('@'))
  return parseAddress(query === -1 ? link : link.slice(0, query), { loose: false })
}

/** Brackets of any kind around "at" or "dot", with a little space about: a constant look-ahead at each place. */
const VEILED = / {0,2}[[({] {0,2}(at|@|dot|\.|punkt|punto|point) {0,2}[\])}] {0,2}/gi

/** `name [at] example (dot) com` made plain. */
const unveil = (text: string): string =>
  text.replace(VEILED, (_, word: string) => (word === '@' || word.toLowerCase() === 'at' ? '@' : '.'))

const LOCAL = /[A-Za-z0-9._%+'-]/
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u
const EDGES = /^['.-]+|[.-]+$/g

function* textAddresses(text: string): Generator<string | null> {
  let at = text.indexOf('@')
  for (let i = 0; at !== -1 && i < MAX_CANDIDATES; i++, at = text.indexOf('@', at + 1)) {
    yield addressAround(text, at)
  }
}

/** Looks at most a local part back and a domain ahead. A second at-sign or a path next to it is no address. */
function addressAround(text: string, at: number): string | null {
  let start = at
  while (start > 0 && at - start <= MAX_LOCAL && LOCAL.test(text.charAt(start - 1))) start--
  let end = at + 1
  while (end < text.length && end - at <= MAX_ADDRESS && DOMAIN.test(text.charAt(end))) end++
  if (start === at || end === at + 1) return null
  if ('@/'.includes(text.charAt(start - 1) || ' ') || text.charAt(end) === '@') return null
  return parseAddress(text.slice(start, end).replace(EDGES, ''), { loose: true })
}
