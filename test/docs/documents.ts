// The Markdown that people read, as the tests of the documentation read it.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { anchorOf, MAP_FILE, readMap } from '../../src/service/api/docs/map.ts'

export const ROOT = resolve(import.meta.dirname, '../..')
export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

export const map = readMap(read(MAP_FILE))

/** Every page of the map that is Markdown. */
export const pages: readonly string[] = map.flatMap(({ pages }) => pages.map(({ file }) => file)).filter(isMarkdown)

export function isMarkdown(file: string): boolean {
  return file.endsWith('.md')
}

export const documents: readonly string[] = ['README.md', MAP_FILE, ...pages]

/** The text without its code, in which `#` begins a comment and `](` is no link. */
export const proseOf = (markdown: string): string => markdown.replace(/^```.*?^```$/gms, '')

/** The anchors of the headings; equal ones are numbered. */
export function anchorsOf(file: string): readonly string[] {
  const seen = new Map<string, number>()
  return [...proseOf(read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading)
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}
