// From the query to what is to be checked, and the name its result is kept by.
import { keepAtMost } from '../keep_at_most.ts'
import { cacheKey } from '../store/result_cache.ts'
import { parseTarget, type Target } from '../target/target.ts'
import { Problem } from './problem.ts'
import { parseQuery } from './query.ts'

export interface AskedTarget {
  readonly target: Target
  /** Of its result in the cache. */
  readonly name: string
  /** For the log. */
  readonly label: string
}

/** Queries whose meaning is remembered, and their longest: those for kept results come again and again. */
const rememberedQueries = 4_096
const rememberedLength = 300

/**
 * `read` takes what follows the `?` and throws the `Problem` that is with it. `refuse` is the guard; `policy` names the
 * weights in force, since a result under another policy is another result.
 */
export function createTargetReader(refuse: (address: string) => string | null, policy: string) {
  const remembered = keepAtMost<AskedTarget>(rememberedQueries)

  function parse(raw: string): AskedTarget {
    const query = parseQuery(raw)
    if (!query.ok) throw new Problem('invalid-parameter', query.detail)
    const parsed = parseTarget(query, refuse)
    if (!parsed.ok) throw new Problem(parsed.code, parsed.detail)
    const { domain, ip } = parsed.target
    const label = domain && ip ? `${domain} ${ip}` : (domain ?? ip ?? '')
    return { target: parsed.target, name: cacheKey(parsed.target, policy), label }
  }

  return (raw: string): AskedTarget => {
    const known = remembered.get(raw)
    if (known !== undefined) return known
    const asked = parse(raw)
    // What the guard says of an address may change, what a name means does not.
    if (asked.target.ip === null && raw.length <= rememberedLength) remembered.set(raw, asked)
    return asked
  }
}
