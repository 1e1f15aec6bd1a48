// The report: a result in the order in which people read it. Every fact is shown once. Pure.
import { capital } from '../../base/labels.ts'
import { hasNoPage } from '../../evidence/facts.ts'
import type { Dependency, Description, Fact, Remark } from '../presentation/presentation.ts'
import { dateTime, NONE } from '../presentation/words.ts'
import type { SignalDetail } from '../scoring/scored.ts'
import { bySeverity, SERIOUS } from '../scoring/severity.ts'
import { meaningOf, ownerFixes, readerActions } from './actions.ts'
import { describedIn, type Presentations, type SectionPresentation } from './presentations.ts'
import {
  applies,
  type Coverage,
  coverageWords,
  reasonWords,
  type SectionCoverage,
  seenPercent,
  statusWords,
  unseenSections,
} from './reasons.ts'
import type { Report, ReportSection } from './schema.ts'
import { groupSums, scoreSteps } from './steps.ts'

/** The members of a result that a report reads; those that may be absent are so in results of earlier versions. */
export interface ReportedResult {
  readonly domain: string | null
  readonly ip: string | null
  readonly url?: string | null
  readonly final_url?: string | null
  readonly host_verdict?: string | null
  readonly risk_score: number
  readonly verdict: string
  readonly threat_types?: Report['threat_types']
  readonly recommendation: Report['recommendation']
  readonly recommendation_reason: string
  readonly confidence: Report['confidence']
  readonly signal_details: readonly SignalDetail[]
  readonly coverage: Coverage
  readonly requests?: readonly RequestTimes[] | null
  readonly scoring_policy: string
  readonly checked_at: string
  readonly process_time_ms: number
  readonly cached: boolean
  readonly stale?: boolean
  readonly email?: {
    readonly disposable: boolean | null
    readonly free_mail: boolean
    readonly deliverable: boolean | null
  }
}

/** `result` matches its schema; `presentations` are prepared for it. */
export function buildReport(result: Readonly<Record<string, unknown>>, presentations: Presentations): Report {
  const head = result as unknown as ReportedResult
  const { domain, ip, url = null, coverage, risk_score, signal_details } = head
  const details = signal_details.toSorted(bySeverity)
  const host = domain ?? ip ?? ''
  return {
    target: url ?? host,
    host,
    about: aboutFacts(head),
    recommendation: head.recommendation,
    reason: head.recommendation_reason,
    meaning: meaningOf(details, head),
    tone: toneOf(head),
    verdict: head.verdict,
    score: risk_score,
    confidence: head.confidence,
    threat_types: [...(head.threat_types ?? [])],
    stale_since: head.stale ? head.checked_at : null,
    before: readerActions(details, head, presentations),
    fixes: ownerFixes(details, presentations),
    findings: details.map(({ id, severity, title, detail, points, floor, group, section }) => ({
      signal: id,
      severity,
      title,
      points,
      floor,
      group,
      section,
      detail: detail === head.recommendation_reason ? null : withoutTitle(detail, title),
      section_title: presentations.section(section).title,
    })),
    steps: scoreSteps(details, risk_score),
    groups: groupSums(details, presentations.ceilings),
    ...sectionsOf(result, head, presentations),
    unseen: unseenOf(coverage, presentations),
    coverage: { percent: seenPercent(coverage), complete: coverage.complete, text: coverageWords(coverage) },
    checked: checkedFacts(head),
    durations: durationsOf(coverage, presentations),
    requests: requestLines(head.requests ?? []),
  }
}

/** The detail of a finding may begin with its title, because it is also read alone. */
const withoutTitle = (detail: string | null, title: string): string | null =>
  detail?.startsWith(`${title}: `) ? capital(detail.slice(title.length + 2)) : detail

/** A result with too little evidence is `unknown`, not good. */
export function toneOf({
  recommendation,
  verdict,
  confidence,
  signal_details,
}: Pick<ReportedResult, 'recommendation' | 'verdict' | 'confidence' | 'signal_details'>): Report['tone'] {
  if (recommendation === 'block') return 'bad'
  const isSerious = verdict !== 'safe' || signal_details.some(({ severity }) => SERIOUS.has(severity))
  if (recommendation === 'review' && isSerious) return 'doubtful'
  return recommendation === 'allow' && confidence === 'high' ? 'good' : 'unknown'
}

function sectionsOf(
  result: Readonly<Record<string, unknown>>,
  head: ReportedResult,
  presentations: Presentations,
): Pick<Report, 'card' | 'sections' | 'dependencies'> {
  const descriptions = Object.entries(head.coverage.sections)
    .flatMap(([name, coverage]) => {
      const section = result[name] ?? null
      const presentation = presentations.section(name)
      return section === null ? [] : [{ name, coverage, section, presentation }]
    })
    .toSorted((a, b) => a.presentation.order - b.presentation.order)
    .map(({ name, coverage, section, presentation }) => {
      const description = presentation.describe(section, describedIn(result, name))
      return { description, section: describedSection(name, coverage, presentation, description, head) }
    })
  return {
    card: cardOf(descriptions.flatMap(({ description }) => factsOf(description.card ?? []))),
    sections: descriptions.map(({ section }) => section),
    dependencies: byRole(
      descriptions.flatMap(({ description }) => description.dependencies ?? []),
      head.domain ?? head.ip ?? '',
    ),
  }
}

/** A party that is the target, or the domain that it is in, is itself. */
function byRole(all: readonly Dependency[], host: string): Report['dependencies'] {
  const roles = [...new Set(all.map(({ role }) => role))]
  const partyName = (party: string) => (`.${host}`.endsWith(`.${party}`) ? 'itself' : party)
  return roles.map(role => ({
    role,
    parties: [...new Set(all.flatMap(one => (one.role === role ? [partyName(one.party)] : [])))],
  }))
}

function describedSection(
  name: string,
  coverage: SectionCoverage,
  presentation: SectionPresentation,
  description: Description,
  { signal_details, checked_at }: ReportedResult,
): ReportSection {
  const { summary, tables = [], remarks = [], links = [], fixes = [], place, spans = [], hops = [] } = description
  const isWhole = coverage.reason === null || hasNoPage(coverage.reason)
  // If everything was seen, null means that the value does not exist: a fact is then left out, a table cell has a word.
  const facts = isWhole ? description.facts.filter(([, value]) => value !== null) : description.facts
  const cell = (value: ReportValue | readonly string[]) => copyOf(isWhole && value === null ? NONE : value)
  const own = signal_details.filter(one => one.section === name)
  const { text, tone } = standing(coverage, own, description, presentation.informs)
  return {
    name,
    title: presentation.title,
    looks: presentation.looks,
    state: text,
    tone,
    summary: [...summary],
    facts: factsOf(facts),
    tables: tables.map(({ title, columns, rows }) => ({
      title,
      columns: [...columns],
      rows: rows.map(row => row.map(cell)),
    })),
    remarks: newRemarks(remarks, signal_details),
    links: [...links],
    fixes: [...fixes],
    ...(place === undefined ? {} : { place }),
    ...(spans.length === 0 ? {} : { spans: spans.map(one => ({ ...one, at: checked_at })) }),
    ...(hops.length === 0 ? {} : { hops: hops.map(one => ({ ...one })) }),
  }
}

/** What the site says of itself comes first: readers know it by that. */
const cardOf = (facts: ReportSection['facts']): ReportSection['facts'] =>
  facts.toSorted(([, a], [, b]) => Number(isQuoted(b)) - Number(isQuoted(a)))

const isQuoted = (value: ReportSection['facts'][number][1]): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const factsOf = (facts: readonly Fact[]): ReportSection['facts'] =>
  facts.map(([label, value]) => [label, copyOf(value)])

type ReportValue = ReportSection['facts'][number][1]
const copyOf = (value: ReportSection['facts'][number][1] | readonly string[]): ReportValue =>
  Array.isArray(value) ? [...value] : (value as ReportValue)

/** Without those that a finding says already. */
function newRemarks(remarks: readonly Remark[], details: readonly SignalDetail[]): ReportSection['remarks'] {
  const earlierDetails = new Set(details.map(({ detail }) => detail))
  const ids = new Set(details.map(({ id }) => id))
  return remarks
    .filter(({ text, signals = [] }, at) => {
      const isFirst = remarks.findIndex(one => one.text === text) === at
      return isFirst && !earlierDetails.has(text) && !signals.some(id => ids.has(id))
    })
    .map(({ text, severity = 'info', reason }) => ({ text, severity, ...(reason === undefined ? {} : { reason }) }))
}

/** Sections with the same reason share an entry: a name that does not exist is one. */
function unseenOf({ sections }: Coverage, presentations: Presentations): Report['unseen'] {
  const entries = new Map<string, Report['unseen'][number]>()
  for (const [name, coverage] of unseenSections(sections)) {
    const [status, reason] = [statusWords(coverage), reasonWords(coverage)]
    const key = `${status}: ${reason}`
    const entry = entries.get(key) ?? { status, reason, sections: [], applies: applies(coverage) }
    entry.sections.push(presentations.section(name).title)
    entries.set(key, entry)
  }
  return [...entries.values()]
}

/** The quickest first. */
const durationsOf = ({ sections }: Coverage, presentations: Presentations): Report['durations'] =>
  Object.entries(sections)
    .flatMap(([name, { status, duration_ms }]) =>
      duration_ms === undefined || status === 'not_applicable'
        ? []
        : [{ title: presentations.section(name).title, milliseconds: duration_ms }],
    )
    .toSorted((a, b) => a.milliseconds - b.milliseconds)

function aboutFacts(head: ReportedResult): Report['about'] {
  const { domain, ip, url = null, final_url = null, host_verdict = null } = head
  const facts: (Report['about'][number] | null)[] = [
    url !== null && domain !== null ? ['Host', domain] : null,
    final_url !== null && final_url !== url ? ['Leads to', { text: final_url }] : null,
    host_verdict === null ? null : ['Front page of the host', host_verdict],
    ip === null || domain === null ? null : ['IP address', ip],
    ...mailFacts(head),
  ]
  return facts.filter(fact => fact !== null)
}

/** Of an e-mail address, which is named nowhere. */
const mailFacts = ({ email }: ReportedResult): Report['about'] =>
  email === undefined
    ? []
    : [
        ['Receives mail', email.deliverable],
        ['Free mail provider', email.free_mail],
        ['Disposable addresses', email.disposable ?? 'unknown: no list of them was read'],
      ]

const checkedFacts = ({ checked_at, cached, process_time_ms, coverage, scoring_policy }: ReportedResult) =>
  [
    ['Checked', `${dateTime(checked_at)}${cached ? ', from the cache' : `, in ${process_time_ms} ms`}`],
    ['Coverage', `${seenPercent(coverage)} % of the applicable evidence`],
    ['Scoring policy', scoring_policy],
  ] satisfies Report['checked']

/** A request as in the result. */
interface RequestTimes {
  readonly url: string
  readonly status: number
  /** Absent in results of earlier versions. */
  readonly purpose?: string | null
  readonly started_ms: number
  readonly connect_ms: number | null
  readonly tls_ms: number | null
  readonly queued_ms: number
  readonly wait_ms: number
  readonly receive_ms: number
}

const PURPOSES: Readonly<Record<string, string>> = {
  page: 'page',
  robots_txt: 'robots.txt',
  sitemap: 'sitemap',
  security_txt: 'security.txt',
  plain_http: 'plain HTTP',
  other_host: 'with/without www',
  cross_origin: 'CORS check',
}

/** The requests to the site as lines of a picture: what each was for, when it began and what its time went to. */
const requestLines = (requests: readonly RequestTimes[]): Report['requests'] =>
  requests.map(({ url, status, purpose, started_ms, connect_ms, tls_ms, queued_ms, wait_ms, receive_ms }) => ({
    url,
    status,
    purpose: PURPOSES[purpose ?? ''] ?? null,
    started_ms,
    phases: [
      ...(connect_ms === null ? [] : [{ phase: 'connect', milliseconds: connect_ms } as const]),
      ...(tls_ms === null ? [] : [{ phase: 'TLS', milliseconds: tls_ms } as const]),
      ...(queued_ms === 0 ? [] : [{ phase: 'queue', milliseconds: queued_ms } as const]),
      { phase: 'wait', milliseconds: wait_ms },
      { phase: 'body', milliseconds: receive_ms },
    ],
  }))

/** The minimum score that counts as good: grade A of the security headers. */
const GOOD_FROM = 85

export interface SectionStatus {
  readonly text: string
  readonly tone: ReportSection['tone']
}

/** `own` are the signals of the section; `informs` as in its presentation. */
export function standing(
  coverage: SectionCoverage,
  own: readonly Pick<SignalDetail, 'id' | 'severity' | 'points'>[],
  { score }: Pick<Description, 'score'>,
  informs: boolean,
): SectionStatus {
  const points = Math.round(own.reduce((sum, one) => sum + one.points, 0) * 10) / 10
  const [worst] = own.toSorted(bySeverity)
  const sum = points === 0 ? '' : `${signed(points)} ${Math.abs(points) === 1 ? 'point' : 'points'}`
  if (worst !== undefined && worst.severity !== 'info')
    return { text: [capital(worst.severity), sum].filter(Boolean).join(', '), tone: worst.severity }
  if (coverage.status !== 'completed' || coverage.reason !== null)
    return { text: statusWords(coverage), tone: 'unknown' }
  if (score === null) return { text: 'Not scored', tone: 'unknown' }
  if (score !== undefined) return { text: `${score} of 100`, tone: score < GOOD_FROM ? 'low' : 'good' }
  if (informs) return { text: 'Informational', tone: 'info' }
  return { text: sum || 'No issues', tone: 'good' }
}

/** With a real minus sign. */
const signed = (points: number): string => (points > 0 ? `+${points}` : `−${-points}`)
