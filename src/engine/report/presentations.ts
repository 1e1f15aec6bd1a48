// The presentations of the loaded plugins, complete: what a plugin does not declare follows from its schema.

import type { FieldSchema } from '../../base/labels.ts'
import { titled } from '../../base/labels.ts'
import type { Elsewhere } from '../contract.ts'
import { boundedDescription } from '../presentation/bounded.ts'
import { describeBySchema } from '../presentation/by_schema.ts'
import { DEFAULT_ORDER, type Described, type Description } from '../presentation/presentation.ts'
import type { Registry } from '../registry.ts'

export interface SectionPresentation {
  readonly title: string
  readonly looks: string
  readonly order: number
  readonly informs: boolean
  /** Never throws. */
  describe(section: unknown, context: Described): Description
}

export interface SignalWords {
  readonly advice: string | null
  readonly warning: string | null
  readonly also_fixes: readonly string[]
}

export type Presentations = ReturnType<typeof presentationsOf>

const SILENT: SignalWords = { advice: null, warning: null, also_fixes: [] }

/** Notified when a description is replaced because its plugin failed. */
export type OnDefect = (plugin: string, error: unknown) => void

export function presentationsOf(
  { analyzers, offered, composites, groups }: Pick<Registry, 'analyzers' | 'offered' | 'composites' | 'groups'>,
  onDefect: OnDefect = () => {},
) {
  const all = [...analyzers, ...offered]
  const sections = new Map(
    all.map(({ analyzer, elsewhere }) => [analyzer.name, presentationOf(analyzer, onDefect, elsewhere?.describe)]),
  )
  const definitions = [...all.flatMap(({ signals }) => Object.entries(signals)), ...Object.entries(composites)]
  const signals = new Map(
    definitions.map(([id, { advice = null, warning = null, also_fixes = [] }]): [string, SignalWords] => [
      id,
      { advice, warning, also_fixes },
    ]),
  )
  return {
    /** Also works for a section of a plugin that is not loaded, as in kept results. */
    section: (name: string): SectionPresentation =>
      sections.get(name) ?? presentationOf({ name, schema: {} }, onDefect),
    signal: (id: string) => signals.get(id) ?? SILENT,
    ceilings: groups,
    /**
     * Asks the plugins in other processes how they describe their sections of the result, so that `describe` knows. Without it,
     * these sections are described by their schema. Never rejects.
     */
    async prepare(result: Readonly<Record<string, unknown>>) {
      await Promise.all(
        [...sections].map(([name, one]) => one.prepare?.(result[name] ?? null, describedIn(result, name))),
      )
    },
  }
}

/** What `describe` receives besides the section. The result matches its schema. */
export function describedIn(result: Readonly<Record<string, unknown>>, name: string): Described {
  const { coverage, domain, checked_at } = result as unknown as {
    readonly coverage: { readonly sections: Readonly<Record<string, { readonly reason: string | null }>> }
    readonly domain: string | null
    readonly checked_at: string
  }
  return { isWhole: (coverage.sections[name]?.reason ?? null) === null, domain, checked_at }
}

type PresentedAnalyzer = Pick<Registry['analyzers'][number]['analyzer'], 'name' | 'schema' | 'presentation'>

interface PreparedPresentation extends SectionPresentation {
  prepare?(section: unknown, context: Described): Promise<void>
}

/** `elsewhere` is `describe` in another process. */
function presentationOf(
  { name, schema, presentation }: PresentedAnalyzer,
  onDefect: OnDefect,
  elsewhere?: Elsewhere['describe'],
): PreparedPresentation {
  /** By section. */
  const answers = new WeakMap<object, unknown>()
  const { title = titled(name), looks = 'the fields that this plugin reports', informs = false } = presentation ?? {}
  return {
    title,
    looks,
    order: presentation?.order ?? DEFAULT_ORDER,
    informs,
    ...(elsewhere && {
      async prepare(section, context) {
        if (typeof section !== 'object' || section === null) return
        try {
          answers.set(section, await elsewhere(section, context))
        } catch (error) {
          onDefect(name, error)
        }
      },
    }),
    describe(section, context) {
      const answer = elsewhere ? answers.get(Object(section)) : undefined
      if (answer !== undefined || typeof presentation?.describe === 'function') {
        try {
          return boundedDescription(answer ?? presentation?.describe?.(section, context))
        } catch (error) {
          onDefect(name, error)
        }
      }
      return boundedDescription(describeBySchema(section, schema as FieldSchema))
    },
  }
}
