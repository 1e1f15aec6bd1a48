// Progress of an analysis as server-sent events. Every client that waits for an analysis subscribes to it, and one that
// joins late gets the earlier events too.
import type { Analysis, Outcome } from '../../engine/analysis.ts'
import type { Extension } from '../../engine/plugin.ts'

export type ProgressListener = (event: string) => void

/** A client's membership in an analysis. */
export interface Subscription {
  /** Sends an event to all listeners, and to those that subscribe later. */
  emit(event: string): void
  unsubscribe(): void
}

export type Channels = ReturnType<typeof createChannels>

interface ProgressChannel {
  readonly events: string[]
  readonly listeners: Set<ProgressListener>
  members: number
}

/** A channel lasts as long as a client waits, like the analysis itself. */
export function createChannels() {
  const channels = new Map<string, ProgressChannel>()
  return {
    /** `name` is the key of the result; `listener` is null for a client that only waits for the end. */
    subscribe(name: string, listener: ProgressListener | null): Subscription {
      const channel = channels.get(name) ?? { events: [], listeners: new Set<ProgressListener>(), members: 0 }
      channels.set(name, channel)
      channel.members += 1
      if (listener !== null) {
        channel.events.forEach(listener)
        channel.listeners.add(listener)
      }
      return {
        emit(event) {
          channel.events.push(event)
          for (const one of channel.listeners) one(event)
        },
        unsubscribe() {
          if (listener !== null) channel.listeners.delete(listener)
          channel.members -= 1
          if (channel.members === 0) channels.delete(name)
        },
      }
    },
  }
}

export type SectionWatch = ReturnType<typeof createSectionWatch>

/** Observes outcomes as analyzers deposit them; the check itself is not affected. */
export function createSectionWatch() {
  const listeners = new WeakMap<Analysis, (section: string, outcome: Outcome) => void>()

  function noteDeposit(analysis: Analysis, section: string): void {
    const outcome = analysis.outcomes.get(section)
    if (outcome !== undefined) listeners.get(analysis)?.(section, outcome)
  }

  /** Must be applied to the engine that is watched. */
  const extension: Extension = {
    name: 'section_watch',
    description: 'Reports sections as they finish.',
    apply({ analyze }) {
      analyze.intercept({
        register: tap => {
          const analyzer = tap.fn as (analysis: Analysis) => Promise<void>
          const fn = (analysis: Analysis) => analyzer(analysis).then(() => noteDeposit(analysis, tap.name))
          return tap.type === 'promise' ? { ...tap, fn } : tap
        },
      })
    },
  }
  return {
    extension,
    /** Emits the names of all sections now, and each section as soon as it is finished. */
    watch(analysis: Analysis, emit: ProgressListener) {
      emit(sectionsEvent([...analysis.outcomes.keys()]))
      listeners.set(analysis, (section, outcome) => emit(sectionEvent(section, outcome)))
    },
  }
}

/** One event (WHATWG HTML, section 9.2). `data` has no line feed, like the output of `JSON.stringify`. */
const event = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`

export const sectionsEvent = (sections: readonly string[]): string => event('sections', JSON.stringify({ sections }))

export const sectionEvent = (section: string, { status, reason, duration_ms }: Outcome): string =>
  event('section', JSON.stringify({ section, status, reason, duration_ms }))

/** Precedes the result, so that the result stays the last event. */
export const reportEvent = (body: string): string => event('report', body)

/** `body` is byte for byte the response of the plain operation. */
export const resultEvent = (body: string): string => event('result', body)

export const problemEvent = (body: string): string => event('problem', body)

const description = `The same operation, requested with \`Accept: text/event-stream\`, reports its progress as server-sent events \
and ends with the same result. API key, quota, cache and problems work as in the plain operation, which needs none of this.

\`sections\` lists the sections that will be analysed. \`section\` follows for each of them when it finishes, with its coverage. \
The last event is \`result\`, whose data is the response of the plain operation, or \`problem\`. With \`format=report\`, \`report\` \
precedes it, whose data is the report. A cached result is the only \
event, and so is a result that another instance of the service produced. A request that is refused before the first event gets \
an ordinary response with its status.

The headers are sent before the outcome is known, so X-RateLimit-Remaining already counts this request; if the stream ends in a \
problem, the request is not counted after all. A client that disconnects ends the check unless another client waits for it. \
X-Cache also reflects what was known at the start: a stale result, which is marked as such, may follow MISS.`

/**
 * An extension of the operation in the OpenAPI document (specification extensions): OpenAPI 3.1 cannot describe server-sent
 * events, and as a second media type of the 200 they make generated clients type every response as `CheckResult | string`.
 */
export const eventStream = {
  media_type: 'text/event-stream',
  description,
  example: [
    sectionsEvent(['dns_security', 'ssl_info']),
    event('section', '{"section":"dns_security","status":"completed","reason":null,"duration_ms":41}'),
    event('section', '{"section":"ssl_info","status":"completed","reason":null,"duration_ms":97}'),
    resultEvent('{"domain":"example.com","risk_score":3,"…":"…","cached":false}'),
  ].join(''),
}
