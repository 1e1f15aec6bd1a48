// What changed between two checks of one name, in the order of the rules.

import { SEVERITIES, type Severity, severityRank } from '../../engine/scoring/severity.ts'
import { blameOf } from '../../evidence/facts.ts'
import { type Comparison, compareBy, differ, fromTo, sentence } from './compare.ts'
import { type Change, isComplete, isSettled, knownValue, type Result, sectionsOf, UNKNOWN } from './known.ts'
import { ALIASES, type Rule, ruledSections, rules } from './rules.ts'

/** A section that at least one of the checks could not see, so that no difference in it counts as a change. */
export interface NotCompared {
  readonly section: string
  readonly unknown: 'before' | 'after' | 'both'
  readonly reason: string | null
}

export interface Difference {
  readonly changes: readonly Change[]
  readonly not_compared: readonly NotCompared[]
}

/**
 * Compares two results of one target, the earlier first. Expects results of the API, but never throws for other data.
 */
export function diffResults(before: Result, after: Result): Difference {
  const omissions = notCompared(before, after)
  const ruleChanges = rules.flatMap(rule => byRule(rule, before, after))
  const scoreChanges = ruleChanges.map(change => (isScore(change) ? neutralize(change, before, after) : change))
  return {
    changes: [
      ...policyChange(before, after),
      ...scoreChanges,
      ...applicability(before, after),
      ...signalChanges(before, after),
      ...otherSections(before, after),
    ],
    not_compared: omissions,
  }
}

function byRule(rule: Rule, before: Result, after: Result): Change[] {
  const [was, is] = [knownValue(before, rule), knownValue(after, rule)]
  if (was === UNKNOWN || is === UNKNOWN) return []
  return compareBy(rule, was, is)
    .filter(comparison => isObserved(rule, comparison, before, after))
    .map(comparison => changeOf(rule, comparison))
}

/** An item in only one of the lists is a change only if the other check saw every place where the item may be. */
function isObserved({ path, in_parts }: Rule, comparison: Comparison, before: Result, after: Result): boolean {
  if (!in_parts) return true
  const section = path.split('.')[0] ?? ''
  return (
    (comparison.before !== null || isComplete(before, section)) &&
    (comparison.after !== null || isComplete(after, section))
  )
}

const changeOf = (rule: Rule, comparison: Comparison): Change => {
  const { severity, before, after, item } = comparison
  const whole = item === undefined ? rule.path : `${rule.path}.${item}`
  const path = rule.kind === 'each' ? `${whole}.${rule.member.path}` : whole
  return { path, severity, message: sentence(rule, comparison), before, after }
}

const SCORES: ReadonlySet<string> = new Set(['recommendation', 'risk_score', 'threat_types', 'verdict'])
const isScore = ({ path }: Change) => SCORES.has(path)

/** Makes a change of score neutral when other weights or other coverage may explain it. */
function neutralize(change: Change, before: Result, after: Result): Change {
  const alike =
    before['scoring_policy'] === after['scoring_policy'] &&
    before['confidence'] === after['confidence'] &&
    haveSameCoverage(before, after)
  return alike ? change : { ...change, severity: 'changed' }
}

/** Both checks read all that there is to read, and lack the same for the same reason, such as a registry that gives no date. */
function sawAlike(before: Result, after: Result, section: string): boolean {
  const [was, is] = [sectionsOf(before)[section], sectionsOf(after)[section]]
  const reason = was?.reason ?? null
  const isSame = was?.status === 'completed' && is?.status === 'completed' && is.reason === reason
  return isSame && reason !== null && blameOf(reason) === 'nobody'
}

/** Whether both checks saw the same sections. */
const haveSameCoverage = (before: Result, after: Result) =>
  names(before, after).every(section => isSettled(before, section) === isSettled(after, section))

function policyChange(before: Result, after: Result): Change[] {
  const [was, is] = [before['scoring_policy'], after['scoring_policy']]
  if (was === is) return []
  const message = `${fromTo('Scoring policy', was, is)}: the scores are not comparable`
  return [{ path: 'scoring_policy', severity: 'changed', message, before: was ?? null, after: is ?? null }]
}

const names = (before: Result, after: Result) => [
  ...new Set([...Object.keys(sectionsOf(before)), ...Object.keys(sectionsOf(after))]),
]

const isKnown = (status: string | undefined) => status === 'completed' || status === 'not_applicable'

function notCompared(before: Result, after: Result): NotCompared[] {
  return names(before, after).flatMap(section => {
    const [was, is] = [sectionsOf(before)[section], sectionsOf(after)[section]]
    const [seen, sees] = [isKnown(was?.status), isKnown(is?.status)]
    if (seen && sees) return []
    const unknownSide = seen ? 'after' : sees ? 'before' : 'both'
    return [{ section, unknown: unknownSide, reason: (seen ? is : was)?.reason ?? null } as const]
  })
}

/** Sections that now apply, or no longer do. */
function applicability(before: Result, after: Result): Change[] {
  return names(before, after).flatMap(section => {
    const [was, is] = [sectionsOf(before)[section], sectionsOf(after)[section]]
    if (!isKnown(was?.status) || !isKnown(is?.status) || was?.status === is?.status) return []
    const reason = (is?.status === 'completed' ? was : is)?.reason
    const message = `${section} ${is?.status === 'completed' ? 'now applies' : 'no longer applies'} (${reason})`
    return [
      {
        path: `coverage.sections.${section}`,
        severity: 'changed',
        message,
        before: was?.status,
        after: is?.status,
      } as const,
    ]
  })
}

/** In sections without rules: every member that differs. */
function otherSections(before: Result, after: Result): Change[] {
  return names(before, after)
    .filter(name => !ruledSections.has(name) && !ALIASES.has(name))
    .flatMap(section => {
      const [was, is] = [before[section], after[section]] as (Result | null | undefined)[]
      if (!was || !is) return []
      return [...new Set([...Object.keys(was), ...Object.keys(is)])]
        .filter(name => (was[name] ?? null) !== null && (is[name] ?? null) !== null && differ(was[name], is[name]))
        .map(name => {
          const path = `${section}.${name}`
          const message = fromTo(path, was[name], is[name])
          return { path, severity: 'changed', message, before: was[name], after: is[name] } as const
        })
    })
}

interface Signal {
  readonly id: string
  readonly section: string
  readonly points: number
  readonly title: string
  /** Absent in results of earlier versions. */
  readonly severity?: Severity
  /** Joint evidence names the signals that it consists of, which may be of any section. */
  readonly evidence?: { readonly signals?: unknown }
}

/** These fields describe earlier checks here, so every check changes them. */
const OF_THE_INSTALLATION: ReadonlySet<string> = new Set(['first_seen_here'])

const isSignal = (one: Partial<Signal> | null): one is Signal =>
  [one?.id, one?.section, one?.title].every(text => typeof text === 'string') && typeof one?.points === 'number'

const isOfTheTarget = ({ id }: Signal): boolean => !OF_THE_INSTALLATION.has(id)

/** Drops an unknown severity. */
const readable = (one: Signal): Signal => {
  const { severity, ...rest } = one
  return severity !== undefined && SEVERITIES.includes(severity) ? one : rest
}

/**
 * Added, removed and re-rated signals. A signal is known to be absent only when everything that it depends on was seen; it is
 * better or worse only when both checks saw that, because what one of them did not see may have shown it in another form.
 */
function signalChanges(before: Result, after: Result): Change[] {
  const list = (result: Result) => {
    const details = result['signal_details']
    return Array.isArray(details) ? details.filter(isSignal).filter(isOfTheTarget).map(readable) : []
  }
  const [was, is] = [list(before), list(after)]
  const sees = (result: Result, { section, evidence }: Signal) =>
    Array.isArray(evidence?.signals)
      ? haveSameCoverage(before, after)
      : isSettled(result, section) || sawAlike(before, after, section)
  const lacks = (all: readonly Signal[], result: Result) => (one: Signal) =>
    all.every(({ id }) => id !== one.id) && sees(result, one)
  const change = (one: Signal, what: 'added' | 'removed'): Change => {
    const signalDelta = signalChange(one, what)
    return sees(before, one) && sees(after, one) ? signalDelta : { ...signalDelta, severity: 'changed' }
  }
  const additions = is.filter(lacks(was, before)).map(one => change(one, 'added'))
  const removals = was.filter(lacks(is, after)).map(one => change(one, 'removed'))
  const severityChanges = is.flatMap(one => severityChange(was.find(({ id }) => id === one.id)?.severity, one))
  return [...additions, ...removals, ...severityChanges]
}

/** A signal with a severity is a fault even if a ceiling removed its points; `info` with negative points is praise. */
function signalChange(signal: Signal, what: 'added' | 'removed'): Change {
  const { id, points, title, severity } = signal
  const isFault = severity === undefined ? points > 0 : severity !== 'info'
  const isPraise = !isFault && points < 0
  const isWorse = what === 'added' ? isFault : isPraise
  const change = !isFault && !isPraise ? 'changed' : isWorse ? 'weakened' : 'strengthened'
  const [before, after] = what === 'added' ? [null, points] : [points, null]
  const severityText = severity === undefined ? '' : `${severity}, `
  const message = `Signal ${what}: ${title} (${id}, ${severityText}${points} ${points === 1 ? 'point' : 'points'})`
  return { path: `signals.${id}`, severity: change, message, before, after }
}

/** A different severity comes from another configuration or version of the service, not from the target. */
function severityChange(before: Severity | undefined, { id, title, severity: after }: Signal): Change[] {
  if (before === undefined || after === undefined || severityRank(before) === severityRank(after)) return []
  const message = `Severity of ${title} (${id}): ${before} → ${after}`
  return [{ path: `signals.${id}.severity`, severity: 'changed', message, before, after }]
}
