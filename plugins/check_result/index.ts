// Adds the result fields that the API guarantees besides the sections, whichever plugins are installed.
import { type Evidence, type Extension, nullable, Type } from '../../src/engine/plugin.ts'

const NullableInteger = nullable(Type.Integer())

const ThreatSummary = Type.Object({
  blacklist_hits: NullableInteger,
  ml_score: NullableInteger,
  age_days: NullableInteger,
})

type Summary = Readonly<Record<'blacklist_hits' | 'ml_score' | 'age_days', number | null>>

/** `ip` is the address that was connected to; `threat_summary` repeats three fields of the reputation section. */
const check_result: Extension = {
  name: 'check_result',
  description: 'Fills ip with the connected address, and threat_summary from the reputation section.',
  fields: { threat_summary: ThreatSummary },
  apply(hooks) {
    hooks.compose.tap('check_result', (result, { evidence }) => {
      const reputation = (result['reputation'] ?? {}) as Partial<Summary>
      const { blacklist_hits = null, ml_score = null, age_days = null } = reputation
      const ip = result['ip'] ?? connectedAddress(evidence)
      return { ...result, ip, threat_summary: { blacklist_hits, ml_score, age_days } }
    })
  },
}

export default check_result

function connectedAddress(evidence: ReadonlyMap<string, { readonly status: string }>): string | null {
  const gathered = <Name extends keyof Evidence>(name: Name) => {
    const one = evidence.get(name) as { status: string; value?: Evidence[Name] } | undefined
    return one?.value
  }
  return gathered('tls')?.address ?? gathered('page')?.exchanges[0]?.address ?? null
}
