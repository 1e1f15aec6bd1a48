// The declarative refresh (HTML, "shared declarative refresh steps"): `<meta http-equiv="refresh" content="0; url=…">`.
import type { Document } from './facts.ts'

export interface Refresh {
  readonly seconds: number
  /** The destination; null (the page itself) if no URL is given or it cannot be resolved. */
  readonly url: URL | null
}

/** Seconds, separator, optional `url=` in any case, optional quotation mark. Every repetition is bounded. */
const REFRESH = /^\s{0,32}(\d{0,9})[\d.]{0,32}\s{0,32}(?:[;,\s]\s{0,32}(?:url\s{0,8}=\s{0,8})?(['"]?))?/i
/** The page parser cuts longer values. */
const LENGTH = 4_096

const resolveUrl = (reference: string, base: string): URL | null =>
  URL.canParse(reference, base) ? new URL(reference, base) : null

/** The first refresh of the page, or null. */
export function findRefresh({ metas, url, base }: Pick<Document, 'metas' | 'url' | 'base'>): Refresh | null {
  const meta = metas.find(({ name }) => name === 'refresh')
  return meta ? parseRefresh(meta.content, resolveUrl(base ?? '', url)?.href ?? url) : null
}

export function parseRefresh(text: string, base: string): Refresh | null {
  const content = text.slice(0, LENGTH)
  const [match, digits = '', quote = ''] = REFRESH.exec(content) ?? []
  if (match === undefined || (digits === '' && !content.trimStart().startsWith('.'))) return null
  const rest = content.slice(match.length)
  const [reference = ''] = quote === '' ? [rest] : rest.split(quote, 1)
  return { seconds: Number(digits), url: reference.trim() === '' ? null : resolveUrl(reference.trim(), base) }
}
