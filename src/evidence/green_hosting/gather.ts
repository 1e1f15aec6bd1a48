// Asks the directory of The Green Web Foundation whether the host of a name runs on green energy. This discloses the
// name to the directory.

import { caps } from '../../base/cache/caps.ts'
import type { UpstreamHealth } from '../../knowledge/upstreams/state.ts'
import type { Addresses } from '../addresses/facts.ts'
import { clean } from '../document/text.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { createLookup } from '../lookup.ts'
import type { GreenHosting } from './facts.ts'

export interface GreenHostingOptions {
  /** If false, nothing is queried. */
  readonly enabled: boolean
  /** The base URL; the name is appended. */
  readonly endpoint: string
  readonly timeout_ms: number
}

/** The Greencheck API, version 3. */
export const GREENCHECK = 'https://api.thegreenwebfoundation.org/api/v3/greencheck/'

const NAME_CHARACTERS = 128

/**
 * Rejects with `NotApplicable` for an address and for names without a public address; with `Unavailable` when disabled
 * (`not_configured`) and when the lookup fails.
 */
export default function createGreenHostingGatherer({
  green_hosting: { enabled, endpoint, timeout_ms },
  upstreams: health,
}: {
  readonly green_hosting: GreenHostingOptions
  readonly upstreams?: Pick<UpstreamHealth, 'note'>
}): Gatherer<GreenHosting, { addresses: Addresses }> {
  // Sites rarely change hosts, and the directory is updated once a day.
  const keepMs = caps.lookups.life_ms['green hosting']
  const { hostname } = new URL(endpoint)
  const note = (subject: string, outcome: string) => health?.note('directory', hostname, subject, outcome)
  const lookup = createLookup({ read: readAnswer, timeout_ms, keep_ms: keepMs, note })
  return async context => {
    const { target } = context
    if (!enabled) throw new Unavailable(NOT_CONFIGURED)
    if (target.kind === 'ip') throw new NotApplicable('ip_target')
    const { dialable } = await context.gather('addresses')
    if (dialable.length === 0) throw new NotApplicable('no_address')
    return lookup.ask(context, { subject: target.domain, url: `${endpoint}${encodeURIComponent(target.domain)}` })
  }
}

/** Null for an invalid answer. */
export function readAnswer(body: unknown): GreenHosting | null {
  const { green, hosted_by } = (body ?? {}) as { readonly green?: unknown; readonly hosted_by?: unknown }
  if (typeof green !== 'boolean') return null
  const name = typeof hosted_by === 'string' ? clean(hosted_by.toWellFormed(), NAME_CHARACTERS) : ''
  return { green, hosted_by: name === '' ? null : name }
}
