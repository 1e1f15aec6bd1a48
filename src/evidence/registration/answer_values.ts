// What a registry says of a domain, however it was asked, made fit to be kept: dates that can be true, text that is short.

import { clean } from '../document/clean.ts'
import type { RegistrationFacts } from './facts.ts'

/** What an answer was found to say. `failure` is a slug: `unreadable`, `other_domain`, `other_network`, `limited`. */
export type Reading<Facts = RegistrationFacts> =
  | { readonly ok: true; readonly facts: Facts }
  | { readonly ok: false; readonly failure: string }

export const notRegistered: RegistrationFacts = {
  registered: false,
  registered_at: null,
  registered_in_future: false,
  expires_at: null,
  updated_at: null,
  registrar: null,
  status: [],
  dnssec_signed: null,
  name_servers: [],
}

const NAME_CHARACTERS = 256
/** Root and TLD zones have 13 name servers at most; no registration needs more. */
const NAME_SERVERS = 13

/** Of a registrar, a holder, a network: fit to be shown; null when nothing is left of it. */
export function shortName(written: string): string | null {
  const name = clean(written.toWellFormed(), NAME_CHARACTERS)
  return name === '' ? null : name
}

export const nameServers = (names: readonly (string | null)[]): readonly string[] =>
  [...new Set(names.filter(name => name !== null))].slice(0, NAME_SERVERS)

/** Nothing was registered before: symbolics.com was the first, in March 1985. Earlier dates are fillers. */
const EARLIEST = Date.UTC(1985, 0, 1)
/** A registry's local time may be so far ahead of ours. */
const AHEAD_MS = 24 * 60 * 60 * 1000

const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** The earliest of the moments that may be when it was registered; `earliest` is when the first was. */
export function registeredAt(
  moments: readonly number[],
  now: number,
  earliest = EARLIEST,
): Pick<RegistrationFacts, 'registered_at' | 'registered_in_future'> {
  const past = moments.filter(moment => moment >= earliest && moment <= now + AHEAD_MS)
  if (past.length > 0) return { registered_at: iso(Math.min(now, ...past)), registered_in_future: false }
  return { registered_at: null, registered_in_future: moments.some(moment => moment > now) }
}

/** The latest of the moments that may be when it was changed. */
export function updatedAt(moments: readonly number[], now: number): string | null {
  const past = moments.filter(moment => moment >= EARLIEST && moment <= now + AHEAD_MS)
  return past.length > 0 ? iso(Math.min(now, Math.max(...past))) : null
}

/** The latest of the moments at which it may expire: in the past or to come. */
export function expiresAt(moments: readonly number[]): string | null {
  const possible = moments.filter(moment => moment >= EARLIEST)
  return possible.length > 0 ? iso(Math.max(...possible)) : null
}
