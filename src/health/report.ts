// Every instrument by name with its standing, for readiness, metrics, the log and the command line.
import type { InstrumentState, Standing } from './standing.ts'

export interface InstrumentReport extends Standing {
  readonly kind: InstrumentKind
  /** Within its kind: `1`, `ipv4`, the id of a list or feed, the host of a registry. */
  readonly name: string
}

export type InstrumentKind = 'resolver' | 'way_out' | 'list' | 'feed' | 'registry' | 'directory'

/** What each part of the service knows of its own instruments. */
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
  const named = (kind: InstrumentKind, name: string, { state, fault, since }: Standing) => ({
    kind,
    name,
    state,
    fault,
    since,
  })
  return [
    ...resolvers.map((standing, at) => named('resolver', `${at + 1}`, standing)),
    named('way_out', 'ipv4', way_out.ipv4),
    named('way_out', 'ipv6', way_out.ipv6),
    ...lists.map(({ id, state, proven_at }) => named('list', id, ofList(state, proven_at))),
    ...feeds.flatMap(({ id, use, state }) =>
      use === 'feed' && state !== 'off' ? [named('feed', id, ofFeed(state))] : [],
    ),
    ...upstreams.map(upstream => named(upstream.kind, upstream.host, upstream)),
  ]
}

/** A list's state is `healthy`, `unproven`, or what its proof found wrong. */
function ofList(state: string, proven_at: number | null): Standing {
  if (state === 'healthy') return { state, fault: null, since: proven_at }
  if (state === 'unproven') return { state: 'unproved', fault: null, since: null }
  return { state: 'down', fault: state, since: proven_at }
}

const feedStates: Readonly<Record<string, InstrumentState>> = { fresh: 'healthy', stale: 'down', missing: 'unproved' }

function ofFeed(state: string): Standing {
  const is = feedStates[state] ?? 'unproved'
  return { state: is, fault: is === 'healthy' ? null : state, since: null }
}

/** `resolver 1`, `way_out ipv4`: as it stands in logs and notes. */
export const instrumentName = ({ kind, name }: Pick<InstrumentReport, 'kind' | 'name'>): string => `${kind} ${name}`
