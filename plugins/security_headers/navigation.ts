// Where the way to the page was left: redirects that nobody should follow, and what they cost.
import type { Evidence, SignalDefinition, SignalFound } from '../../src/engine/plugin.ts'

const network = (weight: number, title: string): SignalDefinition => ({ weight, group: 'network', title })

export const navigationSignals = {
  redirect_to_non_public: network(15, 'A redirect leads to an address that is not public'),
  too_many_redirects: network(5, 'More redirects than a browser would need'),
  redirect_loop: network(3, 'The redirects go round in circles'),
  redirect_off_the_web: network(3, 'A redirect leads where no web page is'),
}
type SignalId = keyof typeof navigationSignals

type Told = readonly [id: SignalId, sentence: (at: string) => string]

const aside = (what: string): Told => ['redirect_off_the_web', at => `A redirect ${what}: ${at}.`]

/** By why the page's evidence says that a redirect was not followed. */
const told: Readonly<Record<string, Told>> = {
  redirect_to_non_public: ['redirect_to_non_public', at => `A redirect points to ${at}, which is not public.`],
  too_many_redirects: ['too_many_redirects', at => `The redirects lead on, to ${at}, and were followed no further.`],
  redirect_loop: ['redirect_loop', at => `The redirects lead back to ${at}.`],
  redirect_to_port: aside('points to a port that is not the web’s'),
  redirect_to_scheme: aside('points to something that is not the web'),
  redirect_with_credentials: aside('carries credentials'),
  redirect_malformed: aside('points to no URL'),
}

/** One at most: the way is left once. */
export function findNavigation({ stopped, stopped_at }: Evidence['page']): SignalFound<SignalId>[] {
  const found = stopped !== null && Object.hasOwn(told, stopped) ? told[stopped] : undefined
  if (found === undefined) return []
  const [id, sentence] = found
  return [{ id, detail: sentence(stopped_at ?? 'nowhere'), evidence: { reason: stopped, at: stopped_at } }]
}
