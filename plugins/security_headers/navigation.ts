// Redirects that were not followed, and their signals.
import {
  type Evidence,
  type Severity,
  type SignalDefinition,
  type SignalFound,
  truncate,
} from '../../src/engine/plugin.ts'

const network = (weight: number, severity: Severity, title: string): SignalDefinition => ({
  weight,
  group: 'network',
  severity,
  title,
})

export const navigationSignals = {
  redirect_to_non_public: network(15, 'high', 'A redirect leads to a non-public address'),
  too_many_redirects: network(5, 'medium', 'Too many redirects'),
  redirect_loop: network(3, 'medium', 'Redirect loop'),
  redirect_off_the_web: network(3, 'high', 'A redirect leads to a URL that is not HTTP or HTTPS'),
}
type SignalId = keyof typeof navigationSignals

type Notice = readonly [id: SignalId, sentence: (at: string) => string]

const aside = (what: string): Notice => ['redirect_off_the_web', at => `A redirect ${what}: ${at}.`]

/** By the reason in the page evidence. */
const notices: Readonly<Record<string, Notice>> = {
  redirect_to_non_public: [
    'redirect_to_non_public',
    at => `A redirect points to ${at}, which is a non-public address.`,
  ],
  too_many_redirects: [
    'too_many_redirects',
    at => `There are too many redirects. The last one, to ${at}, was not followed.`,
  ],
  redirect_loop: ['redirect_loop', at => `The redirects lead back to ${at}.`],
  redirect_to_port: aside('points to a non-standard port'),
  redirect_to_scheme: aside('points to a URL that is not HTTP or HTTPS'),
  redirect_with_credentials: aside('carries credentials'),
  redirect_malformed: aside('points to an invalid URL'),
}

/** Of the URL in the signal. */
const CHARACTERS = 512

/** At most one, because the first such redirect ends the visit. */
export function findNavigation({ stopped, stopped_at }: Evidence['page']): SignalFound<SignalId>[] {
  const found = stopped !== null && Object.hasOwn(notices, stopped) ? notices[stopped] : undefined
  if (found === undefined) return []
  const [id, sentence] = found
  const at = stopped_at && truncate(stopped_at, CHARACTERS)
  return [{ id, detail: sentence(at ?? 'an unknown address'), evidence: { reason: stopped, at } }]
}
