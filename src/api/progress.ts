// What is told of each analysis under way, so that whoever joins it late hears all of it too.
import type { Analysis, Outcome } from '../engine/analysis.ts'
import type { Extension } from '../engine/plugin.ts'
import { sectionEvent, sectionsEvent } from './progress_events.ts'

export type Hear = (event: string) => void

/** One who waits for an analysis. */
export interface Listening {
  /** Tells all who listen, and those who join later. */
  tell(event: string): void
  leave(): void
}

export interface Channels {
  /** `name` is that of the result; `hear` is null where only the end matters. */
  join(name: string, hear: Hear | null): Listening
}

interface Channel {
  readonly told: string[]
  readonly listeners: Set<Hear>
  members: number
}

/** A channel lasts as long as somebody waits, as the analysis itself does. */
export function createChannels(): Channels {
  const channels = new Map<string, Channel>()

  function join(name: string, hear: Hear | null): Listening {
    const channel = channels.get(name) ?? { told: [], listeners: new Set<Hear>(), members: 0 }
    channels.set(name, channel)
    channel.members += 1
    if (hear !== null) {
      channel.told.forEach(hear)
      channel.listeners.add(hear)
    }
    return {
      tell(event) {
        channel.told.push(event)
        for (const listener of channel.listeners) listener(event)
      },
      leave() {
        if (hear !== null) channel.listeners.delete(hear)
        channel.members -= 1
        if (channel.members === 0) channels.delete(name)
      },
    }
  }

  return { join }
}

type Tell = (section: string, outcome: Outcome) => void

export interface SectionWatch {
  /** To be applied to the engine that is watched. */
  readonly extension: Extension
  /** Tells the names of all sections now, and of each as soon as its outcome is in. */
  watch(analysis: Analysis, tell: Hear): void
}

/** Looks at outcomes when their analyzers have deposited them; the check itself goes on as it would. */
export function createSectionWatch(): SectionWatch {
  const watched = new WeakMap<Analysis, Tell>()

  function deposited(analysis: Analysis, section: string): void {
    const outcome = analysis.outcomes.get(section)
    if (outcome !== undefined) watched.get(analysis)?.(section, outcome)
  }

  const extension: Extension = {
    name: 'section_watch',
    description: 'Tells of sections as they are finished.',
    apply({ analyze }) {
      analyze.intercept({
        register: tap => {
          const analyzer = tap.fn as (analysis: Analysis) => Promise<void>
          const fn = (analysis: Analysis) => analyzer(analysis).then(() => deposited(analysis, tap.name))
          return tap.type === 'promise' ? { ...tap, fn } : tap
        },
      })
    },
  }
  return {
    extension,
    watch(analysis, tell) {
      tell(sectionsEvent([...analysis.outcomes.keys()]))
      watched.set(analysis, (section, outcome) => tell(sectionEvent(section, outcome)))
    },
  }
}
