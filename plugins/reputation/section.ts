// The section's fields.
import { type Evidence, labelled, nullable, orUnknown, type Static, Type } from '../../src/engine/plugin.ts'
import { countHits, listingFields, type ReputationListing } from './listing.ts'
import type { BrandLookalike } from './lookalike/judge.ts'
import { addressKind } from './reverse_names.ts'

const CLOSED = { additionalProperties: false } as const

export const ReputationSchema = Type.Object(
  {
    blacklist_hits: labelled(
      'Lists with a hit',
      nullable(Type.Integer({ minimum: 0, description: 'Lists with at least one hit; null if no list answered.' })),
    ),
    lists: nullable(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'Name of the list.' }),
            asked: Type.String({ description: 'The name or address that was queried.' }),
            listed: nullable(Type.Boolean({ description: 'Null if the list did not answer.' })),
            status: Type.Enum(['answered', 'unknown'], { description: 'Whether the list answered.' }),
            reason: nullable(
              Type.String({ description: 'Why it is listed, as far as the list says, or why that is unknown.' }),
            ),
            category: nullable(Type.String({ description: 'What it is listed for, such as `phishing` or `spam`.' })),
            age_hours: nullable(
              Type.Integer({
                minimum: 0,
                description:
                  'For a feed: hours since its publisher last confirmed it; null for DNS lists and feeds that are not loaded.',
              }),
            ),
          },
          CLOSED,
        ),
        { description: 'Each query of a blocklist or feed. Null if none was queried.' },
      ),
    ),
    ml_score: labelled(
      'Name model',
      nullable(
        Type.Integer({
          minimum: 0,
          maximum: 100,
          description: 'How malicious the name looks by its characters alone.',
        }),
      ),
    ),
    ml_traits: labelled(
      'Traits of the name',
      nullable(Type.Array(Type.String(), { description: 'Why the name model gives this score.' })),
    ),
    age_days: labelled(
      'Age in days',
      nullable(Type.Integer({ minimum: 0, description: 'Whole days since the registration.' })),
    ),
    registered_at: labelled(
      'Registered',
      nullable(Type.String({ description: 'ISO 8601 in UTC, without a zone designator.' })),
    ),
    expires_at: labelled('Expires', nullable(Type.String({ description: 'ISO 8601 in UTC, ends in Z.' }))),
    inexact_dates: Type.Optional(
      Type.Array(Type.Enum(['registered_at', 'expires_at']), {
        description:
          'Dates for which the registry gives only a year, a month or an upper bound: they are the latest possible day. Absent if there are no such dates.',
      }),
    ),
    registrar: nullable(Type.String({ description: 'Name of the registrar.' })),
    registration_status: labelled(
      'Registry status',
      nullable(Type.Array(Type.String(), { description: 'RDAP status values (RFC 8056).' })),
    ),
    popularity_rank: labelled(
      'Popularity',
      nullable(
        Type.Integer({
          minimum: 1,
          description:
            'Rank among the most visited domains, 1 is the most visited; null if unranked or without a popularity list.',
        }),
      ),
    ),
    first_seen_at: labelled(
      'First checked here',
      nullable(
        Type.String({
          description:
            'When this installation first checked the name or address; null without a history, or if its store did not answer. Ends in Z.',
        }),
      ),
    ),
    registry_dnssec: labelled(
      'DS records in the registry',
      nullable(Type.Boolean({ description: 'The registry has DS records for the domain.' })),
    ),
    reverse_names: labelled(
      'Reverse DNS',
      nullable(
        Type.Array(
          Type.Object(
            {
              name: Type.String({ description: 'The name that reverse DNS has for the address.' }),
              confirmed: nullable(Type.Boolean({ description: 'The name resolves back to the address.' })),
            },
            CLOSED,
          ),
          { description: 'Reverse DNS names. Null for a domain, or if unknown.' },
        ),
      ),
    ),
    address_kind: labelled(
      'Kind by reverse DNS',
      nullable(
        Type.Enum(['access', 'tor_exit'], {
          description: 'The kind of address by its reverse DNS names; `access`: of a customer of an access provider.',
        }),
      ),
    ),
    ip_network: labelled(
      'Network',
      nullable(
        Type.Object(
          {
            registered: Type.Boolean({
              description: 'False if the registry has no such network; all other fields are then null.',
            }),
            start_address: nullable(Type.String({ description: 'The first address of the network.' })),
            end_address: nullable(Type.String({ description: 'The last address of the network.' })),
            name: nullable(Type.String({ description: 'Name of the network in the registry.' })),
            holder: nullable(Type.String({ description: 'Holder of the network.' })),
            country: nullable(
              Type.String({
                description: 'ISO 3166-1 alpha-2: country of the holder, not where the address is used.',
              }),
            ),
            registered_at: nullable(Type.String({ description: 'ISO 8601 in UTC, ends in Z.' })),
            abuse_email: nullable(Type.String({ description: 'Where to report abuse.' })),
          },
          {
            ...CLOSED,
            description: 'The network of the address in the regional registry. Null for a domain, or if unknown.',
          },
        ),
      ),
    ),
    lookalike_of: labelled('Imitates', nullable(Type.String({ description: 'The brand that the name imitates.' }))),
    lookalike: labelled(
      'Imitation',
      nullable(
        Type.Object(
          {
            brand: Type.String({ description: 'Name of the brand.' }),
            domain: Type.String({ description: 'A domain of the brand.' }),
            kind: Type.String({ description: 'How the name imitates it.' }),
            detail: Type.String({ description: 'The same as a sentence.' }),
          },
          { ...CLOSED, description: 'How the name imitates a brand; null if it does not.' },
        ),
      ),
    ),
  },
  CLOSED,
)

type ReputationEvidence = {
  readonly [Kind in 'registration' | 'ip_network' | 'name_score' | 'reverse_names' | 'popularity' | 'first_seen']:
    | Evidence[Kind]
    | null
}

interface ReputationJudgement {
  readonly lists: readonly ReputationListing[]
  /** Days since the registration; null if unknown. */
  readonly age: number | null
  readonly lookalike: BrandLookalike | null
  readonly now: Date
}

/** The section of what was seen and judged. */
export const describe = (
  { registration, ip_network, name_score, reverse_names, popularity, first_seen }: ReputationEvidence,
  { lists, age, lookalike, now }: ReputationJudgement,
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
  // The first check counts: it is then that the installation sees the target for the first time.
  first_seen_at: first_seen && (first_seen.at ?? `${now.toISOString().slice(0, 19)}Z`),
  registry_dnssec: registration?.dnssec_signed ?? null,
  reverse_names: reverse_names?.names.map(({ name, confirmed }) => ({ name, confirmed })) ?? null,
  address_kind: reverse_names && addressKind(reverse_names),
  ip_network: ip_network && networkFields(ip_network),
  lookalike_of: lookalike?.brand ?? null,
  lookalike: lookalike && lookalikeFields(lookalike),
})

/** The address itself is the result's. */
const networkFields = ({ ip: _, ...facts }: Evidence['ip_network']) => facts

const lookalikeFields = ({ brand, domain, kind, detail }: BrandLookalike) => ({ brand, domain, kind, detail })

/** The dates of the section that are not exact, if there are any. */
function inexactDates(inexact: Evidence['registration']['inexact'] = []) {
  const dates = (['registered_at', 'expires_at'] as const).filter(date => inexact.includes(date))
  return dates.length > 0 ? { inexact_dates: dates } : {}
}
