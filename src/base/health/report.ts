// The state of every instrument, for readiness, metrics, logs and the command line.
import type { InstrumentState, Standing } from './standing.ts'

export interface InstrumentReport extends Standing {
  readonly kind: InstrumentKind
  /** The name within the kind: `1`, `ipv4`, the id of a list or feed, the host of a registry. */
  readonly name: string
}

export type InstrumentKind = 'resolver' | 'way_out' | 'list' | 'feed' | 'registry' | 'directory'

/** The instruments that each part of the service reports. */
export interface InstrumentSources {
  readonly resolvers: readonly Standing[]
  readonly way_out: Readonly<Record<'ipv4' | 'ipv6', Standing>>
  readonly lists: readonly { readonly id: string; readonly state: string; readonly proven_at: number | null }[]
  readonly feeds: readonly { readonly id: string; readonly use: string; readonly state: string }[]
  readonly upstreams: readonly (Standing & { readonly kind: 'registry' | 'directory'; readonly host: string })[]
}

export function instrumentReports({
  resolvers,
  way_out,
  lists,
  feeds,
  upstreams,
}: InstrumentSources): InstrumentReport[] {
  const instrumentReport = (kind: InstrumentKind, name: string, { state, fault, since }: Standing) => ({
    kind,
    name,
    state,
    fault,
    since,
  })
  return [
    ...resolvers.map((standing, at) => instrumentReport('resolver', `${at + 1}`, standing)),
    instrumentReport('way_out', 'ipv4', way_out.ipv4),
    instrumentReport('way_out', 'ipv6', way_out.ipv6),
    ...lists.map(({ id, state, proven_at }) => instrumentReport('list', id, ofList(state, proven_at))),
    ...feeds.flatMap(({ id, use, state }) =>
      use === 'feed' && state !== 'off' ? [instrumentReport('feed', id, ofFeed(state))] : [],
    ),
    ...upstreams.map(upstream => instrumentReport(upstream.kind, upstream.host, upstream)),
  ]
}

/** The state of a list is `healthy`, `unproven`, or the fault that its proof found. */
function ofList(state: string, provenAt: number | null): Standing {
  if (state === 'healthy') return { state, fault: null, since: provenAt }
  if (state === 'unproven') return { state: 'unproved', fault: null, since: null }
  return { state: 'down', fault: state, since: provenAt }
}

const feedStates: Readonly<Record<string, InstrumentState>> = { fresh: 'healthy', stale: 'down', missing: 'unproved' }

function ofFeed(state: string): Standing {
  const is = feedStates[state] ?? 'unproved'
  return { state: is, fault: is === 'healthy' ? null : state, since: null }
}

/** The form used in logs and notes: `resolver 1`, `way_out ipv4`. */
export const instrumentName = ({ kind, name }: Pick<InstrumentReport, 'kind' | 'name'>): string => `${kind} ${name}`

const resolverFaults: Readonly<Record<string, string>> = {
  timeout: 'it does not answer',
  unreachable: 'nothing listens on its port, or no route leads to it',
  servfail: 'it answers control questions with SERVFAIL',
  refused: 'it answers control questions with an error code',
  malformed: 'its replies cannot be read',
  denies_what_exists: 'it denies records that certainly exist',
  no_nxdomain: 'it does not answer NXDOMAIN for a name that cannot exist',
  nxdomain_without_soa: 'it answers NXDOMAIN without the required SOA record',
  not_configured: 'no resolver is configured',
}

const wayOutFaults: Readonly<Record<string, string>> = {
  timeout: 'no control host answers',
  no_route: 'this machine has no route',
  no_address: 'this machine has no source address',
  host_unreachable: 'routers report control hosts as unreachable',
  forbidden: 'this machine blocks the connections',
  refused: 'connections to control hosts are refused',
  reset: 'connections to control hosts are reset',
  nothing_heard: 'no recent connection was answered, and no control host is configured',
}

const since = ({ since }: Standing): string =>
  since === null ? '' : ` since ${new Date(since).toISOString().slice(0, 19)}Z`

/** `The DNS resolver is down since 2026-11-23T19:00:00Z: it does not answer.` */
export function resolverSentence(standing: Standing): string {
  if (standing.state === 'healthy') return 'The DNS resolver is healthy.'
  if (standing.state === 'unproved') return 'The DNS resolver is not yet known to work.'
  return `The DNS resolver is down${since(standing)}: ${resolverFaults[standing.fault ?? ''] ?? standing.fault}.`
}

/** `Outbound Internet access is down since 2026-11-23T19:00:00Z: this machine has no route.` */
export function wayOutSentence(standing: Standing): string {
  if (standing.state === 'healthy') return 'Outbound Internet access is healthy.'
  const fault = wayOutFaults[standing.fault ?? 'nothing_heard'] ?? standing.fault
  const state = standing.state === 'down' ? `is down${since(standing)}` : 'is not proven'
  return `Outbound Internet access ${state}: ${fault}.`
}
