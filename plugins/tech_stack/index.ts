// tech_stack: what the site is built with and which services it uses, each with what gave it away.
import { analyzer, type Evidence, servedFields, type Target, Type } from '../../src/engine/plugin.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { detect } from './detect.ts'
import { Fingerprint } from './fingerprint.ts'
import { fingerprints } from './fingerprints/index.ts'
import { describe, Section } from './section.ts'
import { findSignals, signals } from './signals.ts'
import { ofDocument, ofResponse, ofZone, type Subject } from './subjects.ts'

const Options = Type.Object(
  {
    fingerprints: Type.Array(Fingerprint, {
      default: [],
      maxItems: 1_000,
      description: 'Fingerprints beside the built-in ones; a name that is known adds its marks to those.',
    }),
  },
  { additionalProperties: false },
)

const builtIn = createCatalogue(fingerprints)
/** Options live as long as the service, so each list is made ready once. */
const extended = new WeakMap<readonly Fingerprint[], Catalogue>()

function catalogueWith(added: readonly Fingerprint[]): Catalogue {
  if (added.length === 0) return builtIn
  const catalogue = extended.get(added) ?? createCatalogue([...fingerprints, ...added])
  extended.set(added, catalogue)
  return catalogue
}

/** Who answers in the site's stead still tells who stands before it, but not what the site is made of. */
const IN_FRONT: ReadonlySet<string> = new Set(['cdn', 'hosting', 'security'])

type Seen = Pick<Evidence, 'page'> & { readonly document: Evidence['document'] | null }

function sightsOf({ page, document }: Seen, blocked: boolean): Subject[] {
  const last = page.exchanges.at(-1)
  return [
    ...(last === undefined ? [] : ofResponse(last)),
    ...(document === null || blocked ? [] : ofDocument(document)),
  ]
}

function unknownOf(target: Target, missing: { document: boolean; zone: boolean }): { unknown?: string } {
  if (missing.document) return { unknown: 'no_document' }
  return missing.zone && target.kind === 'domain' ? { unknown: 'no_dns' } : {}
}

export default analyzer({
  name: 'tech_stack',
  description: 'Server, framework and every technology that headers, markup and DNS give away.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  wants: ['document', 'addresses', 'dns', 'mail_records'],
  schema: Section,
  options: Options,
  signals,
  analyze({ page, served, document, addresses, dns, mail_records }, { target, options, now }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const { fields, unseen } = outcome
    const catalogue = catalogueWith(options.fingerprints)
    const zone = target.kind === 'ip' ? [] : ofZone({ addresses, dns, mail_records, own: target.registrable })
    const seen = detect(catalogue, [...sightsOf({ page, document }, fields.blocked), ...zone])
    const ofZoneAlone = fields.blocked ? new Set(detect(catalogue, zone).map(({ name }) => name)) : null
    const technologies = seen.filter(
      ({ name, category }) => ofZoneAlone === null || ofZoneAlone.has(name) || IN_FRONT.has(category),
    )
    const header = page.exchanges.at(-1)?.headers.find(([name]) => name === 'server')?.[1] ?? null
    return {
      section: describe(fields, technologies, header),
      signals: fields.blocked ? [] : findSignals(technologies, now),
      ...unseen,
      ...unknownOf(target, { document: document === null, zone: dns === null || mail_records === null }),
    }
  },
})
