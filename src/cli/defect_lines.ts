// Tells of plugins that broke during many checks: each kind of defect once, so that a flood stays one line.
import type { Extension } from '../engine/plugin.ts'
import { thrownText } from '../thrown.ts'

export function defectLines(tell: (text: string) => void): Extension {
  const told = new Set<string>()
  return {
    name: 'defect_lines',
    description: 'Tells of defects on standard error.',
    apply(hooks) {
      hooks.settled.tap('defect_lines', ({ analysis: { target, defects } }) => {
        for (const { plugin, stage, error } of defects) {
          if (told.has(`${plugin} ${stage}`)) continue
          told.add(`${plugin} ${stage}`)
          tell(
            `assay: ${plugin} broke at ${stage} of ${target.domain ?? target.ip}: ${thrownText(error)} (told once)\n`,
          )
        }
      })
    },
  }
}

/** The same of errors that nobody awaits: each once. */
export function strayLines(tell: (text: string) => void): (stray: string, error: unknown) => void {
  const told = new Set<string>()
  return (_stray, error) => {
    const text = `assay: an error that no check was waiting for: ${thrownText(error)} (told once)\n`
    if (!told.has(text)) tell(text)
    told.add(text)
  }
}
