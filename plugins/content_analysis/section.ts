// The section: what the page says of itself, and how to reach who is behind it.
import { type Document, ServedFields, type ServedSection, type Static, Type } from '../../src/engine/plugin.ts'
import { findEmails } from './emails.ts'
import { FormSchema, listForms, type SeenForm } from './forms.ts'
import { findPhones } from './phones.ts'
import type { Refresh } from './refresh.ts'
import { findProfiles, networksOf } from './social.ts'
import { isHttp, printable, printableOrNull, resolveUrl } from './text.ts'

const closed = { additionalProperties: false }
const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const text = nullable(Type.String())

/** Characters of a title or description: more than any search result shows. */
const TEXT = 512
const SHORT_TEXT = 128
const HEADING = 100
const HEADINGS_LISTED = 10
const URL_LENGTH = 512

const OpenGraph = Type.Object({ title: text, description: text, site_name: text }, closed)
const Heading = Type.Object({ level: Type.Integer({ minimum: 1, maximum: 6 }), text: Type.String() }, closed)
const Forms = Type.Object(
  {
    total: Type.Integer({ description: 'Of the first 50, and of ten more that ask for a password.' }),
    with_password: Type.Integer(),
    password_outside: Type.Boolean({ description: 'A password field belongs to no form: a script reads it.' }),
    items: Type.Array(FormSchema, { description: 'The first ones, those with a password field before all others.' }),
  },
  closed,
)

/** All but the first few are null when there is no page of the site to speak of: blocked, or not HTML. */
export const Section = Type.Object(
  {
    ...ServedFields,
    title: text,
    description: text,
    open_graph: nullable(OpenGraph),
    language: nullable(Type.String({ description: 'BCP 47, canonical.' })),
    charset: text,
    canonical: nullable(Type.String({ description: 'Absolute.' })),
    headings: nullable(Type.Array(Heading, { description: 'The first ones, in document order.' })),
    heading_count: nullable(Type.Integer({ description: 'At most 200.' })),
    word_count: nullable(Type.Integer()),
    emails: nullable(Type.Array(Type.String())),
    phones: nullable(Type.Array(Type.String(), { description: 'E.164 where a country is given.' })),
    social_links: nullable(Type.Array(Type.String())),
    social_networks: nullable(Type.Array(Type.String())),
    forms: nullable(Forms),
    refresh: nullable(
      Type.Object(
        { seconds: Type.Integer(), url: text },
        { ...closed, description: 'Null URL: the page reloads itself.' },
      ),
    ),
    truncated: nullable(Type.Boolean({ description: 'Only the beginning of the page could be read.' })),
  },
  closed,
)

type Described = Omit<Static<typeof Section>, keyof ServedSection>

/** The fields of a page that is not there to be described. */
export const nothing: Described = {
  title: null,
  description: null,
  open_graph: null,
  language: null,
  charset: null,
  canonical: null,
  headings: null,
  heading_count: null,
  word_count: null,
  emails: null,
  phones: null,
  social_links: null,
  social_networks: null,
  forms: null,
  refresh: null,
  truncated: null,
}

export function describe(document: Document, forms: readonly SeenForm[], refresh: Refresh | null): Described {
  const profiles = findProfiles(document)
  const meta = metaOf(document)
  return {
    title: printableOrNull(document.title, TEXT) ?? meta('og:title', TEXT),
    description: meta('description', TEXT) ?? meta('og:description', TEXT),
    open_graph: openGraphOf(meta),
    language: languageOf(document.lang ?? meta('content-language', SHORT_TEXT)),
    charset: printableOrNull(document.charset, SHORT_TEXT),
    canonical: canonicalOf(document),
    headings: document.headings
      .slice(0, HEADINGS_LISTED)
      .map(({ level, text }) => ({ level, text: printable(text, HEADING) })),
    heading_count: document.headings.length,
    word_count: document.word_count,
    emails: findEmails(document),
    phones: findPhones(document),
    social_links: profiles.map(({ url }) => url),
    social_networks: networksOf(profiles),
    forms: {
      total: forms.length,
      with_password: forms.filter(({ hasPassword }) => hasPassword).length,
      password_outside: document.formless_inputs.includes('password'),
      items: listForms(forms),
    },
    refresh: refresh && {
      seconds: refresh.seconds,
      url: printableOrNull(refresh.url?.href, URL_LENGTH),
    },
    truncated: document.truncated,
  }
}

type Meta = (name: string, max: number) => string | null

/** The first meta of the name that says anything. */
const metaOf =
  ({ metas }: Document): Meta =>
  (name, max) =>
    printableOrNull(metas.find(meta => meta.name === name && meta.content.trim() !== '')?.content, max)

function openGraphOf(meta: Meta): Described['open_graph'] {
  const graph = {
    title: meta('og:title', SHORT_TEXT),
    description: meta('og:description', SHORT_TEXT),
    site_name: meta('og:site_name', SHORT_TEXT),
  }
  return Object.values(graph).some(value => value !== null) ? graph : null
}

/** Subtags may be eight characters long, and nobody writes many. */
const LANGUAGE_LENGTH = 35

function languageOf(written: string | null): string | null {
  const tag = written?.trim().replaceAll('_', '-') ?? ''
  if (tag === '' || tag.length > LANGUAGE_LENGTH) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

function canonicalOf({ links, url, base }: Document): string | null {
  const href = links.find(({ rel }) => rel.includes('canonical'))?.href.trim()
  const canonical = href ? resolveUrl(href, resolveUrl(base ?? '', url)?.href ?? url) : null
  return canonical && isHttp(canonical) && canonical.href.length <= URL_LENGTH ? canonical.href : null
}
