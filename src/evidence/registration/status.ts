// Status values in one spelling, whichever of EPP's or RDAP's they came in. Pure.
import { clean } from '../document/clean.ts'

/** RFC 8056 section 2, as RDAP writes them; EPP writes the same words without spaces, and `ok` for `active`. */
const STANDARD = [
  'active',
  'inactive',
  'linked',
  'add period',
  'auto renew period',
  'renew period',
  'transfer period',
  'redemption period',
  'client delete prohibited',
  'client hold',
  'client renew prohibited',
  'client transfer prohibited',
  'client update prohibited',
  'pending create',
  'pending delete',
  'pending renew',
  'pending restore',
  'pending transfer',
  'pending update',
  'server delete prohibited',
  'server hold',
  'server renew prohibited',
  'server transfer prohibited',
  'server update prohibited',
] as const

const squeeze = (text: string): string => text.replace(/[ _-]/g, '')

const standard: ReadonlyMap<string, string> = new Map([
  ['ok', 'active'],
  ...STANDARD.map(status => [squeeze(status), status] as const),
])

/** Values that are kept, and characters of one that is in no list. */
const VALUES = 20
const CHARACTERS = 64

/** One value as written, of which what explains it is dropped: a URL, brackets, ` - Normal state.`. */
function statusOf(written: string): string {
  const text = clean(written.toWellFormed(), CHARACTERS * 2).toLowerCase()
  const [word = ''] = text.split(/ https?:| \(| - /, 1)
  return standard.get(squeeze(word)) ?? clean(word, CHARACTERS)
}

/** Without repetitions, in the order written; several may be in one text, with commas between. */
export function statuses(written: readonly string[]): readonly string[] {
  const all = written.slice(0, VALUES).flatMap(text => text.slice(0, 1_000).split(',', VALUES).map(statusOf))
  return [...new Set(all.filter(status => status !== ''))].slice(0, VALUES)
}
