// Structured data in JSON-LD blocks: does it parse, and which types does it speak of?

/** Blocks that are read. */
const MAX_BLOCKS = 50
/** Characters of all blocks that a document keeps: the one that reaches the end is cut, and says nothing. */
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

/** Undefined when it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Of the thing itself, or of the members of a list or a graph; what they contain in turn says less. */
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
