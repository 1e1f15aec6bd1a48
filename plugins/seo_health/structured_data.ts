// JSON-LD blocks: whether they parse, and which types they declare.

/** Maximum number of blocks that are read. */
const MAX_BLOCKS = 50
/** Maximum characters of all blocks in the document. A block that reaches the limit was cut and is ignored. */
const KEPT = 64 * 1024
const MAX_TYPES = 20
const TYPE_LENGTH = 64

export interface StructuredData {
  readonly blocks: number
  readonly invalid: number
  /** As written, each once. */
  readonly types: readonly string[]
}

export function readStructuredData(blocks: readonly string[]): StructuredData {
  let left = KEPT
  let invalid = 0
  const types = new Set<string>()
  for (const block of blocks.slice(0, MAX_BLOCKS)) {
    left -= block.length
    if (left <= 0) break
    const data = parse(block)
    if (data === undefined) invalid++
    else for (const type of typesOf(data)) types.add(type)
  }
  return { blocks: blocks.length, invalid, types: [...types].slice(0, MAX_TYPES) }
}

/** Undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Types of the object itself, or of the members of a list or graph; nested objects are ignored. */
function typesOf(data: unknown): string[] {
  const things = Array.isArray(data) ? data : [data, ...graphOf(data)]
  return things.flatMap(thing => {
    const type = thing !== null && typeof thing === 'object' ? (thing as { '@type'?: unknown })['@type'] : undefined
    const names = Array.isArray(type) ? type : [type]
    return names.filter((name): name is string => typeof name === 'string' && SOUND.test(name))
  })
}

const SOUND = new RegExp(`^[\\w:/.#-]{1,${TYPE_LENGTH}}$`)

function graphOf(data: unknown): readonly unknown[] {
  const graph = data !== null && typeof data === 'object' ? (data as { '@graph'?: unknown })['@graph'] : undefined
  return Array.isArray(graph) ? graph : []
}
