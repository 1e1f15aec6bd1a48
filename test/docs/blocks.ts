// The fenced blocks of a document: commands, their output, files and snippets.

export interface Block {
  /** Line of its fence, from 1. */
  readonly line: number
  /** Of the fence; empty without one. */
  readonly language: string
  readonly code: string
  /** What the HTML comment above it says, or null. */
  readonly note: string | null
  /** The block that follows it with nothing between them, if it shows output. */
  readonly output: Block | null
}

const OUTPUT_LANGUAGES: ReadonlySet<string> = new Set(['text', 'json', 'ndjson'])

const fence = /(?:^ *<!-- (?<note>.*?) -->\n)?^(?<indent> *)```(?<language>\w*)\n(?<code>.*?)^\k<indent>```$/gms

export function blocksOf(markdown: string): readonly Block[] {
  const found = [...markdown.matchAll(fence)].map(match => {
    const { note = null, indent = '', language = '', code = '' } = match.groups ?? {}
    const start = match.index + match[0].indexOf('```')
    const line = markdown.slice(0, start).split('\n').length
    const block = { line, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), note, output: null }
    return { block, start: match.index, end: match.index + match[0].length }
  })
  return found.map(({ block, end }, i) => {
    const next = found[i + 1]
    const isNext = next !== undefined && markdown.slice(end, next.start).trim() === ''
    const shows = isNext && block.language === 'sh' && OUTPUT_LANGUAGES.has(next.block.language)
    return shows ? { ...block, output: next.block } : block
  })
}

/** Why a block is not run; null for one that is. */
export const reasonOf = ({ note }: Block): string | null => /^not run: (.+)$/.exec(note ?? '')?.[1] ?? null

/** The exit codes with which a block may end. */
export function exitsOf({ note }: Block): readonly number[] {
  const [, codes] = /^exits (\d+(?: or \d+)*)$/.exec(note ?? '') ?? []
  return codes === undefined ? [0] : codes.split(' or ').map(Number)
}

/** The file that a block is to be saved as: named above it, or in its first line. */
export const savedAs = ({ note, code }: Block): string | null =>
  /^file: (\S+)$/.exec(note ?? '')?.[1] ?? /^(?:\/\/|#) ([\w-]+\.\w+)\n/.exec(code)?.[1] ?? null
