// Results as SARIF 2.1.0 (OASIS), for code hosts and dashboards: the signals are rules, each found signal is a result.
import { createHash } from 'node:crypto'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SignalDetail } from '../scoring/scored.ts'
import type { SignalDefinition } from '../scoring/signal.ts'
import { type BulkRecord, type ErrorRecord, isError, recordKey } from './record.ts'

export const SARIF_SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'

/** A signal of the registry with the section that reports it. */
export interface Rule {
  readonly id: string
  readonly section: string
  readonly signal: SignalDefinition
}

type Level = 'error' | 'warning' | 'note' | 'none'

/** Points from which a signal alone is half of what makes a target suspicious. */
const ERROR_POINTS = 15

/** What costs nothing is told; what takes off is no fault. */
const levelOf = (points: number, floor: number | null | undefined): Level => {
  if ((floor ?? null) !== null || points >= ERROR_POINTS) return 'error'
  return points > 0 ? 'warning' : points === 0 ? 'note' : 'none'
}

export const sarifRule = ({ id, section, signal }: Rule) => ({
  id,
  name: id.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  shortDescription: { text: signal.title },
  defaultConfiguration: { level: levelOf(signal.weight, signal.floor) },
  properties: { section, group: signal.group, weight: signal.weight, tags: ['security', section, signal.group] },
})

/** Where a target was asked for: a line of the input. `artifact` is a URI reference. */
const locationOf = (record: BulkRecord, artifact: string) => ({
  physicalLocation: { artifactLocation: { uri: artifact }, region: { startLine: record.line } },
  logicalLocations: [{ fullyQualifiedName: recordKey(record), kind: 'resource' }],
})

/** The results of one record; none for one without a result. `rules` is the place of each rule. */
export function sarifResults(record: BulkRecord, rules: ReadonlyMap<string, number>, artifact: string) {
  if (isError(record)) return []
  return (record['signal_details'] as readonly SignalDetail[]).map(({ id, points, floor, title, detail, section }) => {
    const level = levelOf(points, floor)
    const ruleIndex = rules.get(id)
    return {
      ruleId: id,
      ...(ruleIndex === undefined ? {} : { ruleIndex }),
      kind: level === 'none' ? 'informational' : 'fail',
      level,
      message: { text: `${recordKey(record)}: ${detail ?? title}` },
      locations: [locationOf(record, artifact)],
      partialFingerprints: { 'targetAndSignal/v1': digest(`${recordKey(record)} ${id}`) },
      properties: { section, points, floor, risk_score: record['risk_score'], verdict: record['verdict'] },
    }
  })
}

/** What could not be checked, said where SARIF says what went wrong with a run. */
export const sarifNotification = (record: ErrorRecord, artifact: string) => ({
  level: 'error',
  descriptor: { id: record.error.code },
  message: { text: `${record.input}: ${record.error.detail}` },
  locations: [{ physicalLocation: locationOf(record, artifact).physicalLocation }],
})

/** Parts of the file in order: text to write around results and notifications, which are streamed. */
export interface SarifFrame {
  readonly head: string
  readonly between: string
  readonly tail: string
}

/** `version` is assay's. The run is told successful: what failed is in its notifications. */
export function sarifFrame(rules: readonly Rule[], version: string): SarifFrame {
  const driver = { name: 'assay', version, semanticVersion: version, rules: rules.map(sarifRule) }
  return {
    head: `{"$schema":"${SARIF_SCHEMA}","version":"2.1.0","runs":[{"tool":{"driver":${JSON.stringify(driver)}},"columnKind":"utf16CodeUnits","results":[`,
    between: '],"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[',
    tail: ']}]}]}\n',
  }
}

/** A file as a URI reference (RFC 3986): relative where that leads down from `base`, as code hosts want it. */
export function artifactUri(file: string, base: string): string {
  const whole = resolve(base, file)
  const path = relative(base, whole)
  if (path.split(sep)[0] === '..' || isAbsolute(path)) return pathToFileURL(whole).href
  return path.split(sep).map(encodeURIComponent).join('/')
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
