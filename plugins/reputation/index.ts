// reputation: blocklists, registration, popularity, and what the name itself suggests.
import {
  analyzer,
  ConfiguredBrands,
  configuredBrands,
  type Evidence,
  isTenant,
  raise,
  Type,
} from '../../src/engine/plugin.ts'
import { allListingSignals } from './listed_pages.ts'
import { isOldNamesake, isOwnedByBrand, lookalikeOf, nameSignals, reviewedNameSignals } from './names.ts'
import { hostSignals, redirectSignals } from './other_hosts.ts'
import { presentation } from './presentation.ts'
import { describe, ReputationSchema } from './section.ts'
import { signals } from './signals.ts'
import { silence } from './silence.ts'
import { unseenPageSignals } from './unseen_page.ts'

const Options = Type.Object(
  {
    new_days: Type.Integer({
      minimum: 0,
      default: 30,
      description: 'Domains younger than this get the full weight of newly_registered_domain.',
    }),
    recent_days: Type.Integer({
      minimum: 0,
      default: 90,
      description:
        'Domains younger than this get half of that weight, count as listed if one of their pages is listed, and need a review if their page was seen only in part or their name looks malicious.',
    }),
    trusted_days: Type.Integer({
      minimum: 1,
      default: 1_825,
      description: 'Domains at least this old get long_registered_domain.',
    }),
    suspicious_from: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 80,
      description: 'Minimum ml_score for suspicious_name.',
    }),
    brands: ConfiguredBrands,
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'reputation',
  description: 'Blocklists, domain age and registrar, brand imitation, and a model of malicious names.',
  targets: ['domain', 'ip'],
  needs: [],
  wants: [
    'listings',
    'feeds',
    'redirect_listings',
    'host_result',
    'registration',
    'ip_network',
    'name_score',
    'reverse_names',
    'popularity',
    'first_seen',
    'page',
    'served',
    'document',
    'tls',
    'addresses',
    'location',
  ],
  presentation,
  schema: ReputationSchema,
  options: Options,
  signals,
  analyze(evidence, { target, now, options, missing }) {
    // No field of the section depends on the page, nor on whose the name is.
    const { page: _, served: __, document: ___, tls: ____, addresses: _____, location: ______, ...sources } = missing
    const { listings, feeds, registration, name_score, reverse_names, popularity } = evidence
    const lists = [...(listings?.lists ?? []), ...(feeds?.lists ?? [])]
    const age = registration === null ? null : ageInDays(registration, now)
    const brands = configuredBrands(options.brands)
    const isOwned = target.domain !== null && isOwnedByBrand(target.domain, brands, evidence)
    const vouchers = { age, popularity }
    const imitation = isOwned ? null : lookalikeOf(target, reverse_names, brands)
    const lookalike = imitation !== null && isOldNamesake(imitation, vouchers, options) ? null : imitation
    return {
      section: describe(evidence, { lists, age, lookalike, now }),
      signals: [
        ...allListingSignals(lists, {
          kind: target.kind,
          isPage: target.url !== null,
          isTenant: isTenant(target),
          isNew: age !== null && age < options.recent_days,
          rank: popularity?.rank ?? null,
        }),
        ...redirectSignals(evidence.redirect_listings),
        ...hostSignals(evidence.host_result),
        ...(isOwned ? [] : nameSignals(target, name_score, options.suspicious_from, brands)),
        ...(isOwned
          ? []
          : reviewedNameSignals(target, name_score, vouchers, { recent_days: options.recent_days, brands })),
        ...unseenPageSignals(evidence, target, { age, recent_days: options.recent_days, brands }),
        ...raise(signals, { seen: evidence, target, age, lookalike, options }),
      ],
      unknown: silence(evidence, sources),
    }
  },
})

const DAY_MS = 86_400_000

/** Whole days since registration, in UTC; null if unknown. */
function ageInDays({ registered_at }: Evidence['registration'], now: Date): number | null {
  if (registered_at === null) return null
  return Math.max(0, Math.floor((now.getTime() - Date.parse(registered_at)) / DAY_MS))
}
