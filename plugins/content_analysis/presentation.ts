// How people see the section.
import {
  counted,
  labelsOf,
  languageName,
  NONE,
  type Presentation,
  quote,
  quoteOr,
  type Sentence,
  type Static,
  standIn,
  type Table,
  UNDRAWN,
  type Value,
  words,
} from '../../src/engine/plugin.ts'
import { Section as schema } from './section.ts'

type Section = Static<typeof schema>

const label = labelsOf(schema)

/** What in the page leads on. */
const LEADING = { refresh: 'page refresh', script: 'script' } as const

function summarise(section: Section): Sentence {
  const { title, forms, word_count, truncated } = section
  const other = standIn(section)
  if (other !== null) return [other]
  if (forms === null) return ['The answer is not an HTML page, so there is no text to read.']
  const noTitleText = truncated ? 'The title of the page is unknown' : 'The page has no title'
  const titleSentence = title === null ? [noTitleText] : ['The page title is “', quote(title), '”']
  const asks = (forms.with_password ?? 0) > 0 || forms.password_outside ? '; it asks for a password' : ''
  return [...titleSentence, word_count === null ? `${asks}.` : `${asks}. It has ${counted(word_count, 'word')}.`]
}

/** Of a page that was read in part, a count that says none is null. */
function formFact(forms: Section['forms']): Value {
  if (forms === null || forms.total === null) return null
  const { total, with_password } = forms
  if (total === 0) return NONE
  if (with_password === null) return `${total}; whether others ask for a password is unknown`
  if (with_password === 0) return total
  if (with_password < total) return `${total}, ${with_password} of them with a password`
  return total === 1 ? '1, with a password' : `${total}, all with a password`
}

/** What a page of which a browser draws more than was read draws itself, and what may draw the rest. */
function drawnFacts({ drawn }: Section): readonly (readonly [string, Value])[] {
  // Results of earlier versions do not have it.
  if (!drawn?.seen_in_part) return []
  const { words, fields, buttons, pictures, scripts, frames } = drawn
  const rows = [
    [words, 'word'],
    [fields, 'field'],
    [buttons, 'button'],
    [pictures, 'picture'],
  ] as const
  const others = [
    [scripts.inline, 'script in the page', 'scripts in the page'],
    [scripts.own, 'script of the site', 'scripts of the site'],
    [scripts.foreign, 'script of another site', 'scripts of other sites'],
    [frames.own, 'frame of the site', 'frames of the site'],
    [frames.foreign, 'frame of another site', 'frames of other sites'],
  ] as const
  return [
    ['Seen in part', `it ${UNDRAWN[drawn.seen_in_part]}`],
    ['Draws itself', countList(rows.map(([count, one]) => [count, one, `${one}s`]))],
    ['May draw the rest', countList(others)],
  ]
}

function countList(counts: readonly (readonly [count: number, one: string, many: string])[]): Value {
  const some = counts.flatMap(([count, one, many]) => (count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]))
  return some.length === 0 ? NONE : some
}

function tables({ forms }: Section): readonly Table[] {
  const rows = (forms?.items ?? []).map(({ method, action, destination, has_password }) => [
    method.toUpperCase(),
    action === null ? NONE : quote(action),
    words(destination),
    has_password,
  ])
  return [
    ...(rows.length > 0
      ? [{ title: label.forms, columns: ['Method', 'Sends to', 'Whose', 'Asks for a password'], rows }]
      : []),
  ]
}

/** Where to read about what is looked for. */
const sources = [
  { label: 'NCSC: phishing', url: 'https://www.ncsc.gov.uk/guidance/phishing' },
  { label: 'Forms (HTML standard)', url: 'https://html.spec.whatwg.org/multipage/forms.html' },
  { label: 'Open Graph', url: 'https://ogp.me/' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Page content',
  looks: 'the content of the page, its forms and contacts, and signs of phishing',
  order: 40,
  describe(section, { isWhole }) {
    const { redirects, description, language, headings } = section
    const isRead = section.forms !== null
    const absent: Value = isRead && isWhole && !section.truncated ? NONE : null
    return {
      summary: summarise(section),
      ...(isRead ? {} : { score: null }),
      facts: [
        [label.evaluated_url, quote(section.evaluated_url)],
        [label.status_code, section.status_code],
        ...(redirects === null || redirects.length === 0 ? ([[label.redirects, redirects && NONE]] as const) : []),
        ...(section.truncated ? [['Read', 'only the beginning of the page'] as const] : []),
        ...drawnFacts(section),
        ...(section.frame ? [[label.frame, quote(section.frame)] as const] : []),
        [label.description, quoteOr(description, absent)],
        [label.language, language === null ? absent : languageName(language)],
        [label.headings, headings?.map(({ text }) => text) ?? null],
        [label.emails, section.emails],
        [label.phones, section.phones],
        [label.social_links, section.social_links],
        [label.forms, formFact(section.forms)],
        ...(section.icon ? [[label.icon, section.icon.sha256] as const] : []),
        ...(section.structure_sha256 ? [[label.structure_sha256, section.structure_sha256] as const] : []),
      ],
      tables: tables(section),
      hops: (redirects ?? []).map(({ url, status, by }) => ({
        url,
        by: by === undefined ? `${status}` : `${status}, ${LEADING[by]}`,
      })),
      card: [
        ...(section.title === null ? [] : [['Title', quote(section.title)] as const]),
        ...(language === null ? [] : [[label.language, languageName(language)] as const]),
      ],
      links: sources,
    }
  },
}
