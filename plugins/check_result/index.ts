// Adds the result fields that the API guarantees besides the sections, whichever plugins are installed.
import {
  answeredRequests,
  type Evidence,
  type Extension,
  nullable,
  REQUEST_PURPOSES,
  type Static,
  Type,
} from '../../src/engine/plugin.ts'

const ThreatSummary = Type.Object(
  {
    blacklist_hits: nullable(Type.Integer({ description: 'Blocklists and feeds that list the target.' })),
    ml_score: nullable(
      Type.Integer({ description: 'How malicious the name looks by its characters alone, 0 to 100.' }),
    ),
    age_days: nullable(Type.Integer({ description: 'Whole days since the registration.' })),
  },
  { description: 'Three fields of `reputation`, for clients that read only these. Each is null if unknown.' },
)

/** More than the budgets of a check allow. */
const MOST = 100

const milliseconds = (description: string) => Type.Integer({ minimum: 0, description })

const Requests = Type.Array(
  Type.Object({
    url: Type.String({ description: 'At most 512 characters.' }),
    status: Type.Integer({ description: 'Status of the response.' }),
    purpose: nullable(
      Type.Enum([...REQUEST_PURPOSES], {
        description:
          '`page`: the page, with its redirects and the document that it leads on to. `robots_txt`, `sitemap`, `security_txt`: that file. `plain_http`: whether plain HTTP leads to HTTPS. `other_host`: the name with `www.`, or without it. `cross_origin`: what scripts of other sites may read. Null in recordings that do not say it.',
      }),
    ),
    started_ms: milliseconds('From the start of the check to the start of the request or its connection.'),
    connect_ms: nullable(milliseconds('TCP, tries of other addresses included. Null on an open connection.')),
    tls_ms: nullable(milliseconds('The TLS handshake. Null on an open connection, and without TLS.')),
    queued_ms: milliseconds('Wait on the open connection before the request was sent.'),
    wait_ms: milliseconds('From the request to the head of the response.'),
    receive_ms: milliseconds('From the head to the end of the body, or of the part that was read.'),
  }),
  {
    maxItems: MOST,
    description:
      'The answered requests to the site, in the order in which they began: the page with its redirects, its small files, and its other entrances. The phases of a request follow one another. The times are from this check alone. Null if nothing answered, or if the times are unknown.',
  },
)

type SectionSummary = Readonly<Record<'blacklist_hits' | 'ml_score' | 'age_days', number | null>>

/** `ip` is the address that was connected to; `threat_summary` repeats three fields of the reputation section. */
const checkResult: Extension = {
  name: 'check_result',
  description:
    'Fills ip with the connected address, threat_summary from the reputation section, and requests with the times of the requests to the site.',
  fields: { threat_summary: ThreatSummary, requests: Requests },
  apply(hooks) {
    hooks.compose.tap('check_result', (result, { evidence }) => {
      const evidenceOf: EvidenceGetter = name => {
        const one = evidence.get(name)
        return one?.status === 'gathered' ? (one.value as Evidence[typeof name]) : undefined
      }
      const reputation = (result['reputation'] ?? {}) as Partial<SectionSummary>
      const { blacklist_hits = null, ml_score = null, age_days = null } = reputation
      const ip = result['ip'] ?? evidenceOf('tls')?.address ?? evidenceOf('page')?.exchanges[0]?.address ?? null
      const threatSummary = { blacklist_hits, ml_score, age_days }
      return { ...result, ip, threat_summary: threatSummary, requests: requestsOf(evidenceOf) }
    })
  },
}

export default checkResult

type EvidenceGetter = <Name extends keyof Evidence>(name: Name) => Evidence[Name] | undefined

/** When each request to the site was made and how long its phases took; null if there is none. */
function requestsOf(evidenceOf: EvidenceGetter): Static<typeof Requests> | null {
  const page = evidenceOf('page')
  const all = [
    ...answeredRequests([...(page?.exchanges ?? []), ...(page?.handover?.frame ?? [])], 'page'),
    ...(['crawl_files', 'icon', 'security_txt', 'entrances'] as const).flatMap(
      name => evidenceOf(name)?.requests ?? [],
    ),
  ]
  if (all.length === 0) return null
  const first = all.toSorted((a, b) => a.started_ms - b.started_ms).slice(0, MOST)
  return first.map(({ purpose = null, ...request }) => ({ ...request, purpose }))
}
