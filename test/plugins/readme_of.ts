// A plugin's README: headings and sections.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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
