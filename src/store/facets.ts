// What kept results can be searched by: a row of `FACETS` for each kind of fact, from its place in a result to what is stored and
// asked for. Pure.
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'
import jmespath from 'jmespath'

/** The values that a text stands for, as they are stored; none when it is no value of the kind. */
type Normaliser = (text: string) => readonly string[]

interface FacetKindRow {
  /** Where the facts are in a result (JMESPath): a text, a number, or a list of them. */
  readonly path: string
  readonly normalise: Normaliser
  /** Facts of one result at most. */
  readonly most: number
  /** Facts are shown as they are stored, because a result says more than that. */
  readonly shown_as?: 'stored'
  /** After "with the same", for a person. */
  readonly words: string
  /** What to ask for, as the description of a parameter. */
  readonly description: string
  readonly example: string
}

/** Characters of a value. What is longer is cut, in a result as in a question. */
const VALUE_LENGTH = 128
/** Words of a title. */
const TITLE_WORDS = 16

const one = (value: string | null | undefined): readonly string[] => (value == null || value === '' ? [] : [value])

const normaliseText = (text: string): string => text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()

const phrase: Normaliser = text => one([...normaliseText(text)].slice(0, VALUE_LENGTH).join(''))

const sha256: Normaliser = text => {
  const digits = text.trim().replaceAll(':', '').toLowerCase()
  return /^[0-9a-f]{64}$/.test(digits) ? [digits] : []
}

/** A name in A-labels, without the final dot. */
const host: Normaliser = text => {
  const name = text.trim().toLowerCase().replace(/\.$/, '')
  return name.length > VALUE_LENGTH * 2 || /[\s/@]/.test(name) ? [] : one(domainToASCII(name))
}

/** The host of a URL, or a host. */
const urlHost: Normaliser = text => {
  const trimmedText = text.trim()
  return /^https?:\/\//i.test(trimmedText) && URL.canParse(trimmedText)
    ? one(new URL(trimmedText).hostname)
    : host(trimmedText)
}

const asn: Normaliser = text => one(/^(?:AS)?([1-9]\d{0,9})$/i.exec(text.trim())?.[1])

const slug: Normaliser = text => (/^[a-z][a-z0-9_]{0,127}$/.test(text.trim()) ? [text.trim()] : [])

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

const titleWords: Normaliser = text => {
  const segments = [...segmenter.segment(normaliseText(text).slice(0, 512))]
  const words = segments.flatMap(({ segment, isWordLike }) => (isWordLike ? segment.slice(0, VALUE_LENGTH) : []))
  return [...new Set(words)].slice(0, TITLE_WORDS)
}

const octetsOf = (address: ipaddr.IPv4 | ipaddr.IPv6): string => Buffer.from(address.toByteArray()).toString('hex')

const keyOf = (address: ipaddr.IPv4 | ipaddr.IPv6): string => `${address.kind().slice(-1)}.${octetsOf(address)}`

/** In a form in which the addresses of a network are a range. */
const address: Normaliser = text => (isIP(text.trim()) === 0 ? [] : [keyOf(ipaddr.process(text.trim()))])

/**
 * By the name of the parameter that asks for it. What few results share comes first: a search by several starts with the first of them.
 * What is stored depends on a row, so a change of one makes earlier results unfindable by it.
 */
export const FACETS = {
  certificate: {
    path: 'ssl_info.fingerprint_sha256',
    normalise: sha256,
    most: 1,
    words: 'certificate',
    description: 'SHA-256 of the certificate, in hexadecimal.',
    example: '1987679bbcacb8f45aaa72b502c168a2c731a1ad0f94e02fcfb662bebf010253',
  },
  icon_hash: {
    path: 'content_analysis.icon.sha256',
    normalise: sha256,
    most: 1,
    words: 'icon',
    description: "SHA-256 of the site's icon, in hexadecimal.",
    example: '6f2b2b1f0b2b7b0a4a9fb5c7d1e0a5a9e5d1c2b3a4f5e6d7c8b9a0f1e2d3c4b5',
  },
  structure_hash: {
    path: 'content_analysis.structure_sha256',
    normalise: sha256,
    most: 1,
    words: 'page structure',
    description: 'SHA-256 of the structure of the page, in hexadecimal.',
    example: '0c3d1f7b8e2a4c6d9f1e3b5a7c8d0e2f4a6b8c0d2e4f6a8b0c2d4e6f8a0b2c4d',
  },
  form_target: {
    path: "content_analysis.forms.items[?destination=='other_site'].action",
    normalise: urlHost,
    shown_as: 'stored',
    most: 8,
    words: 'form target',
    description: 'The host of another site that a form sends to; a URL stands for its host.',
    example: 'collector.example',
  },
  address: {
    path: 'ip',
    normalise: address,
    most: 1,
    words: 'address',
    description: 'The IP address that was connected to.',
    example: '192.0.2.7',
  },
  name_server: {
    path: 'dns_security.name_servers',
    normalise: host,
    most: 8,
    words: 'name server',
    description: 'The name of a name server.',
    example: 'ns1.example.net',
  },
  mail_host: {
    path: 'dns_security.mx.hosts[].exchange',
    normalise: host,
    most: 8,
    words: 'mail host',
    description: 'The name of a host that receives mail (MX).',
    example: 'mail.example.net',
  },
  title: {
    path: 'content_analysis.title',
    normalise: titleWords,
    most: 1,
    words: 'title',
    description: 'Words of the title, in any order.',
    example: 'sign in',
  },
  asn: {
    path: 'geo_location.asn',
    normalise: asn,
    most: 1,
    words: 'network',
    description: 'The number of the network (AS) of the address, with or without `AS`.',
    example: 'AS64497',
  },
  registrar: {
    path: 'reputation.registrar',
    normalise: phrase,
    most: 1,
    words: 'registrar',
    description: 'The whole name of the registrar.',
    example: 'Example Registrar, Inc.',
  },
  technology: {
    path: 'tech_stack.technologies[].name',
    normalise: phrase,
    most: 16,
    words: 'technology',
    description: 'The name of a technology.',
    example: 'WordPress',
  },
  signal: {
    path: 'signals',
    normalise: slug,
    most: 24,
    words: 'signal',
    description: 'The ID of a signal.',
    example: 'brand_impersonation',
  },
  issuer: {
    path: 'ssl_info.issuer',
    normalise: phrase,
    most: 1,
    words: 'issuer',
    description: 'The whole name of the organization that issued the certificate.',
    example: "Let's Encrypt",
  },
} as const satisfies Readonly<Record<string, FacetKindRow>>

export type FacetKind = keyof typeof FACETS

export const FACET_KINDS = Object.keys(FACETS) as readonly FacetKind[]

/** A row to store. */
export interface Facet {
  readonly kind: FacetKind
  readonly value: string
}

/** A fact of a result that can be searched for: several values are the words of a text. */
export interface SearchableFact {
  readonly kind: FacetKind
  /** For people, and as a question. */
  readonly text: string
  readonly values: readonly string[]
}

/** What a result can be found by, in the order of `FACETS`. */
export function searchableFacts(result: Readonly<Record<string, unknown>>): readonly SearchableFact[] {
  return FACET_KINDS.flatMap(kind => {
    const { path, normalise, most, shown_as }: FacetKindRow = FACETS[kind]
    const texts = [jmespath.search(result, path) as unknown].flat().flatMap(textOf)
    const facts = texts.flatMap(text => {
      const values = normalise(text)
      const [value] = values
      return value === undefined ? [] : { kind, values, text: shown_as === 'stored' ? value : text }
    })
    return [...new Map(facts.map(fact => [fact.values.join(' '), fact])).values()].slice(0, most)
  })
}

const textOf = (value: unknown): readonly string[] =>
  typeof value === 'string' || typeof value === 'number' ? [`${value}`] : []

/** The rows of a result: fewer than a hundred. */
export const facetsOf = (result: Readonly<Record<string, unknown>>): readonly Facet[] =>
  searchableFacts(result).flatMap(({ kind, values }) => values.map(value => ({ kind, value })))

/** Values from the first to the last of a kind; the same when it is one. */
export interface Condition {
  readonly kind: FacetKind
  readonly first: string
  readonly last: string
}

/** What fewest results share comes first; of the words of a title, the longest. */
const inOrder = (conditions: readonly Condition[]): readonly Condition[] => {
  const rank = ({ kind }: Condition) => FACET_KINDS.indexOf(kind)
  return conditions.toSorted((one, other) => rank(one) - rank(other) || other.first.length - one.first.length)
}

/** Conditions that targets with this fact meet; none when the text is no value of the kind. */
export const conditionsOf = (kind: FacetKind, text: string): readonly Condition[] =>
  inOrder(FACETS[kind].normalise(text).map(value => ({ kind, first: value, last: value })))

/** Bits of the widest networks that can be searched: wider ones are not of one owner. */
const WIDEST = { ipv4: 8, ipv6: 19 }

/** An address inside a network, such as `192.0.2.0/24`; null when the text names none. */
export function networkCondition(text: string): Condition | null {
  const [base = '', bits = '', ...rest] = text.trim().split('/')
  if (isIP(base) === 0 || !/^\d{1,3}$/.test(bits) || rest.length > 0) return null
  const ip = ipaddr.parse(base)
  const length = Number(bits)
  const width = ip.toByteArray().length * 8
  if (length > width || length < WIDEST[ip.kind()]) return null
  const digits = width / 4
  const hosts = (1n << BigInt(width - length)) - 1n
  const start = (BigInt(`0x${octetsOf(ip)}`) | hosts) - hosts
  const key = (value: bigint) => `${ip.kind().slice(-1)}.${value.toString(16).padStart(digits, '0')}`
  return { kind: 'address', first: key(start), last: key(start + hosts) }
}

/** What to search for, by parameter. */
export type Question = Readonly<Partial<Record<FacetKind | 'network', string>>>

export const QUESTIONS: readonly (FacetKind | 'network')[] = [...FACET_KINDS, 'network']

/** What `network` is, beside the kinds of facts. */
export const NETWORK = { description: 'A network in which the address is (CIDR).', example: '192.0.2.0/24' } as const

/** At least one condition; else the parameter that is not written as its example, or null when there is none. */
export type ReadQuestion =
  | { readonly ok: true; readonly conditions: readonly Condition[] }
  | { readonly ok: false; readonly name: FacetKind | 'network' | null; readonly example: string }

export function readQuestion(question: Question): ReadQuestion {
  const conditions: Condition[] = []
  for (const name of QUESTIONS) {
    const text = question[name]
    if (text === undefined) continue
    const terms = name === 'network' ? [networkCondition(text)].filter(one => one !== null) : conditionsOf(name, text)
    if (terms.length === 0) return { ok: false, name, example: (name === 'network' ? NETWORK : FACETS[name]).example }
    conditions.push(...terms)
  }
  return conditions.length > 0 ? { ok: true, conditions: inOrder(conditions) } : { ok: false, name: null, example: '' }
}
