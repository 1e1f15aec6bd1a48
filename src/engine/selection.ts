// Which members of a result are answered: all, some sections, or fields by their paths. The selection changes the answer and never the
// judgement: score, verdict and recommendation come from the whole check.
import type { TSchema } from 'typebox'
import { didYouMean } from '../base/fault.ts'
import { printable } from '../base/printable.ts'
import type { Registry } from './registry.ts'
import { resultSchema } from './result_schema.ts'
import type { SignalDetail } from './scoring/scored.ts'

type Result = Readonly<Record<string, unknown>>

/** As asked for: names between commas, or a list of names. */
export interface AskedSelection {
  readonly fields?: string | readonly string[]
  readonly sections?: string | readonly string[]
}

/** The selected members of the result, in the order of the result. */
export type Select = (result: Result) => Result

export type Selection = { readonly ok: true; readonly select: Select } | { readonly ok: false; readonly fault: string }

/** Knows the fields and sections of every result with the plugins of a registry. */
export type Selector = ReturnType<typeof createSelector>

/** Most names of one selection, and characters of a name in a message. */
const NAMES = 64
const NAME_LENGTH = 80
/** Names of fields in a message. */
const MAX_NAMES = 12

/** Members that are there only where a result is not what it seems to be, and that no selection leaves out. */
const MARKS = ['stale', 'test'] as const

/** What is selected below a value: null for all of it. */
type Tree = Map<string, Tree> | null

interface Shape extends Readonly<Record<string, unknown>> {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
  readonly $ref?: string
}

class UnknownField extends Error {}

export function createSelector(
  registry: Pick<Registry, 'analyzers' | 'extensions'>,
  schema: TSchema = resultSchema(registry as Registry),
) {
  const whole = schema as unknown as Shape
  const sectionOf = sectionsOf(registry)

  return {
    /** Null when nothing was asked for: the whole result is answered. */
    selection({ fields, sections }: AskedSelection): Selection | null {
      if (fields === undefined && sections === undefined) return null
      try {
        const selectedNames =
          sections === undefined ? undefined : sectionNames(listOf(sections, 'section'), [...sectionOf.keys()])
        const tree = fields === undefined ? undefined : treeOf(listOf(fields, 'field'), whole, sectionOf)
        const leftover = [...(tree?.keys() ?? [])].find(
          name => selectedNames && sectionOf.has(name) && !selectedNames.includes(name),
        )
        if (leftover !== undefined) throw new UnknownField(`The field ${leftover} is not in the selected sections.`)
        return {
          ok: true,
          select: result =>
            pickFields(
              selectedNames === undefined ? result : pickSections(result, selectedNames, sectionOf),
              tree,
              sectionOf,
            ),
        }
      } catch (error) {
        if (error instanceof UnknownField) return { ok: false, fault: error.message }
        throw error
      }
    },
  }
}

/** The name of each section by every name that it has. */
const sectionsOf = ({ analyzers }: Pick<Registry, 'analyzers'>): ReadonlyMap<string, string> =>
  new Map(
    analyzers.flatMap(({ analyzer: { name, aliases = [] } }) => [name, ...aliases].map(one => [one, name] as const)),
  )

function listOf(selection: string | readonly string[], what: string): readonly string[] {
  const names = typeof selection === 'string' ? selection.split(',', NAMES + 1) : selection
  if (names.length > NAMES) throw new UnknownField(`More than ${NAMES} ${what}s are selected.`)
  if (names.includes('')) throw new UnknownField(`The name of a ${what} is empty.`)
  return names
}

function sectionNames(names: readonly string[], knownNames: readonly string[]): readonly string[] {
  for (const name of names) {
    if (knownNames.includes(name)) continue
    throw new UnknownField(`There is no section ${printable(name, NAME_LENGTH)}${didYouMean(name, knownNames) || '.'}`)
  }
  return names
}

function treeOf(paths: readonly string[], whole: Shape, sectionOf: ReadonlyMap<string, string>): Map<string, Tree> {
  const root = new Map<string, Tree>()
  const all = paths.map(path => path.split('.'))
  const first = new Set(all.map(([step]) => step))
  for (const steps of all) {
    let shapes: readonly Shape[] = [whole]
    for (const [depth, step] of steps.entries()) shapes = inside(shapes, step, steps.slice(0, depth), whole)
    plant(root, steps)
    // The second name becomes a reference, which leads to the members selected under either name.
    const [step = '', ...rest] = steps
    const name = sectionOf.get(step)
    if (name !== undefined && name !== step && first.has(name)) plant(root, [name, ...rest])
  }
  return root
}

/** A shorter path selects what longer ones select, too. */
function plant(root: Map<string, Tree>, [step = '', ...rest]: readonly string[]): void {
  const branch = root.get(step)
  if (branch === null) return
  if (rest.length === 0) {
    root.set(step, null)
    return
  }
  const below = branch ?? new Map<string, Tree>()
  root.set(step, below)
  plant(below, rest)
}

/** The shapes of a member; throws when there can be none of this name. */
function inside(shapes: readonly Shape[], step: string, above: readonly string[], whole: Shape): readonly Shape[] {
  const objects = shapes.flatMap(shape => objectsIn(shape, whole))
  const memberShapes = objects.flatMap(({ properties = {}, patternProperties }) => {
    if (Object.hasOwn(properties, step)) return [properties[step] as Shape]
    return Object.entries(patternProperties ?? {}).flatMap(([pattern, shape]) =>
      new RegExp(pattern, 'u').test(step) ? [shape] : [],
    )
  })
  if (memberShapes.length > 0) return memberShapes
  const knownNames = objects.flatMap(({ properties = {} }) => Object.keys(properties))
  const name = printable(step, NAME_LENGTH)
  if (above.length === 0)
    throw new UnknownField(`There is no field ${name}${didYouMean(step, knownNames) || deeper(step, whole) || '.'}`)
  const fields =
    knownNames.length === 0
      ? '.'
      : `. Its fields are ${knownNames.slice(0, MAX_NAMES).join(', ')}${knownNames.length > MAX_NAMES ? ', …' : '.'}`
  throw new UnknownField(`${above.join('.')} has no field ${name}${didYouMean(step, knownNames) || fields}`)
}

/** A section that has a field of this name. */
function deeper(step: string, whole: Shape): string {
  const places = Object.entries(whole.properties ?? {}).filter(([, shape]) =>
    objectsIn(shape, whole).some(({ properties = {} }) => Object.hasOwn(properties, step)),
  )
  return places[0] === undefined ? '' : `; did you mean "${places[0][0]}.${step}"?`
}

/** The objects that a value may be, or that may be in its list. */
function objectsIn(shape: Shape, whole: Shape): readonly Shape[] {
  const { $ref, anyOf, items } = shape
  if ($ref !== undefined) return objectsIn(aliasOf(shape, whole) ?? {}, whole)
  if (anyOf !== undefined) return anyOf.flatMap(one => objectsIn(one, whole))
  if (items !== undefined) return objectsIn(items, whole)
  return shape.properties || shape.patternProperties ? [shape] : []
}

const aliasOf = ({ $ref = '' }: Shape, { properties = {} }: Shape): Shape | undefined =>
  properties[$ref.replace('#/properties/', '')]

/**
 * The result with only the chosen sections, their coverage and their signals, beside everything that is no section. Sections of plugins that
 * the registry does not know stay.
 */
export function selectSections(
  result: Result,
  selectedNames: readonly string[] | undefined,
  registry: Pick<Registry, 'analyzers'>,
): Result {
  return selectedNames === undefined ? result : pickSections(result, selectedNames, sectionsOf(registry))
}

function pickSections(
  result: Result,
  selectedNames: readonly string[],
  sectionOf: ReadonlyMap<string, string>,
): Result {
  const sections = selectedNames.map(name => sectionOf.get(name) ?? name)
  const isLeft = (name: string) => sectionOf.has(name) && !sections.includes(name)
  const entries = Object.entries(result).filter(([name]) => !sectionOf.has(name) || selectedNames.includes(name))
  const details = (result['signal_details'] as readonly SignalDetail[]).filter(({ section }) => !isLeft(section))
  const ids = new Set(details.map(({ id }) => id))
  const coverage = result['coverage'] as { readonly sections: Result }
  return {
    ...withReferences(Object.fromEntries(entries), sectionOf),
    signals: (result['signals'] as readonly string[]).filter(id => ids.has(id)),
    signal_details: details,
    coverage: {
      ...coverage,
      sections: Object.fromEntries(Object.entries(coverage.sections).filter(([name]) => !isLeft(name))),
    },
  }
}

function pickFields(
  result: Result,
  tree: Map<string, Tree> | undefined,
  sectionOf: ReadonlyMap<string, string>,
): Result {
  if (tree === undefined) return result
  const treeWithMarks = new Map([...tree, ...MARKS.map(name => [name, null] as const)])
  return withReferences(pick(result, treeWithMarks) as Result, sectionOf)
}

/** An object with two names is answered once: its second name refers to the first (RFC 6901, as a URI fragment). */
function withReferences(result: Result, sectionOf: ReadonlyMap<string, string>): Result {
  return Object.fromEntries(
    Object.entries(result).map(([field, value]) => {
      const name = sectionOf.get(field) ?? field
      return name !== field && value !== null && name in result ? [field, { $ref: `#/${name}` }] : [field, value]
    }),
  )
}

function pick(value: unknown, tree: Tree): unknown {
  if (tree === null || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(one => pick(one, tree))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, below]) => {
      const subtree = tree.get(name)
      return subtree === undefined ? [] : [[name, pick(below, subtree)]]
    }),
  )
}
