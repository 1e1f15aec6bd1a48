// The logs of Certificate Transparency, in the form of the list that Chrome reads (version 3 of its schema). Pure.
import { printable } from '../../base/printable.ts'
import { asList, asRecord, asText, parseJson } from '../../base/untrusted_json.ts'

export interface CtLog {
  readonly name: string
  readonly operator: string
  /** What Chrome does with its timestamps: `usable`, `retired`, ...; null if the list does not say. */
  readonly state: string | null
}

/** By the Base64 of the SHA-256 of the log's key. */
export type CtLogs = ReadonlyMap<string, CtLog>

/** Ten times the current size of the list. */
const OPERATORS = 200
const LOGS = 1_000
const NAME_LENGTH = 128

/** SHA-256 in Base64. */
const LOG_ID = /^[A-Za-z0-9+/]{43}=$/
const STATE = /^[a-z]{1,20}$/

/** Null for text that is not such a list. */
export function parseCtLogs(text: string): CtLogs | null {
  const operators = asList(asRecord(parseJson(text))?.['operators'], OPERATORS)
  const logs = new Map(operators.flatMap(logsOf))
  return logs.size > 0 ? logs : null
}

type Entry = readonly [id: string, log: CtLog]

function logsOf(value: unknown): readonly Entry[] {
  const operator = asRecord(value)
  const name = asText(operator?.['name'])
  if (operator === null || name === null) return []
  const logs = [...asList(operator['logs'], LOGS), ...asList(operator['tiled_logs'], LOGS)]
  return logs.flatMap(log => logOf(log, name))
}

function logOf(value: unknown, operator: string): readonly Entry[] {
  const log = asRecord(value)
  const [id, name] = [asText(log?.['log_id']), asText(log?.['description'])]
  if (id === null || name === null || !LOG_ID.test(id)) return []
  // An object with one member, which is named after the state.
  const state = Object.keys(asRecord(log?.['state']) ?? {})[0]
  return [
    [
      id,
      {
        name: printable(name, NAME_LENGTH),
        operator: printable(operator, NAME_LENGTH),
        state: state !== undefined && STATE.test(state) ? state : null,
      },
    ],
  ]
}
