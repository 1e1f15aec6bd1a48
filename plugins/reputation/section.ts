// The section's schema.
import { labelled, nullable, Type } from '../../src/engine/plugin.ts'

const closed = { additionalProperties: false } as const

export const ReputationSchema = Type.Object(
  {
    /** Lists with at least one hit; null if no list answered. */
    blacklist_hits: labelled('Lists with a hit', nullable(Type.Integer({ minimum: 0 }))),
    /** Null if no list was queried. */
    lists: nullable(
      Type.Array(
        Type.Object(
          {
            name: Type.String(),
            /** The name or address that was queried. */
            asked: Type.String(),
            listed: nullable(Type.Boolean()),
            status: Type.Enum(['answered', 'unknown']),
            reason: nullable(Type.String()),
            category: nullable(Type.String()),
            /** For a feed: hours since its publisher last confirmed it; null for DNS lists and feeds that are not loaded. */
            age_hours: nullable(Type.Integer({ minimum: 0 })),
          },
          closed,
        ),
      ),
    ),
    /** How malicious the name looks by its characters alone, 0 to 100. */
    ml_score: labelled('Name model', nullable(Type.Integer({ minimum: 0, maximum: 100 }))),
    ml_traits: labelled('Traits of the name', nullable(Type.Array(Type.String()))),
    /** Whole days since registration. */
    age_days: labelled('Age in days', nullable(Type.Integer({ minimum: 0 }))),
    /** UTC, without a zone designator. */
    registered_at: labelled('Registered', nullable(Type.String())),
    /** Ends in Z. */
    expires_at: labelled('Expires', nullable(Type.String())),
    registrar: nullable(Type.String()),
    /** RDAP status values (RFC 8056). */
    registration_status: labelled('Registry status', nullable(Type.Array(Type.String()))),
    /** Rank among the most visited domains, 1 is the most visited; null if unranked or without a popularity list. */
    popularity_rank: labelled('Popularity', nullable(Type.Integer({ minimum: 1 }))),
    /** When this installation first checked the name or address; null without a history, or if its store did not answer. Ends in Z. */
    first_seen_at: labelled('First checked here', nullable(Type.String())),
    /** The registry has DS records for the domain. */
    registry_dnssec: labelled('DS records in the registry', nullable(Type.Boolean())),
    /** Reverse DNS names; `confirmed`: the name resolves back to the address. Null for a domain, or if unknown. */
    reverse_names: labelled(
      'Reverse DNS',
      nullable(Type.Array(Type.Object({ name: Type.String(), confirmed: nullable(Type.Boolean()) }, closed))),
    ),
    /** The kind of address by its reverse DNS names. */
    address_kind: labelled('Kind by reverse DNS', nullable(Type.Enum(['access', 'tor_exit']))),
    /** The network of the address in the regional registry. Null for a domain, or if unknown. */
    ip_network: labelled(
      'Network',
      nullable(
        Type.Object(
          {
            /** False if the registry has no such network; all other fields are then null. */
            registered: Type.Boolean(),
            start_address: nullable(Type.String()),
            end_address: nullable(Type.String()),
            name: nullable(Type.String()),
            holder: nullable(Type.String()),
            /** ISO 3166-1 alpha-2: country of the holder, not where the address is used. */
            country: nullable(Type.String()),
            /** Ends in Z. */
            registered_at: nullable(Type.String()),
            /** Where to report abuse. */
            abuse_email: nullable(Type.String()),
          },
          closed,
        ),
      ),
    ),
    lookalike_of: labelled('Imitates', nullable(Type.String())),
    lookalike: labelled(
      'Imitation',
      nullable(
        Type.Object(
          { brand: Type.String(), domain: Type.String(), kind: Type.String(), detail: Type.String() },
          closed,
        ),
      ),
    ),
  },
  closed,
)
