// The presentations of the loaded plugins, complete: what a plugin does not declare follows from its schema.
import type { Registry } from '../engine/registry.ts'
import { boundedDescription } from '../presentation/bounded.ts'
import { describeBySchema } from '../presentation/by_schema.ts'
import type { FieldSchema } from '../presentation/labels.ts'
import { DEFAULT_ORDER, type Described, type Description } from '../presentation/presentation.ts'
import { titled } from '../presentation/words.ts'

export interface SectionPresentation {
  readonly title: string
  readonly looks: string
  readonly order: number
  readonly informs: boolean
  /** Never throws. */
  describe(section: unknown, described: Described): Description
}

export interface SignalWords {
  readonly advice: string | null
  readonly warning: string | null
}

export interface Presentations {
  /** Also of a section whose plugin is not loaded, as in kept results. */
  section(name: string): SectionPresentation
  signal(id: string): SignalWords
  readonly ceilings: Readonly<Record<string, number>>
}

/** Told when a description is replaced because its plugin failed. */
export type OnDefect = (plugin: string, error: unknown) => void

export function presentationsOf(
  { analyzers, offered, composites, groups }: Pick<Registry, 'analyzers' | 'offered' | 'composites' | 'groups'>,
  onDefect: OnDefect = () => {},
): Presentations {
  const all = [...analyzers, ...offered]
  const sections = new Map(all.map(({ analyzer }) => [analyzer.name, presented(analyzer, onDefect)]))
  const definitions = [...all.flatMap(({ signals }) => Object.entries(signals)), ...Object.entries(composites)]
  const signals = new Map(
    definitions.map(([id, { advice = null, warning = null }]): [string, SignalWords] => [id, { advice, warning }]),
  )
  return {
    section: name => sections.get(name) ?? presented({ name, schema: {} }, onDefect),
    signal: id => signals.get(id) ?? { advice: null, warning: null },
    ceilings: groups,
  }
}

type Presented = Pick<Registry['analyzers'][number]['analyzer'], 'name' | 'schema' | 'presentation'>

function presented({ name, schema, presentation }: Presented, onDefect: OnDefect): SectionPresentation {
  const { title = titled(name), looks = 'the fields that this plugin reports', informs = false } = presentation ?? {}
  return {
    title,
    looks,
    order: presentation?.order ?? DEFAULT_ORDER,
    informs,
    describe(section, described) {
      if (typeof presentation?.describe === 'function') {
        try {
          return boundedDescription(presentation.describe(section, described))
        } catch (error) {
          onDefect(name, error)
        }
      }
      return boundedDescription(describeBySchema(section, schema as FieldSchema))
    },
  }
}
