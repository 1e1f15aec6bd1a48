// Reads the lists of named values that mail standards publish: `tag=value; tag=value` in TXT records, and the `key: value`
// lines of an MTA-STS policy. One lenient reader serves all; each standard declares what it does not allow.
import type { Answer } from '../../network/resolver.ts'
import { type Ask, outcomeOf, readable, records } from './dns_records.ts'
import type { TaggedRecord, TagList, TagViolation } from './facts.ts'

export interface TagSyntax {
  /** Names that the standard defines, in lower case. */
  readonly defined: readonly string[]
  /** `lower`: names are case-sensitive, so `ID` is not `id`. */
  readonly letter_case: 'any' | 'lower'
  /** How receivers treat a repeated name: they use the first one, or ignore the list. */
  readonly repeated: 'first' | 'invalid'
  /** How receivers treat text that is not a pair, or an extension with a value that is not allowed. */
  readonly malformed: 'ignored' | 'invalid'
  /** Names that may appear more than once. */
  readonly repeatable?: readonly string[]
  /** The values of names that are not defined. */
  readonly extension?: RegExp
}

/** A list in a TXT record, which starts with its version. */
export interface RecordSyntax extends TagSyntax {
  /** Case-sensitive. */
  readonly version: string
  /** `exact`: the record starts with `v=<version>;` to the octet. `blanks`: white space is allowed (RFC 6376 section 3.2). */
  readonly start: 'exact' | 'blanks'
}

/** RFC 8461 section 3.1 and RFC 8460 section 3: no white space, no second equals sign. */
const EXTENSION = /^[\x21-\x3a\x3c\x3e-\x7e]+$/
/** RFC 8461 section 3.2: of a repeated field all but the first are ignored; a record that is syntactically invalid is none. */
const strict = {
  letter_case: 'lower',
  repeated: 'first',
  malformed: 'invalid',
  start: 'exact',
  extension: EXTENSION,
} as const

export const syntax = {
  /** RFC 9989 section 4.7, with the tag lists of RFC 6376 section 3.2: a list that repeats a tag is invalid as a whole. */
  dmarc: {
    version: 'DMARC1',
    start: 'blanks',
    defined: ['v', 'p', 'sp', 'np', 'rua', 'ruf', 't', 'psd', 'adkim', 'aspf', 'fo', 'pct', 'rf', 'ri'],
    letter_case: 'any',
    repeated: 'invalid',
    malformed: 'ignored',
  },
  /** RFC 6376 sections 3.2 and 3.6.1: a list with anything that is not a tag, or with a tag twice, is invalid. */
  dkim: {
    version: 'DKIM1',
    start: 'blanks',
    defined: ['v', 'g', 'h', 'k', 'n', 'p', 's', 't'],
    letter_case: 'lower',
    repeated: 'invalid',
    malformed: 'invalid',
  },
  mta_sts: { version: 'STSv1', defined: ['v', 'id'], ...strict },
  tls_rpt: { version: 'TLSRPTv1', defined: ['v', 'rua'], ...strict },
  /** draft-brand-indicators-for-message-identification section 4.2, with the tag lists of RFC 6376. */
  bimi: {
    version: 'BIMI1',
    start: 'blanks',
    defined: ['v', 'l', 'a', 'avp', 'lps', 's'],
    letter_case: 'lower',
    repeated: 'invalid',
    malformed: 'ignored',
  },
} as const satisfies Record<string, RecordSyntax>

/** The lines of an MTA-STS policy (RFC 8461 section 3.2). */
export const stsPolicySyntax: TagSyntax = {
  defined: ['version', 'mode', 'max_age', 'mx'],
  letter_case: 'lower',
  repeated: 'first',
  malformed: 'invalid',
  repeatable: ['mx'],
}

/** Pairs read of one list, and violations kept; all standards together define fewer. */
const TAGS = 64
/** The version must end within this many characters. */
const VERSION_CHARACTERS = 64

/** Trims blanks and tabs only: line feeds are not white space in a tag list. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text.charAt(start))) start++
  while (end > start && ' \t'.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

type Pairs = Omit<TagList, 'text'>

/** Reads each piece as a name, the separator and a value; empty pieces are passed over. Linear; never throws. */
export function readPairs(pieces: readonly string[], separator: '=' | ':', rules: TagSyntax): Pairs {
  const tags: { name: string; value: string }[] = []
  const violations: TagViolation[] = []
  const tagNames = new Set<string>()
  for (const piece of pieces.map(trim)) {
    if (piece === '') continue
    const at = piece.indexOf(separator)
    const tagName = trim(piece.slice(0, Math.max(at, 0)))
    const value = trim(piece.slice(at + 1))
    const lower = tagName.toLowerCase()
    const name = rules.letter_case === 'any' ? lower : tagName
    const isExtension = !rules.defined.includes(name)
    const isPair = /^[a-z][a-z0-9_.-]*$/i.test(tagName)
    if (!isPair || (isExtension && rules.extension?.test(value) === false)) {
      violations.push({ kind: 'malformed', text: readable(piece) })
      continue
    }
    if (isExtension && rules.defined.includes(lower)) violations.push({ kind: 'letter_case', text: readable(tagName) })
    const isRepeated = tagNames.has(name) && rules.repeatable?.includes(name) !== true
    if (isRepeated) violations.push({ kind: 'repeated', text: readable(tagName) })
    else tags.push({ name, value: readable(value) })
    tagNames.add(name)
  }
  const fatal = (kind: TagViolation['kind']) =>
    (kind === 'repeated' && rules.repeated === 'invalid') || (kind === 'malformed' && rules.malformed === 'invalid')
  return {
    tags: tags.slice(0, TAGS),
    violations: violations.slice(0, TAGS),
    valid: !violations.some(({ kind }) => fatal(kind)),
  }
}

/** Parses a TXT record. Linear; never throws. */
export const parseTagList = (record: string, rules: TagSyntax): TagList => ({
  text: readable(record),
  ...readPairs(record.split(';'), '=', rules),
})

/** The first value of a tag; null when it is missing. */
export const tagValue = (list: Pick<TagList, 'tags'>, name: string): string | null =>
  list.tags.find(tag => tag.name === name)?.value ?? null

/** Whether receivers read the text as a record of this standard: it starts with the version. */
export function isRecord(text: string, { version, start }: RecordSyntax): boolean {
  if (start === 'exact') return text.startsWith(`v=${version};`)
  return /^v[ \t]*=[ \t]*([^; \t]*)[ \t]*(?:;|$)/i.exec(text.slice(0, VERSION_CHARACTERS))?.[1] === version
}

/** Characters searched for a version that is out of place. */
const SEARCH_LENGTH = 512

/** Whether the text means to be a record of this standard: a version in another case, spelling or place. */
export function resembles(text: string, { version }: RecordSyntax): boolean {
  const name = version.replace(/v?\d+$/, '').toLowerCase()
  return text
    .slice(0, SEARCH_LENGTH)
    .toLowerCase()
    .split(/[;"]/)
    .some(piece => piece.replaceAll(/\s/g, '').startsWith(`v=${name}`))
}

/** Texts kept per name. */
const TEXTS_KEPT = 5

/** Finds the records of a standard among the TXT records at a name. */
export function readTexts(answer: Answer<string>, rules: RecordSyntax) {
  const texts = [...records(answer)].sort()
  /** Records that start with the version. */
  const recordTexts = texts.filter(text => isRecord(text, rules))
  const lookalikes = texts.filter(text => !recordTexts.includes(text) && resembles(text, rules))
  const [only] = recordTexts
  return {
    recordTexts,
    /** Records that look like the standard's but that receivers ignore, as printable text; at most 5. */
    lookalikes: lookalikes.slice(0, TEXTS_KEPT).map(text => readable(text)),
    /** The only record with the version; null when there is none or more than one. */
    list: only !== undefined && recordTexts.length === 1 ? parseTagList(only, rules) : null,
  }
}

/** Asks for the single TXT record that a standard defines at `name`. */
export async function askTagged(name: string, rules: RecordSyntax, ask: Ask): Promise<TaggedRecord> {
  const answer = await ask(name, 'TXT')
  const { recordTexts, lookalikes, list } = readTexts(answer, rules)
  return { name, ...outcomeOf(answer), count: recordTexts.length, lookalikes, record: list }
}
