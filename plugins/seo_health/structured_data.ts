// JSON-LD blocks: whether they parse, whether they say anything by the vocabulary of schema.org, and which types they declare.

/** Maximum number of blocks that are read. */
const MAX_BLOCKS = 50
/** Maximum characters of all blocks in the document. A block that reaches the limit was cut and is ignored. */
const BLOCKS_LENGTH = 64 * 1024
const MAX_TYPES = 20
const TYPE_LENGTH = 64

export interface StructuredData {
  readonly blocks: number
  readonly invalid: number
  /** JSON from which search engines learn nothing: without the context of schema.org, or without a type. */
  readonly meaningless: number
  /** As written, each once. */
  readonly types: readonly string[]
}

export function readStructuredData(blocks: readonly string[]): StructuredData {
  let room = BLOCKS_LENGTH
  let invalid = 0
  let meaningless = 0
  const types = new Set<string>()
  for (const block of blocks.slice(0, MAX_BLOCKS)) {
    room -= block.length
    if (room <= 0) break
    const data = parse(block)
    if (data === undefined) {
      invalid++
      continue
    }
    if (!hasMeaning(data)) meaningless++
    for (const type of typesOf(data)) types.add(type)
  }
  return { blocks: blocks.length, invalid, meaningless, types: [...types].slice(0, MAX_TYPES) }
}

/** Undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Thing = Readonly<Record<string, unknown>>

const thingsOf = (value: unknown): readonly Thing[] =>
  (Array.isArray(value) ? value : [value]).filter(one => one !== null && typeof one === 'object' && !Array.isArray(one))

/** Every member of a list has a context of its own; a graph has that of the object that holds it (JSON-LD 1.1 section 3.1). */
function hasMeaning(data: unknown): boolean {
  const things = thingsOf(data)
  return things.some(thing => isOfSchema(thing['@context']) && [thing, ...thingsOf(thing['@graph'])].some(hasType))
}

const hasType = (thing: Thing): boolean => typesOf([thing]).length > 0

/** The name of the context in any of its forms, or its vocabulary. */
function isOfSchema(context: unknown): boolean {
  const parts = Array.isArray(context) ? context : [context]
  return parts.some(part => SCHEMA.test(String(typeof part === 'object' ? part?.['@vocab'] : part)))
}

const SCHEMA = /^(?:https?:)?\/\/(?:www\.)?schema\.org(?:\/(?:docs\/jsonldcontext\.json(?:ld)?)?)?$/i

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
