// Results as SARIF 2.1.0 (OASIS), for code hosts and dashboards. The signals are rules. Each signal found is a result,
// and so is each target that is not recommended to be allowed.
import { createHash } from 'node:crypto'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { visible } from '../../base/visible.js'
import type { Recommendation } from '../../engine/scoring/recommendation.ts'
import type { SignalDetail } from '../../engine/scoring/scored.ts'
import { type Severity, severityOf } from '../../engine/scoring/severity.ts'
import type { RatedSignal } from '../../engine/scoring/signal.ts'
import { type BulkRecord, type ErrorRecord, isError, type ResultRecord, recommendationOf, recordKey } from './record.ts'

export const SARIF_SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'

/** A signal of the registry with the section that reports it. */
export interface Rule {
  readonly id: string
  readonly section: string
  readonly signal: RatedSignal
}

type Level = 'error' | 'warning' | 'note' | 'none'

interface SarifLevel {
  readonly level: Level
  /** Code hosts sort by this CVSS-like number: from 9, 7, 4 and 0.1 it means critical, high, medium and low. */
  readonly score: string
}

const levels: Readonly<Record<Severity, SarifLevel>> = {
  critical: { level: 'error', score: '9.5' },
  high: { level: 'error', score: '8.0' },
  medium: { level: 'warning', score: '5.5' },
  low: { level: 'note', score: '2.0' },
  info: { level: 'none', score: '0.0' },
}

export const sarifRule = ({ id, section, signal }: Rule) => ({
  id,
  name: nameOf(id),
  shortDescription: { text: messageText(signal.title) },
  defaultConfiguration: { level: levels[signal.severity].level },
  properties: {
    section,
    group: signal.group,
    severity: signal.severity,
    weight: signal.weight,
    'security-severity': levels[signal.severity].score,
    // A group may be named as its section; tags are unique (section 3.8.2).
    tags: [...new Set(['security', section, signal.group])],
  },
})

const nameOf = (id: string): string => id.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** A target that is not allowed is a result of its own, because it may need a review without any signal. */
const decisions: Readonly<Record<Exclude<Recommendation, 'allow'>, SarifLevel & { readonly title: string }>> = {
  block: { ...levels.critical, title: 'Block the target' },
  review: { ...levels.medium, title: 'Have a person review the target' },
}

const decisionRules = Object.entries(decisions).map(([decision, { level, score, title }]) => ({
  id: `recommendation/${decision}`,
  name: nameOf(`recommendation_${decision}`),
  shortDescription: { text: title },
  defaultConfiguration: { level },
  properties: { 'security-severity': score, tags: ['security', 'recommendation'] },
}))

/** All rules of a run, in the order of `ruleIndex`. */
export const sarifRules = (rules: readonly Rule[]) => [...rules.map(sarifRule), ...decisionRules]

/**
 * Third-party text as a plain text message: placeholders become literal braces (SARIF 2.1.0 section 3.11.5), text that
 * looks like an embedded link is escaped (section 3.11.6, as clarified in 2.2), and control characters are removed.
 */
export function messageText(text: string): string {
  const bracedText = visible(text).replace(/[{}]/g, '$&$&')
  return bracedText.includes('](') ? bracedText.replace(/[[\]\\]/g, '\\$&') : bracedText
}

/** The location of a target: a line of the input. `artifact` is a URI reference. */
const locationOf = (record: BulkRecord, artifact: string) => ({
  physicalLocation: { artifactLocation: { uri: artifact }, region: { startLine: record.line } },
  logicalLocations: [{ fullyQualifiedName: withoutSecrets(recordKey(record)), kind: 'resource' }],
})

/** SARIF is made to be uploaded: a URL keeps neither its query nor user information. The input has the rest. */
const withoutSecrets = (text: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(text) ? text.replace(/\/\/[^/?#]*@/, '//…@').replace(/[?#].*$/s, '?…') : text

/** The same for links within a sentence: where a redirect leads may hold what the link held. */
const withoutQueries = (sentence: string): string => sentence.replace(/(\bhttps?:\/\/[^\s?#]*)[?#]\S*/gi, '$1?…')

/** The results of one record; none for a record without a result. `rules` maps rule IDs to their index. */
export function sarifResults(record: BulkRecord, rules: ReadonlyMap<string, number>, artifact: string) {
  if (isError(record)) return []
  const result = (ruleId: string, level: Level, text: string, properties: object) => ({
    ruleId,
    ...(rules.has(ruleId) ? { ruleIndex: rules.get(ruleId) } : {}),
    kind: level === 'none' ? 'informational' : 'fail',
    level,
    message: { text: messageText(`${withoutSecrets(recordKey(record))}: ${withoutQueries(text)}`) },
    locations: [locationOf(record, artifact)],
    partialFingerprints: { 'targetAndSignal/v1': digest(`${recordKey(record)} ${ruleId}`) },
    properties: { ...properties, ...totalsOf(record) },
  })
  const acceptedFindings = (record['accepted'] ?? []) as readonly { readonly id: string; readonly reason: string }[]
  const signals = (record['signal_details'] as readonly SignalDetail[]).map(detail => {
    const { id, points, floor, title, section } = detail
    const severity = severityIn(detail)
    const sarifResult = result(id, levels[severity].level, detail.detail ?? title, { section, severity, points, floor })
    const reason = acceptedFindings.find(one => one.id === id)?.reason
    return reason === undefined
      ? sarifResult
      : { ...sarifResult, suppressions: [{ kind: 'external', justification: messageText(reason) }] }
  })
  const decision = recommendationOf(record)
  if (decision === 'allow') return signals
  const reason = record['recommendation_reason'] ?? `The verdict is ${record['verdict']}.`
  return [result(`recommendation/${decision}`, decisions[decision].level, String(reason), {}), ...signals]
}

/** Results of earlier versions have no severities. */
const severityIn = ({ severity, points, floor, group, title }: SignalDetail): Severity =>
  severity ?? severityOf({ weight: points, group, title, ...(floor === null ? {} : { floor }) })

const totalsOf = (record: ResultRecord) => ({
  recommendation: recommendationOf(record),
  confidence: record['confidence'] ?? null,
  verdict: record['verdict'],
  risk_score: record['risk_score'],
  threat_types: record['threat_types'] ?? [],
})

/** A target that could not be checked, as a notification of the run. */
export const sarifNotification = (record: ErrorRecord, artifact: string) => ({
  level: 'error',
  descriptor: { id: record.error.code },
  message: { text: messageText(`${withoutSecrets(record.input)}: ${record.error.detail}`) },
  locations: [{ physicalLocation: locationOf(record, artifact).physicalLocation }],
})

/**
 * The parts of the file in order: the text around results and notifications, which are streamed. `version` is the version of assay. The run counts as successful; failures are in its notifications.
 */
export function sarifFrame(rules: readonly Rule[], version: string) {
  const driver = { name: 'assay', version, semanticVersion: version, rules: sarifRules(rules) }
  return {
    head: `{"$schema":"${SARIF_SCHEMA}","version":"2.1.0","runs":[{"tool":{"driver":${JSON.stringify(driver)}},"columnKind":"utf16CodeUnits","results":[`,
    between: '],"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[',
    tail: ']}]}]}\n',
  }
}

/** A file as a URI reference (RFC 3986): relative if it is below `base`, as code hosts expect. */
export function artifactUri(file: string, base: string): string {
  const whole = resolve(base, file)
  const path = relative(base, whole)
  if (path.split(sep)[0] === '..' || isAbsolute(path)) return pathToFileURL(whole).href
  return path.split(sep).map(encodeURIComponent).join('/')
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
