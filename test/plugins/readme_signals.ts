// A plugin's README as it tells of the plugin: headings, sections, and signals as `id | group | severity | weight | meaning`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Severity, SignalDefinition } from '../../src/engine/plugin.ts'

type Told = Record<string, SignalDefinition>

export const readmeText = (plugin: string): string =>
  readFileSync(join(import.meta.dirname, '../../plugins', plugin, 'README.md'), 'utf8')

/** Its headings of the second level, in their order. */
export const readmeHeadings = (plugin: string): string[] =>
  [...readmeText(plugin).matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)

/** What stands under a heading; empty when there is no such heading. */
export function readmeSection(plugin: string, heading: string): string {
  const section = readmeText(plugin)
    .split(/^## /m)
    .find(part => part.startsWith(`${heading}\n`))
  return section?.slice(heading.length) ?? ''
}

/** The table of the section "Signals", in its order. */
export function readmeSignals(plugin: string): Told {
  const rows = [
    ...readmeSection(plugin, 'Signals').matchAll(/^\| `(\w+)` +\| (\w+) +\| (\w+) +\| (-?\d+) +\| (.*?) +\|$/gm),
  ]
  return Object.fromEntries(
    rows.map(([, id = '', group = '', severity, weight, title = '']) => [
      id,
      { weight: Number(weight), group, severity: severity as Severity, title },
    ]),
  )
}
