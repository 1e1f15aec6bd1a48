// tech_stack: the technologies and services of the site, each with the evidence for it.
import { analyzer, type Evidence, raise, servedFields, type Target, Type } from '../../src/engine/plugin.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { detect } from './detect.ts'
import { Fingerprint } from './fingerprint.ts'
import { fingerprints } from './fingerprints/fingerprints.ts'
import { presentation } from './presentation.ts'
import { describe, Section } from './section.ts'
import { signals } from './signals.ts'
import { type ClueSubject, ofDocument, ofResponse, ofZone } from './subjects.ts'
import { type ThirdParty, thirdParties } from './third_parties.ts'

const Options = Type.Object(
  {
    fingerprints: Type.Array(Fingerprint, {
      default: [],
      maxItems: 1_000,
      description: 'Additional fingerprints. A fingerprint with a known name adds its patterns to the built-in one.',
    }),
  },
  { additionalProperties: false },
)

const builtIn = createCatalogue(fingerprints)
/** Options live as long as the service, so each list is prepared once. */
const extendedCatalogues = new WeakMap<readonly Fingerprint[], Catalogue>()

function catalogueWith(extra: readonly Fingerprint[]): Catalogue {
  if (extra.length === 0) return builtIn
  const catalogue = extendedCatalogues.get(extra) ?? createCatalogue([...fingerprints, ...extra])
  extendedCatalogues.set(extra, catalogue)
  return catalogue
}

/** A block or challenge page still identifies the CDN or proxy, but not the technologies of the site. */
const IN_FRONT: ReadonlySet<string> = new Set(['cdn', 'hosting', 'security'])

type PageEvidence = Pick<Evidence, 'page'> & { readonly document: Evidence['document'] | null }

function sightsOf({ page, document }: PageEvidence, isBlocked: boolean): ClueSubject[] {
  const last = page.exchanges.at(-1)
  return [
    ...(last === undefined ? [] : ofResponse(last)),
    ...(document === null || isBlocked ? [] : ofDocument(document)),
  ]
}

function unknownOf(target: Target, missing: { document: boolean; zone: boolean }): string | null {
  if (missing.document) return 'no_document'
  return missing.zone && target.kind === 'domain' ? 'no_dns' : null
}

/** True if every query that `ofZone` reads was answered, or there is no zone. */
function isZoneSeen(dns: Evidence['dns'] | null, mail: Evidence['mail_records'] | null): boolean {
  const answers = [dns?.ns, dns?.txt, mail?.mx, mail?.spf.root]
  return answers.every(answer => answer?.status !== 'unknown')
}

/** Null when the page was not read; none found in a part of it are unknown. */
function partiesOf(
  document: Evidence['document'] | null,
  isBlocked: boolean,
  catalogue: Catalogue,
): readonly ThirdParty[] | null {
  if (document === null || isBlocked || !document.is_html) return null
  const parties = thirdParties(document, catalogue)
  return document.truncated && parties.length === 0 ? null : parties
}

export default analyzer({
  name: 'tech_stack',
  description: 'Server, framework and other technologies detected from headers, markup and DNS.',
  targets: ['domain', 'ip'],
  needs: ['page', 'served'],
  wants: ['document', 'addresses', 'dns', 'mail_records'],
  presentation,
  schema: Section,
  options: Options,
  signals,
  analyze({ page, served, document, addresses, dns, mail_records }, { target, options, now }) {
    const outcome = servedFields(served)
    if (!outcome.ok) return outcome.finding
    const { fields, unread } = outcome
    const catalogue = catalogueWith(options.fingerprints)
    const zone = target.kind === 'ip' ? [] : ofZone({ addresses, dns, mail_records, own: target.registrable })
    const detections = detect(catalogue, [...sightsOf({ page, document }, fields.blocked), ...zone])
    const ofZoneAlone = fields.blocked ? new Set(detect(catalogue, zone).map(({ name }) => name)) : null
    const technologies = detections.filter(
      ({ name, category }) => ofZoneAlone === null || ofZoneAlone.has(name) || IN_FRONT.has(category),
    )
    const header = page.exchanges.at(-1)?.headers.find(([name]) => name === 'server')?.[1] ?? null
    const unknownReason = unknownOf(target, {
      document: document === null,
      zone: dns === null || mail_records === null,
    })
    const isWhole =
      !fields.blocked && unknownReason === null && document?.truncated !== true && isZoneSeen(dns, mail_records)
    return {
      section: describe(fields, technologies, header, isWhole, partiesOf(document, fields.blocked, catalogue)),
      signals: fields.blocked ? [] : raise(signals, { technologies, now }),
      ...unread,
      ...(unknownReason === null ? {} : { unknown: unknownReason }),
    }
  },
})
