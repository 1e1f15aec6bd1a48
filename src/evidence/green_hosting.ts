// Whether the directory of The Green Web Foundation lists the host of a name as running on green energy. It learns the name.
import { NOT_CONFIGURED, NotApplicable, Unavailable } from './decline.ts'
import type { Gatherer } from './gatherer.ts'
import { clean } from './html/clean.ts'
import { createLookup } from './lookup.ts'

export interface GreenHosting {
  /** False: the directory has no proof of green energy. */
  readonly green: boolean
  /** The host, as the directory calls it; <= 128 characters. */
  readonly hosted_by: string | null
}

export interface GreenHostingOptions {
  /** False: nothing is asked, ever. */
  readonly enabled: boolean
  /** The name is appended to it. */
  readonly endpoint: string
  readonly timeout_ms: number
}

/** Interface of the Greencheck API, version 3. */
export const GREENCHECK = 'https://api.thegreenwebfoundation.org/api/v3/greencheck/'

/** Hosts move seldom, and the directory itself is published once a day. */
const KEEP_MS = 86_400_000
const NAME_CHARACTERS = 128

/**
 * Rejects with `NotApplicable` for an address and for names that lead nowhere public, with `Unavailable` when switched
 * off (`not_configured`) and as a lookup does.
 */
export function createGreenHostingGatherer(options: GreenHostingOptions): Gatherer<'green_hosting'> {
  const { enabled, endpoint, timeout_ms } = options
  const lookup = createLookup({ read: readAnswer, timeout_ms, keep_ms: KEEP_MS })
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
