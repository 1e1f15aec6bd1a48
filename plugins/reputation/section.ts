// The shape of the section.
import { Type } from '../../src/engine/plugin.ts'

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const closed = { additionalProperties: false } as const

export const ReputationSchema = Type.Object(
  {
    /** Lists with at least one hit; null when no list answered. */
    blacklist_hits: nullable(Type.Integer({ minimum: 0 })),
    lists: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          /** The name or address that was asked about. */
          asked: Type.String(),
          listed: nullable(Type.Boolean()),
          status: Type.Enum(['answered', 'unknown']),
          reason: nullable(Type.String()),
          category: nullable(Type.String()),
          /** Of a feed: hours since its publisher last confirmed it; null for lists that are asked, and when there is nothing. */
          age_hours: nullable(Type.Integer({ minimum: 0 })),
        },
        closed,
      ),
    ),
    /** How malicious the name looks by its characters alone, 0 to 100. */
    ml_score: nullable(Type.Integer({ minimum: 0, maximum: 100 })),
    ml_traits: Type.Array(Type.String()),
    /** Whole days since registration. */
    age_days: nullable(Type.Integer({ minimum: 0 })),
    /** UTC, without a zone designator. */
    registered_at: nullable(Type.String()),
    /** Ends in Z. */
    expires_at: nullable(Type.String()),
    registrar: nullable(Type.String()),
    /** In the words of RDAP (RFC 8056). */
    registration_status: Type.Array(Type.String()),
    /** Among the most visited domains, 1 is the most; null when it is not ranked, and when no list is there. */
    popularity_rank: nullable(Type.Integer({ minimum: 1 })),
    /** The registry has DS records for the domain. */
    registry_dnssec: nullable(Type.Boolean()),
    /** What an address calls itself; `confirmed` says that the name leads back to it. Null for a domain, and when unknown. */
    reverse_names: nullable(
      Type.Array(Type.Object({ name: Type.String(), confirmed: nullable(Type.Boolean()) }, closed)),
    ),
    /** What its names make of an address. */
    address_kind: nullable(Type.Enum(['access', 'tor_exit'])),
    /** The network that an address is in, as the registry of its address space has it. Null for a domain, and when unknown. */
    ip_network: nullable(
      Type.Object(
        {
          /** False when that registry knows of none; all else is null then. */
          registered: Type.Boolean(),
          start_address: nullable(Type.String()),
          end_address: nullable(Type.String()),
          name: nullable(Type.String()),
          holder: nullable(Type.String()),
          /** Two letters: where the holder is at home, not where the address is in use. */
          country: nullable(Type.String()),
          /** Ends in Z. */
          registered_at: nullable(Type.String()),
          /** Where abuse is to be told. */
          abuse_email: nullable(Type.String()),
        },
        closed,
      ),
    ),
    lookalike_of: nullable(Type.String()),
    lookalike: nullable(
      Type.Object({ brand: Type.String(), domain: Type.String(), kind: Type.String(), detail: Type.String() }, closed),
    ),
  },
  closed,
)
