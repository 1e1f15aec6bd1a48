// Reports plugins and gatherers that broke, on standard error: each kind of defect once.

import type { Extension } from '../engine/plugin.ts'
import { describeError } from '../errors.ts'

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
          print(
            `assay: ${plugin} failed at ${stage} of ${target.domain ?? target.ip}: ${describeError(error)} (reported once)\n`,
          )
        }
      })
    },
  }
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
