// Reports what is broken: plugins and gatherers, in the log or on standard error, each kind of defect once; and limits that are not
// shared.

import { describeError } from '../base/errors.ts'
import type { Extension } from '../engine/plugin.ts'
import { describeError as describeForLog, type Log, withoutPlaces } from '../service/api/log.ts'
import type { Target } from '../targets/target.ts'

export function defectLines(print: (text: string) => void): Extension {
  const reported = new Set<string>()
  return {
    name: 'defect_lines',
    description: 'Reports defects on standard error.',
    apply(hooks) {
      hooks.settled.tap('defect_lines', ({ analysis: { target, defects } }) => {
        for (const { plugin, stage, error } of defects) {
          if (reported.has(`${plugin} ${stage}`)) continue
          reported.add(`${plugin} ${stage}`)
          print(`assay: ${plugin} failed at ${stage} of ${defectText(error, target)} (reported once)\n`)
        }
      })
    },
  }
}

/** The host and the error. An error of the check of a URL may quote its path and query, which are not written. */
export function defectText(error: unknown, { domain, ip, url }: Target): string {
  const text = describeError(error)
  return `${domain ?? ip}: ${url === null ? text : withoutPlaces(text)}`
}

/** Reports errors that no code awaits, each once. */
export function strayLines(print: (text: string) => void): (stray: string, error: unknown) => void {
  const reported = new Set<string>()
  return (_stray, error) => {
    const text = `assay: unexpected error outside any check: ${describeError(error)} (reported once)\n`
    if (!reported.has(text)) print(text)
    reported.add(text)
  }
}

/** Logs every defect of every check when the check has settled; clients learn nothing of it. */
export const defectLog = (log: Log): Extension => ({
  name: 'defect_log',
  description: 'Logs what failed during a check.',
  apply(hooks) {
    hooks.settled.tap('defect_log', ({ analysis: { target, defects } }) => {
      for (const { plugin, stage, error } of defects) {
        log.error({ plugin, stage, target: target.domain ?? target.ip, error: describeForLog(error) })
      }
    })
  },
})
