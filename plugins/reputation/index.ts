// What others know of the target: blocklists, the registry, and what its name alone gives away.
import {
  type AnalysisContext,
  analyzer,
  type Evidence,
  type SignalFound,
  type Target,
  Type,
} from '../../src/engine/plugin.ts'
import { feedSignals } from './feed_listing.ts'
import { countHits, listingSignals, shownListing } from './listing.ts'
import { judgeLookalike, type Lookalike } from './lookalike/judge.ts'
import { popularitySignals } from './popularity.ts'
import { ageInDays, registrationSignals } from './registration.ts'
import { addressKind, confirmedNames, reverseNameSignals } from './reverse_names.ts'
import { ReputationSchema } from './section.ts'
import { type SignalId, signals } from './signals.ts'

const Options = Type.Object(
  {
    new_days: Type.Integer({
      minimum: 0,
      default: 30,
      description: 'Younger domains earn the whole weight of newly_registered_domain.',
    }),
    recent_days: Type.Integer({ minimum: 0, default: 90, description: 'Younger domains earn half of it.' }),
    trusted_days: Type.Integer({
      minimum: 1,
      default: 1_825,
      description: 'Domains at least this old are trusted a little.',
    }),
    suspicious_from: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 80,
      description: 'The ml_score from which suspicious_name is found.',
    }),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'reputation',
  description: 'Blocklists, domain age and registrar, look-alikes of brands, and a model of malicious names.',
  targets: ['domain', 'ip'],
  needs: [],
  wants: ['listings', 'feeds', 'registration', 'name_score', 'reverse_names', 'popularity'],
  schema: ReputationSchema,
  options: Options,
  signals,
  analyze(evidence, { target, now, options, missing }) {
    const { listings, feeds, registration, name_score, reverse_names, popularity } = evidence
    const lists = [...(listings?.lists ?? []), ...(feeds?.lists ?? [])]
    const age = registration === null ? null : ageInDays(registration, now)
    const lookalike = lookalikeOf(target, reverse_names)
    const isTenant = target.registrable !== target.registered
    const hits = countHits(lists)
    const feedFound = feedSignals(feeds?.lists ?? [], target.kind)
    const told = new Set(feedFound.map(({ id }) => id))
    const unknown = silence(evidence) ?? firstMissed(missing)
    return {
      section: {
        blacklist_hits: hits,
        lists: lists.map(shownListing),
        ml_score: name_score?.score ?? null,
        ml_traits: name_score?.traits.map(({ trait }) => trait) ?? [],
        age_days: age,
        registered_at: registration?.registered_at?.slice(0, 19) ?? null,
        expires_at: registration?.expires_at ?? null,
        registrar: registration?.registrar ?? null,
        registration_status: [...(registration?.status ?? [])],
        popularity_rank: popularity?.rank ?? null,
        registry_dnssec: registration?.dnssec_signed ?? null,
        reverse_names: reverse_names?.names.map(({ name, confirmed }) => ({ name, confirmed })) ?? null,
        address_kind: reverse_names && addressKind(reverse_names),
        lookalike_of: lookalike?.brand ?? null,
        lookalike: lookalike && shownLookalike(lookalike),
      },
      signals: [
        ...listingSignals(lists, target.kind),
        ...feedFound,
        ...lookalikeSignals(lookalike),
        ...nameSignals(name_score, options.suspicious_from, isTenant),
        ...(registration === null ? [] : registrationSignals(registration, age, options, isTenant)),
        ...(popularity === null ? [] : popularitySignals(popularity)),
        ...(reverse_names === null ? [] : reverseNameSignals(reverse_names)).filter(({ id }) => !told.has(id)),
      ],
      ...(unknown === null ? {} : { unknown }),
    }
  },
})

/** Of the domain's name; an address is judged by the names that are proven to be its own. */
function lookalikeOf(target: Target, reverse_names: Evidence['reverse_names'] | null): Lookalike | null {
  if (target.kind === 'domain') return judgeLookalike(target.domain, target.registrable)
  const own = reverse_names === null ? [] : confirmedNames(reverse_names)
  return own.map(({ name, registrable }) => judgeLookalike(name, registrable)).find(found => found !== null) ?? null
}

const shownLookalike = ({ brand, domain, kind, detail }: Lookalike) => ({ brand, domain, kind, detail })

function lookalikeSignals(lookalike: Lookalike | null): SignalFound<SignalId>[] {
  if (lookalike === null) return []
  const { brand, domain, kind, detail, strength } = lookalike
  return [{ id: 'lookalike_domain', strength, detail, evidence: { brand, domain, kind } }]
}

/** Of the weight, for tenants of a platform: honest ones are flagged far more often than others (see the model card). */
const OF_TENANT = 0.5

/** From nothing just below `from` to the whole weight at 100. */
function nameSignals(name: Evidence['name_score'] | null, from: number, isTenant: boolean): SignalFound<SignalId>[] {
  if (name === null || name.score < from) return []
  const traits = name.traits.map(({ trait }) => trait)
  return [
    {
      id: 'suspicious_name',
      strength: ((name.score - from + 1) / (101 - from)) * (isTenant ? OF_TENANT : 1),
      detail: `The name scores ${name.score} of 100${traits.length > 0 ? `: ${traits.join(', ')}` : ''}.`,
      evidence: { ml_score: name.score },
    },
  ]
}

type Asked = { readonly [Kind in 'listings' | 'feeds' | 'popularity']: Evidence[Kind] | null }

/** Sources that are there and have nothing to say: all lists are silent, or nothing of a kind is loaded. */
function silence({ listings, feeds, popularity }: Asked): string | null {
  if (listings !== null && countHits(listings.lists) === null) return 'no_list_answered'
  if (feeds !== null && countHits(feeds.lists) === null) return 'no_feed_loaded'
  const ranked = popularity === null || popularity.lists.some(({ status }) => status !== 'unknown')
  return ranked ? null : 'no_popularity_loaded'
}

/** Why a source that should have answered did not; a source that this installation does not have is none. */
function firstMissed(missing: AnalysisContext<unknown>['missing']): string | null {
  const missed = Object.entries(missing).find(
    ([, { status, reason }]) => status !== 'not_applicable' && reason !== 'not_configured',
  )
  return missed ? `${missed[0]}_${missed[1].reason}` : null
}
