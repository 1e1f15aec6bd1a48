// A site as tech_stack sees it: its response, its page as sent, its zone. Only what a case is about needs to be said.
import type { Static } from 'typebox'
import type { Fingerprint } from '../../plugins/tech_stack/fingerprint.ts'
import plugin from '../../plugins/tech_stack/index.ts'
import type { Section } from '../../plugins/tech_stack/section.ts'
import { fillDefaults, sectionAjv } from '../../src/engine/json_schema.ts'
import type { Document, Evidence, Finding, Target } from '../../src/engine/plugin.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import { pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { gatherMail, served, type Zone } from '../evidence/mail_zone.ts'
import { zoneOf } from '../evidence_of.ts'

export interface Site {
  readonly status?: number
  /** Lines, `name: value`. */
  readonly headers?: readonly string[]
  readonly html?: string
  readonly zone?: Zone
  readonly ns?: readonly string[]
  readonly txt?: readonly string[]
  readonly cnames?: readonly string[]
  /** As an operator writes them. */
  readonly fingerprints?: readonly unknown[]
  readonly target?: Target
  /** Evidence instead of what the above makes. */
  readonly evidence?: { readonly [Name in 'document' | 'dns' | 'mail_records']?: Evidence[Name] | null }
}

const HOME = 'https://example.com/'

export function documentFrom(html: string): Document {
  const parser = createPageParser(HOME, 'text/html; charset=utf-8')
  parser.write(Buffer.from(html))
  return parser.end(false)
}

const answer = (records: readonly string[]) =>
  ({ status: 'found', records, ttl: 300, authenticated: false, cnames: [] }) as const

const dnsOf = ({ ns = [], txt = [] }: Site) => zoneOf({ ns: answer(ns), zone: 'example.com', txt: answer(txt) })

const addressesOf = ({ cnames = [] }: Site): Evidence['addresses'] => ({
  status: 'found',
  answers: [{ address: '93.184.216.34', family: 4, refused: null }],
  dialable: [{ address: '93.184.216.34', family: 4, refused: null }],
  cnames,
  ttl: 300,
  authenticated: false,
})

const isSection = sectionAjv().compile(plugin.schema)

/** Throws when the options are faulty or the section breaks its own schema. */
export async function find(site: Site): Promise<Finding<Static<typeof Section>, string>> {
  const { value, faults } = fillDefaults(plugin.options ?? {}, { fingerprints: site.fingerprints ?? [] }, 'options')
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  const page = pageOf({ url: HOME, status: site.status ?? 200, headers: site.headers ?? [] })
  const document = documentFrom(site.html ?? '<!doctype html><title>Example</title><p>Hello')
  const { mail } = await gatherMail('example.com', site.zone ?? { 'example.com': {} }, served('', 404))
  const finding = plugin.analyze(
    {
      page,
      served: describeServed(page, document),
      document,
      addresses: addressesOf(site),
      dns: dnsOf(site),
      mail_records: mail,
      ...site.evidence,
    },
    {
      target: site.target ?? EXAMPLE,
      options: value as { fingerprints: Fingerprint[] },
      missing: {},
      now: new Date('2026-11-20T12:00:00Z'),
    },
  )
  if ('section' in finding && !isSection(finding.section)) throw new Error(JSON.stringify(isSection.errors))
  return finding
}

export async function sectionOf(site: Site): Promise<Static<typeof Section>> {
  const finding = await find(site)
  if (!('section' in finding)) throw new Error(`no section: ${JSON.stringify(finding)}`)
  return finding.section
}

/** `name` or `name version` of each technology, in order. */
export const namesOf = async (site: Site): Promise<string[]> =>
  (await sectionOf(site)).technologies?.map(({ name, version }) => (version === null ? name : `${name} ${version}`)) ??
  []
