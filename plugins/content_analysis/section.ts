// The section's schema, and how its fields are filled from the parsed page.
import {
  type Document,
  type Evidence,
  isCanonical,
  labelled,
  nullable,
  orUnknown,
  printable,
  printableOrNull,
  type Refresh,
  ServedFields,
  type ServedSection,
  type Static,
  Type,
  UNDRAWN,
  type Undrawn,
} from '../../src/engine/plugin.ts'
import { findEmails } from './emails.ts'
import { FormSchema, listForms, type SeenForm } from './forms.ts'
import { findPhones } from './phones.ts'
import { findProfiles, networksOf } from './social.ts'
import { isHttp, resolveUrl } from './text.ts'

const CLOSED = { additionalProperties: false }
const text = (description: string) => nullable(Type.String({ description }))

/** Maximum characters of a title or description: more than search results show. */
const TEXT = 512
const SHORT_TEXT = 128
const HEADING = 100
const HEADINGS_LISTED = 10
const URL_LENGTH = 512

const OpenGraph = Type.Object(
  { title: text('`og:title`.'), description: text('`og:description`.'), site_name: text('`og:site_name`.') },
  { ...CLOSED, description: 'What the page says to networks that show a preview of it.' },
)
const Heading = Type.Object(
  {
    level: Type.Integer({ minimum: 1, maximum: 6, description: '1 for `h1`, and so on.' }),
    text: Type.String({ description: 'At most 100 characters.' }),
  },
  CLOSED,
)
const Forms = Type.Object(
  {
    total: nullable(
      Type.Integer({ description: 'Counts the first 50 forms and up to ten more with a password field.' }),
    ),
    with_password: nullable(Type.Integer({ description: 'Forms with a password field.' })),
    password_outside: nullable(
      Type.Boolean({ description: 'A password field is outside every form, so a script must read it.' }),
    ),
    items: nullable(
      Type.Array(FormSchema, { description: 'The first forms; those with a password field come first.' }),
    ),
  },
  { ...CLOSED, description: 'What the page asks for.' },
)

const COUNT_LIMIT = 'At most 1,000.'
const Drawn = Type.Object(
  {
    seen_in_part: nullable(
      Type.Enum(Object.keys(UNDRAWN) as Undrawn[], {
        description: 'Why a browser draws more than was read; null if everything was read.',
      }),
    ),
    words: Type.Integer({ description: 'Words that are shown; hidden ones do not count.' }),
    fields: Type.Integer({ description: COUNT_LIMIT }),
    buttons: Type.Integer({ description: COUNT_LIMIT }),
    pictures: Type.Integer({ description: COUNT_LIMIT }),
    scripts: Type.Object(
      {
        inline: Type.Integer({ description: 'In the page.' }),
        own: Type.Integer({ description: 'Of its site.' }),
        foreign: Type.Integer({ description: 'Of other sites.' }),
      },
      { ...CLOSED, description: 'Scripts that run by themselves: in the page, of its site, and of other sites.' },
    ),
    frames: Type.Object(
      { own: Type.Integer({ description: 'Of its site.' }), foreign: Type.Integer({ description: 'Of other sites.' }) },
      { ...CLOSED, description: 'Frames that are neither hidden nor small, of the site and of other sites.' },
    ),
  },
  { ...CLOSED, description: 'What the page draws without its scripts, and what may draw the rest.' },
)

/**
 * All fields after `ServedFields` are null if the site's own page was not seen (blocked, or not HTML). If only part of the
 * page was read, or a browser draws more of it, fields that found nothing there are null too.
 */
export const Section = Type.Object(
  {
    ...ServedFields,
    title: text('The title element, otherwise `og:title`.'),
    description: text('The meta description, otherwise `og:description`.'),
    open_graph: nullable(OpenGraph),
    language: nullable(Type.String({ description: 'Canonical BCP 47 tag.' })),
    charset: text('The character encoding that the page was read with.'),
    canonical: nullable(Type.String({ description: 'Absolute URL.' })),
    icon: labelled(
      'Icon',
      nullable(
        Type.Object(
          {
            url: text('Where it is; null if the page contains it.'),
            sha256: Type.String({ description: 'Hexadecimal.' }),
          },
          {
            ...CLOSED,
            description: 'The first icon that the page declares, otherwise `/favicon.ico`; null if none was seen.',
          },
        ),
      ),
    ),
    structure_sha256: labelled(
      'Structure',
      text(
        'SHA-256, in hexadecimal, of the names of its elements and the types of its fields in document order; null if only the beginning was read.',
      ),
    ),
    headings: nullable(Type.Array(Heading, { description: 'The first headings in document order.' })),
    heading_count: nullable(Type.Integer({ description: 'At most 200.' })),
    word_count: nullable(Type.Integer({ description: 'Words of the text.' })),
    emails: labelled('E-mail', nullable(Type.Array(Type.String(), { description: 'Contact addresses, at most 50.' }))),
    phones: labelled(
      'Telephone',
      nullable(Type.Array(Type.String(), { description: 'E.164 where a country code is given.' })),
    ),
    social_links: labelled(
      'Profiles',
      nullable(Type.Array(Type.String(), { description: 'URLs of profiles on social networks.' })),
    ),
    social_networks: nullable(Type.Array(Type.String(), { description: 'Names of these networks.' })),
    forms: nullable(Forms),
    refresh: nullable(
      Type.Object(
        { seconds: Type.Integer({ description: 'After which it happens.' }), url: text('Where it leads.') },
        { ...CLOSED, description: 'If `url` is null, the page reloads itself.' },
      ),
    ),
    frame: labelled(
      'Shown in a frame from',
      nullable(Type.String({ description: 'The frame that fills the page: what the page draws is its content.' })),
    ),
    drawn: nullable(Drawn),
    truncated: labelled(
      'Read in part',
      nullable(Type.Boolean({ description: 'Only the beginning of the page was read.' })),
    ),
  },
  CLOSED,
)

type DescribedSection = Omit<Static<typeof Section>, keyof ServedSection>

interface SectionReading {
  readonly icon: Evidence['icon'] | null
  readonly forms: readonly SeenForm[]
  readonly refresh: Refresh | null
  readonly undrawn: Undrawn | null
}

/** Of a page that a browser draws differently, as of one that was cut, a field that found nothing is unknown. */
export function describe(document: Document, { icon, forms, refresh, undrawn }: SectionReading): DescribedSection {
  const profiles = findProfiles(document)
  const meta = metaOf(document)
  const isWhole = !document.truncated && undrawn === null
  const headings = document.headings.slice(0, HEADINGS_LISTED)
  return {
    title: printableOrNull(document.title, TEXT) ?? meta('og:title', TEXT),
    description: meta('description', TEXT) ?? meta('og:description', TEXT),
    open_graph: openGraphOf(meta),
    language: languageOf(document.lang ?? meta('content-language', SHORT_TEXT)),
    charset: printableOrNull(document.charset, SHORT_TEXT),
    canonical: canonicalOf(document),
    icon: icon?.sha256 == null ? null : { url: printableOrNull(icon.url, URL_LENGTH), sha256: icon.sha256 },
    structure_sha256: document.structure ?? null,
    headings: orUnknown(
      headings.map(({ level, text }) => ({ level, text: printable(text, HEADING) })),
      isWhole,
    ),
    heading_count: orUnknown(document.headings.length, isWhole),
    word_count: orUnknown(document.word_count, isWhole),
    emails: orUnknown(findEmails(document), isWhole),
    phones: orUnknown(findPhones(document), isWhole),
    social_links: orUnknown(
      profiles.map(({ url }) => url),
      isWhole,
    ),
    social_networks: orUnknown(networksOf(profiles), isWhole),
    forms: {
      total: orUnknown(forms.length, isWhole),
      with_password: orUnknown(forms.filter(({ hasPassword }) => hasPassword).length, isWhole),
      password_outside: orUnknown(document.formless_inputs.includes('password'), isWhole),
      items: orUnknown(listForms(forms), isWhole),
    },
    refresh: refresh && {
      seconds: refresh.seconds,
      url: printableOrNull(refresh.url?.href, URL_LENGTH),
    },
    frame: printableOrNull(document.frame, URL_LENGTH),
    drawn: document.drawn === undefined ? null : drawnFields(document.drawn, undrawn),
    truncated: document.truncated,
  }
}

/** By name: a recording may have more. */
const drawnFields = (
  { words, fields, buttons, pictures, scripts, frames }: NonNullable<Document['drawn']>,
  undrawn: Undrawn | null,
): Static<typeof Drawn> => ({
  seen_in_part: undrawn,
  words,
  fields,
  buttons,
  pictures,
  scripts: { inline: scripts.inline, own: scripts.own, foreign: scripts.foreign },
  frames: { own: frames.own, foreign: frames.foreign },
})

type MetaReader = (name: string, max: number) => string | null

/** The first non-empty meta element with the name. */
const metaOf =
  ({ metas }: Document): MetaReader =>
  (name, max) =>
    printableOrNull(metas.find(meta => meta.name === name && meta.content.trim() !== '')?.content, max)

function openGraphOf(meta: MetaReader): DescribedSection['open_graph'] {
  const graph = {
    title: meta('og:title', SHORT_TEXT),
    description: meta('og:description', SHORT_TEXT),
    site_name: meta('og:site_name', SHORT_TEXT),
  }
  return Object.values(graph).some(value => value !== null) ? graph : null
}

/** Longer language tags are ignored. Each subtag has at most eight characters. */
const LANGUAGE_LENGTH = 35

function languageOf(text: string | null): string | null {
  const tag = text?.trim().replaceAll('_', '-') ?? ''
  if (tag === '' || tag.length > LANGUAGE_LENGTH) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

function canonicalOf({ links, url, base }: Document): string | null {
  const href = links.find(isCanonical)?.href.trim()
  const canonical = href ? resolveUrl(href, resolveUrl(base ?? '', url)?.href ?? url) : null
  return canonical && isHttp(canonical) && canonical.href.length <= URL_LENGTH ? canonical.href : null
}
