// Whether the site is hosted on green energy, by the directory of green hosts.
import type { Evidence } from '../../src/engine/plugin.ts'
import { deliveryNamed } from './delivery.ts'

/** What is known of the energy of the host. */
export const standings = ['green', 'not_green', 'behind_cdn', 'unknown'] as const

/** What the directory of green hosts says of the host. */
export interface Hosting {
  /** Null if unknown, for example because a CDN hides the host. */
  readonly green: boolean | null
  readonly green_status: (typeof standings)[number]
  /** Whether the CDN itself is green; null without a CDN. */
  readonly green_via_cdn: boolean | null
  readonly hosted_by: string | null
}

const unknownHosting: Hosting = { green: null, green_status: 'unknown', green_via_cdn: null, hosted_by: null }

/**
 * The directory looks up addresses, so its answer is about the CDN that has the address, unless it names another host:
 * hosts can vouch for sites behind a CDN.
 */
export function judgeHosting(answer: Evidence['green_hosting'] | null, delivery: string | null): Hosting {
  if (!answer) return unknownHosting
  const { green, hosted_by } = answer
  const isOfDelivery = hosted_by === null ? delivery !== null : deliveryNamed(hosted_by) !== null
  if (!isOfDelivery) return { green, green_status: green ? 'green' : 'not_green', green_via_cdn: null, hosted_by }
  return { green: null, green_status: 'behind_cdn', green_via_cdn: green, hosted_by: hosted_by ?? delivery }
}
