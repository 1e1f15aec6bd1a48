// `.assayignore`: findings that somebody accepts for a target until a day. They are shown as accepted, and --fail-on judges what is left.
import { existsSync } from 'node:fs'
import { didYouMean } from '../base/fault.ts'
import { readTextFile } from '../base/files.ts'
import { visible } from '../base/visible.js'
import type { Registry } from '../engine/registry.ts'
import type { Confidence } from '../engine/scoring/confidence.ts'
import type { MissingSource } from '../engine/scoring/missing.ts'
import { recommendation } from '../engine/scoring/recommendation.ts'
import { riskScore, score } from '../engine/scoring/score.ts'
import type { SignalDetail } from '../engine/scoring/scored.ts'
import { verdict } from '../engine/scoring/verdict.ts'
import { parseTarget, requestFor, unvetted } from '../targets/target.ts'
import { CliError, EXIT } from './exit_codes.ts'
import type { Output } from './output.ts'
import type { Display } from './report/display.ts'

type Result = Readonly<Record<string, unknown>>

/** A finding that is accepted, as a result shows it. */
export interface AcceptedFinding {
  readonly id: string
  /** The last day, in UTC. */
  readonly until: string
  readonly reason: string
}

interface AcceptedEntry extends AcceptedFinding {
  readonly place: string
  /** As written. */
  readonly target: string
  /** A name or an address; of `*.example.com`, the part after the asterisk. */
  readonly name: string
  readonly isBelow: boolean
  /** Whether its target had a result in this run, and whether one of them had the finding. */
  isTargetChecked: boolean
  isUsed: boolean
}

export interface Acceptance {
  /** The result with the findings that are accepted as `accepted`; the same one where none is. */
  mark(result: Result): Result
  /** What --fail-on looks at. */
  judge(result: Result): Result
  /** Warns of entries whose finding was not there. */
  finish(): void
}

/** Read when no other file is named. */
const FILE = '.assayignore'
/** More than a person looks after. */
const MOST_ENTRIES = 10_000
const REASON_CHARACTERS = 500

const DAY = /^\d{4}-\d\d-\d\d$/
const isDay = (text: string): boolean => DAY.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

/** Ends the command at the first line that is wrong. `now` in milliseconds. */
export function openAccepted(
  path: string | undefined,
  registry: Registry,
  err: Output['err'],
  now: number,
): Acceptance {
  const file = path ?? FILE
  if (path === undefined && !existsSync(file)) return { mark: one => one, judge: one => one, finish: () => {} }
  const today = new Date(now).toISOString().slice(0, 10)
  const entries = entriesOf(file, new Set(signalsOf(registry)))
  for (const { place, id, target, until } of entries.filter(one => one.until < today))
    err(`assay: ${place}: expired on ${until}, so ${id} of ${target} counts again\n`)
  const valid = entries.filter(({ until }) => until >= today)
  return {
    mark(result) {
      const matching = valid.filter(entry => isOf(entry, result))
      const acceptedFindings = detailsOf(result).flatMap(({ id }) => {
        const entry = matching.find(one => one.id === id)
        if (entry !== undefined) entry.isUsed = true
        return entry === undefined ? [] : [{ id, until: entry.until, reason: entry.reason }]
      })
      for (const entry of matching) entry.isTargetChecked = true
      return acceptedFindings.length === 0 ? result : { ...result, accepted: acceptedFindings }
    },
    judge: result => judgedWithout(result, acceptedIn(result), registry),
    finish() {
      for (const { place, id, target } of valid.filter(({ isTargetChecked, isUsed }) => isTargetChecked && !isUsed))
        err(`assay: ${place}: ${target} has no finding ${id}; remove the line\n`)
    },
  }
}

const signalsOf = ({ analyzers, offered, composites }: Registry): readonly string[] => [
  ...[...analyzers, ...offered].flatMap(({ signals }) => Object.keys(signals)),
  ...Object.keys(composites),
]

/** Lines of `SIGNAL TARGET DAY REASON`; empty ones and comments are skipped. */
function entriesOf(file: string, signals: ReadonlySet<string>): AcceptedEntry[] {
  const lines = textOf(file).split(/\r?\n/)
  const entries = lines.flatMap((line, i) => {
    const text = line.trim()
    return text === '' || text.startsWith('#') ? [] : [entryOf(text, `${visible(file)}:${i + 1}`, signals)]
  })
  if (entries.length > MOST_ENTRIES) throw new CliError(EXIT.usage, `${file}: more than ${MOST_ENTRIES} entries`)
  return entries
}

function textOf(file: string): string {
  try {
    return readTextFile(file)
  } catch (error) {
    throw new CliError(EXIT.usage, `${file}: ${error instanceof Error ? error.message : error}`)
  }
}

function entryOf(text: string, place: string, signals: ReadonlySet<string>): AcceptedEntry {
  const wrong = (message: string) => new CliError(EXIT.usage, `${place}: ${message}`)
  const [, id = '', target = '', until = '', reason = ''] = /^(\S+)\s+(\S+)\s+(\S+)\s+(.+)$/u.exec(text) ?? []
  if (id === '') throw wrong('a line is SIGNAL TARGET YYYY-MM-DD REASON; all four are needed')
  if (!signals.has(id)) throw wrong(`there is no signal ${visible(id)}${didYouMean(id, signals) || '.'}`)
  const isBelow = target.startsWith('*.')
  const parsed = parseTarget(requestFor(isBelow ? target.slice(2) : target), unvetted)
  if (!parsed.ok) throw wrong(`${visible(target)}: ${parsed.detail}`)
  const { domain, ip, url } = parsed.target
  if (url !== null) throw wrong('the target is a domain name or an address; links on it are accepted with it')
  if (isBelow && domain === null) throw wrong('only names have names below them')
  if (!isDay(until)) throw wrong(`${visible(until)} is not a day such as 2027-01-31`)
  if (reason.length > REASON_CHARACTERS) throw wrong(`the reason is longer than ${REASON_CHARACTERS} characters`)
  return {
    id,
    until,
    reason,
    place,
    target: visible(target),
    name: domain ?? ip ?? '',
    isBelow,
    isTargetChecked: false,
    isUsed: false,
  }
}

function isOf({ name, isBelow }: AcceptedEntry, { domain, ip, url }: Result): boolean {
  const host = typeof url === 'string' ? new URL(url).hostname.replace(/^\[|\]$/g, '') : null
  return (
    [domain, domain === null ? ip : null, host].some(one => one === name && !isBelow) ||
    below(name, domain ?? host, isBelow)
  )
}

const below = (name: string, host: unknown, isBelow: boolean): boolean =>
  isBelow && typeof host === 'string' && host.endsWith(`.${name}`)

const detailsOf = (result: Result): readonly SignalDetail[] => {
  const details = result['signal_details']
  return Array.isArray(details) ? (details as SignalDetail[]) : []
}

export const acceptedIn = ({ accepted }: Result): readonly AcceptedFinding[] =>
  Array.isArray(accepted) ? (accepted as AcceptedFinding[]) : []

/**
 * The result as it would be without the accepted findings, never worse than it is. What a ceiling took from the others counts again in
 * full, and so does everything where the details do not add up to the score, as in a result with few sections.
 */
function judgedWithout(result: Result, acceptedFindings: readonly AcceptedFinding[], registry: Registry): Result {
  const details = detailsOf(result)
  const shownScore = Number(result['risk_score'])
  if (acceptedFindings.length === 0 || riskScore(details) !== shownScore) return result
  const ids = new Set(acceptedFindings.map(({ id }) => id))
  const remainder = details.filter(({ id }) => !ids.has(id))
  const risk = Math.min(shownScore, score(remainder.map(weighedBy(details, registry)), registry.groups).risk_score)
  const { confidence, coverage } = result as {
    confidence: Confidence
    coverage?: { missing?: readonly MissingSource[] }
  }
  // Whose feed is missing is not in every result.
  const missing = (coverage?.missing ?? []).map(one => ({ ...one, own: true }))
  const judgement = { verdict: verdict(risk), confidence, details: remainder, missing }
  return { ...result, risk_score: risk, verdict: judgement.verdict, recommendation: recommendation(judgement) }
}

/** A finding with the points that it has, or those of its own where the ceiling of its group may have taken some. */
function weighedBy(all: readonly SignalDetail[], { analyzers, groups }: Registry) {
  const weights = new Map(
    analyzers.flatMap(({ signals }) => Object.entries(signals).map(([id, { weight }]) => [id, weight] as const)),
  )
  const isFull = (group: string) =>
    all.reduce((sum, one) => sum + (one.group === group ? Math.max(0, one.points) : 0), 0) >= (groups[group] ?? 0)
  return ({ id, section, group, severity, points, floor, title }: SignalDetail) => {
    const weight = points >= 0 && isFull(group) ? Math.max(points, weights.get(id) ?? groups[group] ?? 0) : points
    const definition = { title, group, severity, weight, ...(floor !== null && { floor }) }
    return { section, definition, signal: { id } }
  }
}

/** The accepted findings below a report; empty when there are none. */
export function acceptedBlock(result: Result, { paint }: Display): string {
  const acceptedFindings = acceptedIn(result)
  if (acceptedFindings.length === 0) return ''
  const lines = acceptedFindings.map(({ id, until, reason }) => `  ${id} until ${until}: ${visible(reason)}\n`)
  return `\n${paint('bold', 'Accepted here:')}\n${lines.join('')}`
}
