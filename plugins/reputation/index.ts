// reputation: blocklists, registration, popularity, and what the name itself suggests.
import {
  analyzer,
  ConfiguredBrands,
  configuredBrands,
  type Evidence,
  isTenant,
  orUnknown,
  type Static,
  Type,
} from '../../src/engine/plugin.ts'
import { feedSignals } from './feed_listing.ts'
import { firstSeenAt, firstSeenSignals } from './first_seen.ts'
import { allListingSignals } from './listed_pages.ts'
import { countHits, type Listing, listingFields } from './listing.ts'
import type { Lookalike } from './lookalike/judge.ts'
import {
  isOldNamesake,
  isOwnedByBrand,
  lookalikeFields,
  lookalikeOf,
  lookalikeSignals,
  nameSignals,
  reviewedNameSignals,
} from './names.ts'
import { hostSignals, redirectSignals } from './other_hosts.ts'
import { popularitySignals } from './popularity.ts'
import { presentation } from './presentation.ts'
import { ageInDays, inexactDates, registrationSignals } from './registration.ts'
import { addressKind, reverseNameSignals } from './reverse_names.ts'
import { ReputationSchema } from './section.ts'
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
        'Domains younger than this get half of it, count as listed when a page of theirs is, and are reviewed when their page was seen only in part or their name looks malicious.',
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
    const { listings, feeds, registration, name_score, reverse_names, popularity, first_seen } = evidence
    const lists = [...(listings?.lists ?? []), ...(feeds?.lists ?? [])]
    const age = registration === null ? null : ageInDays(registration, now)
    const brands = configuredBrands(options.brands)
    const isOwned = target.domain !== null && isOwnedByBrand(target.domain, brands, evidence)
    const vouchers = { age, popularity }
    const imitation = isOwned ? null : lookalikeOf(target, reverse_names, brands)
    const lookalike = imitation !== null && isOldNamesake(imitation, vouchers, options) ? null : imitation
    const feedFound = feedSignals(feeds?.lists ?? [], target.kind)
    const listedIds = new Set(feedFound.map(({ id }) => id))
    return {
      section: sectionOf(evidence, { lists, age, lookalike, first: firstSeenAt(first_seen, now) }),
      signals: [
        ...allListingSignals(lists, {
          kind: target.kind,
          isPage: target.url !== null,
          isTenant: isTenant(target),
          isNew: age !== null && age < options.recent_days,
          rank: popularity?.rank ?? null,
        }),
        ...feedFound,
        ...redirectSignals(evidence.redirect_listings),
        ...hostSignals(evidence.host_result),
        ...lookalikeSignals(lookalike),
        ...(isOwned ? [] : nameSignals(target, name_score, options.suspicious_from, brands)),
        ...(isOwned
          ? []
          : reviewedNameSignals(target, name_score, vouchers, { recent_days: options.recent_days, brands })),
        ...(registration === null ? [] : registrationSignals(registration, age, options, isTenant(target))),
        ...(popularity === null ? [] : popularitySignals(popularity, target, evidence.page)),
        ...unseenPageSignals(evidence, target, { age, recent_days: options.recent_days, brands }),
        ...(first_seen === null ? [] : firstSeenSignals(first_seen, target)),
        ...(reverse_names === null ? [] : reverseNameSignals(reverse_names)).filter(({ id }) => !listedIds.has(id)),
      ],
      unknown: silence(evidence, sources),
    }
  },
})

type Seen = {
  readonly [Kind in 'registration' | 'ip_network' | 'name_score' | 'reverse_names' | 'popularity']:
    | Evidence[Kind]
    | null
}

interface Judged {
  readonly lists: readonly Listing[]
  readonly age: number | null
  readonly lookalike: Lookalike | null
  readonly first: string | null
}

const sectionOf = (
  { registration, ip_network, name_score, reverse_names, popularity }: Seen,
  { lists, age, lookalike, first }: Judged,
): Static<typeof ReputationSchema> => ({
  blacklist_hits: countHits(lists),
  lists: orUnknown(lists.map(listingFields), false),
  ml_score: name_score?.score ?? null,
  ml_traits: name_score?.traits.map(({ trait }) => trait) ?? null,
  age_days: age,
  registered_at: registration?.registered_at?.slice(0, 19) ?? null,
  expires_at: registration?.expires_at ?? null,
  ...inexactDates(registration?.inexact),
  registrar: registration?.registrar ?? null,
  registration_status: registration && [...registration.status],
  popularity_rank: popularity?.rank ?? null,
  first_seen_at: first,
  registry_dnssec: registration?.dnssec_signed ?? null,
  reverse_names: reverse_names?.names.map(({ name, confirmed }) => ({ name, confirmed })) ?? null,
  address_kind: reverse_names && addressKind(reverse_names),
  ip_network: ip_network && networkFields(ip_network),
  lookalike_of: lookalike?.brand ?? null,
  lookalike: lookalike && lookalikeFields(lookalike),
})

/** The address itself is the result's. */
const networkFields = ({ ip: _, ...facts }: Evidence['ip_network']) => facts
