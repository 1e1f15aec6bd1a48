// What the service itself says about its instruments and datasets, with the terms of each source that is in use.

import { type InstrumentReport, instrumentName, resolverSentence, wayOutSentence } from '../../base/health/report.ts'
import { isHealthy } from '../../base/health/standing.ts'
import type { BlockList } from '../../evidence/listings/block_list.ts'
import type { DatasetStatus } from '../../knowledge/datasets/status.ts'
import { type DoctorFinding, failed, ok, warning } from './finding.ts'

/** The resolvers and the way out, after they were proved. */
export function examineWay(
  instruments: readonly InstrumentReport[],
  resolvers: readonly { readonly rewrites: boolean }[],
): readonly DoctorFinding[] {
  const of = (kind: InstrumentReport['kind']) => instruments.filter(one => one.kind === kind)
  const ways = of('way_out')
  const anyWay = ways.some(isHealthy)
  const anyResolver = of('resolver').some(isHealthy)
  return [
    ...of('resolver').map((one, at) => {
      const check = instrumentName(one)
      const advice = 'Correct `network.resolvers`, or run a resolver of your own (Unbound, Knot)'
      if (!isHealthy(one)) return (anyResolver ? warning : failed)(check, withoutStop(resolverSentence(one)), advice)
      if (resolvers[at]?.rewrites)
        return warning(
          check,
          'sends names that do not exist to addresses of its own',
          'Run a resolver of your own (Unbound, Knot)',
        )
      return ok(check, 'finds what exists and denies what does not')
    }),
    ...ways.map(one => {
      const check = `egress ${one.name}`
      if (isHealthy(one)) return ok(check, 'connections are answered')
      if (!anyWay && anyResolver)
        return failed(check, withoutStop(wayOutSentence(one)), 'Allow outbound connections to ports 43, 80 and 443')
      if (!anyWay) return warning(check, 'not examined, because no resolver works', 'Correct the resolver first')
      if (one.name === 'ipv6')
        return ok(check, `${withoutStop(wayOutSentence(one))}; sites with IPv4 are checked all the same`)
      return warning(check, withoutStop(wayOutSentence(one)), 'Sites with IPv4 only cannot be visited: add a route')
    }),
  ]
}

export function examineDatasets(
  all: readonly DatasetStatus[],
  offs: ReadonlyMap<string, string>,
): readonly DoctorFinding[] {
  return all.flatMap(one => {
    const { id, name, state, entries, age_seconds, reason, terms } = one
    const check = `dataset ${id}`
    if (state === 'off') return []
    const age = age_seconds === null ? '' : `, confirmed ${ageText(age_seconds)} ago`
    const message = `${name}: ${state === 'missing' ? 'not loaded' : `${entries} entries${age}`}; ${terms}`
    const last = reason === null ? '' : ` (${reason})`
    if (state !== 'fresh')
      return [
        warning(
          check,
          state === 'stale' ? `${message}; too old to use${last}` : `${message}${last}`,
          `Run \`assay datasets refresh ${id}\``,
        ),
      ]
    const off = offs.get(id)
    if (off !== undefined)
      return [warning(check, message, `Off by default, because ${off}: make sure that you may use it`)]
    return [ok(check, message)]
  })
}

/** `states` is absent when the lists were not queried. */
export function examineLists(
  lists: readonly BlockList[],
  states: ReadonlyMap<string, InstrumentReport> | null,
): readonly DoctorFinding[] {
  return lists.map(({ id, name, terms, off }) => {
    const check = `list ${id}`
    const about = `${name}: ${terms}`
    const standing = states?.get(id)
    if (standing?.state === 'down')
      return warning(
        check,
        `${about}; failed its test queries (${standing.fault})`,
        'Use a resolver of your own, or disable it in `blocklists.enabled`',
      )
    if (standing?.state === 'unproved')
      return warning(
        check,
        `${about}; did not answer its test queries`,
        'Its answers are unknown until it does; see the resolver',
      )
    return off === null
      ? ok(check, about)
      : warning(check, about, `Off by default, because ${off}: make sure that you may use it`)
  })
}

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')

const HOUR = 3_600

function ageText(seconds: number): string {
  if (seconds < HOUR) return `${Math.floor(seconds / 60)} min`
  return seconds < 48 * HOUR ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / (24 * HOUR))} days`
}
