// Reports what is broken on standard error: plugins and gatherers, each kind of defect once, and errors that no code awaits.

import { describeError } from '../base/errors.ts'
import type { Extension } from '../engine/plugin.ts'
import { withoutPlaces } from '../service/api/log.ts'
import type { Target } from '../targets/target.ts'

export function defectLines(print: (text: string) => void): Extension {
  const reportedKeys = new Set<string>()
  return {
    name: 'defect_lines',
    description: 'Reports defects on standard error.',
    apply(hooks) {
      hooks.settled.tap('defect_lines', ({ analysis: { target, defects } }) => {
        for (const { plugin, stage, error } of defects) {
          if (reportedKeys.has(`${plugin} ${stage}`)) continue
          reportedKeys.add(`${plugin} ${stage}`)
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
  const reportedKeys = new Set<string>()
  return (_stray, error) => {
    const text = `assay: unexpected error outside any check: ${describeError(error)} (reported once)\n`
    if (!reportedKeys.has(text)) print(text)
    reportedKeys.add(text)
  }
}
