// Whether the directory of The Green Web Foundation lists the host of a name as running on green energy. It learns the name.

import { caps } from '../../cache/caps.ts'
import { createLookup } from '../../upstreams/lookup.ts'
import type { UpstreamHealth } from '../../upstreams/state.ts'
import type { Addresses } from '../addresses/facts.ts'
import { clean } from '../document/clean.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { GreenHosting } from './facts.ts'

export interface GreenHostingOptions {
  /** False: nothing is asked, ever. */
  readonly enabled: boolean
  /** The name is appended to it. */
  readonly endpoint: string
  readonly timeout_ms: number
}

/** Interface of the Greencheck API, version 3. */
export const GREENCHECK = 'https://api.thegreenwebfoundation.org/api/v3/greencheck/'

const NAME_CHARACTERS = 128

/**
 * Rejects with `NotApplicable` for an address and for names that lead nowhere public, with `Unavailable` when switched
 * off (`not_configured`) and as a lookup does.
 */
export default function createGreenHostingGatherer({
  green_hosting: { enabled, endpoint, timeout_ms },
  upstreams: health,
}: {
  readonly green_hosting: GreenHostingOptions
  readonly upstreams?: Pick<UpstreamHealth, 'note'>
}): Gatherer<GreenHosting, { addresses: Addresses }> {
  // Hosts move seldom, and the directory itself is published once a day.
  const keep_ms = caps.lookups.life_ms['green hosting']
  const { hostname } = new URL(endpoint)
  const note = (subject: string, outcome: string) => health?.note('directory', hostname, subject, outcome)
  const lookup = createLookup({ read: readAnswer, timeout_ms, keep_ms, note })
  return async context => {
    const { target } = context
    if (!enabled) throw new Unavailable(NOT_CONFIGURED)
    if (target.kind === 'ip') throw new NotApplicable('ip_target')
    const { dialable } = await context.gather('addresses')
    if (dialable.length === 0) throw new NotApplicable('no_address')
    return lookup.ask(context, { subject: target.domain, url: `${endpoint}${encodeURIComponent(target.domain)}` })
  }
}

/** Null for what is no answer. */
export function readAnswer(body: unknown): GreenHosting | null {
  const { green, hosted_by } = (body ?? {}) as { readonly green?: unknown; readonly hosted_by?: unknown }
  if (typeof green !== 'boolean') return null
  const name = typeof hosted_by === 'string' ? clean(hosted_by.toWellFormed(), NAME_CHARACTERS) : ''
  return { green, hosted_by: name === '' ? null : name }
}
