// When each request to the site was made and how long its phases took.
import { answeredRequests, type Evidence, nullable, type Static, Type } from '../../src/engine/plugin.ts'

/** More than the budgets of a check allow. */
const MOST = 100

const milliseconds = (description: string) => Type.Integer({ minimum: 0, description })

export const Requests = Type.Array(
  Type.Object({
    url: Type.String({ description: 'At most 512 characters.' }),
    status: Type.Integer({ description: 'Status of the response.' }),
    started_ms: milliseconds('From the start of the check until the request, or the connection for it, was begun.'),
    connect_ms: nullable(milliseconds('TCP, tries of other addresses included. Null on an open connection.')),
    tls_ms: nullable(milliseconds('The TLS handshake. Null on an open connection, and without TLS.')),
    queued_ms: milliseconds('On the open connection until the request was sent.'),
    wait_ms: milliseconds('Until the head of the response.'),
    receive_ms: milliseconds('Until the end of the body, or of what was read of it.'),
  }),
  {
    maxItems: MOST,
    description:
      'The answered requests to the site, in the order in which they began: the page with its redirects, its small files, and its other entrances. The phases of a request follow one another. The times are of this check alone. Null if nothing answered, or if the times are not known.',
  },
)

type Gathered = <Name extends 'page' | 'crawl_files' | 'security_txt' | 'entrances'>(
  name: Name,
) => Evidence[Name] | undefined

/** Null if there is none. */
export function requestsOf(gathered: Gathered): Static<typeof Requests> | null {
  const page = gathered('page')
  const all = [
    ...answeredRequests([...(page?.exchanges ?? []), ...(page?.handover?.frame ?? [])]),
    ...(['crawl_files', 'security_txt', 'entrances'] as const).flatMap(name => gathered(name)?.requests ?? []),
  ]
  return all.length === 0 ? null : all.toSorted((a, b) => a.started_ms - b.started_ms).slice(0, MOST)
}
