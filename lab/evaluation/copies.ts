// What is judged of a page: the page itself, and with `--evade` changed copies of a phishing page.
import { evasions } from './evasions.ts'
import { type Loader, loaders, shells } from './loaders.ts'
import type { PageRecord } from './records.ts'

export interface Copy extends Omit<Loader, 'html'> {
  /** Name of the evasion or loader; null for the original page. */
  readonly evasion: string | null
  readonly html: Buffer | string
  /** The page itself, for what leads to it from elsewhere. */
  readonly elsewhere?: string
}

/** The original page in its own encoding. */
export const originalOf = ({ content_type }: PageRecord, html: Buffer): Copy => ({
  evasion: null,
  html,
  content_type,
  status: 200,
})

/** Each copy as UTF-8. */
export function* changedCopies({ brand = null }: PageRecord, original: Copy, url: string): Generator<Copy> {
  const html = original.html.toString('utf8')
  const contentType = 'text/html; charset=utf-8'
  for (const [evasion, change] of Object.entries(evasions)) {
    yield { ...original, evasion, html: change(html, { url, brand }), content_type: contentType }
  }
  for (const [evasion, load] of Object.entries({ ...loaders, ...shells }))
    yield { evasion, elsewhere: html, ...load(html) }
}

/** Days since registration, by the name that the tables use. */
export const AGES: Readonly<Record<string, number | null>> = { '3 d': 3, '40 d': 40, '8 y': 2_922, unknown: null }

/** Benign pages are young only on request. 40 days are left out where they would add many checks and say little. */
export function agesOf({ label }: PageRecord, { evasion }: Copy, young: boolean): string[] {
  if (label === 'benign' && !young) return ['8 y', 'unknown']
  return Object.keys(AGES).filter(age => age !== '40 d' || (young && evasion === null))
}
