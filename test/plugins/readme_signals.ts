// The signals as a plugin's README tells them: `id | group | weight | meaning`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SignalDefinition } from '../../src/engine/plugin.ts'

type Told = Record<string, SignalDefinition>

/** The table of the section "Signals", in its order. */
export function readmeSignals(plugin: string): Told {
  const text = readFileSync(join(import.meta.dirname, '../../plugins', plugin, 'README.md'), 'utf8')
  const section = text.split(/^## /m).find(part => part.startsWith('Signals\n')) ?? ''
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (\w+) +\| (-?\d+) +\| (.*?) +\|$/gm)]
  return Object.fromEntries(
    rows.map(([, id = '', group = '', weight, title = '']) => [id, { weight: Number(weight), group, title }]),
  )
}

/** Its headings of the second level, in their order. */
export function readmeHeadings(plugin: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../plugins', plugin, 'README.md'), 'utf8')
  return [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
}
