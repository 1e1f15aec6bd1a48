// Adds the result fields that the API guarantees besides the sections, whichever plugins are installed.
import { type Evidence, type Extension, nullable, Type } from '../../src/engine/plugin.ts'
import { Requests, requestsOf } from './requests.ts'

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

type Summary = Readonly<Record<'blacklist_hits' | 'ml_score' | 'age_days', number | null>>

/** `ip` is the address that was connected to; `threat_summary` repeats three fields of the reputation section. */
const check_result: Extension = {
  name: 'check_result',
  description:
    'Fills ip with the connected address, threat_summary from the reputation section, and requests with the times of the requests to the site.',
  fields: { threat_summary: ThreatSummary, requests: Requests },
  apply(hooks) {
    hooks.compose.tap('check_result', (result, { evidence }) => {
      const gathered: Gathered = name => {
        const one = evidence.get(name)
        return one?.status === 'gathered' ? (one.value as Evidence[typeof name]) : undefined
      }
      const reputation = (result['reputation'] ?? {}) as Partial<Summary>
      const { blacklist_hits = null, ml_score = null, age_days = null } = reputation
      const ip = result['ip'] ?? gathered('tls')?.address ?? gathered('page')?.exchanges[0]?.address ?? null
      const threat_summary = { blacklist_hits, ml_score, age_days }
      return { ...result, ip, threat_summary, requests: requestsOf(gathered) }
    })
  },
}

export default check_result

type Gathered = <Name extends keyof Evidence>(name: Name) => Evidence[Name] | undefined
