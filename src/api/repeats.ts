// Lines that say the same again and again: the first is written, those of the minute after it are counted and told in one.
import type { Level, Log } from './log.ts'

const windowMs = 60_000
/** Kinds of lines told apart at once: what plugins and our own parts can complain of, and no more memory than that. */
const mostKinds = 256

interface Kind {
  readonly level: Level
  readonly event: object
  repeated: number
  readonly timer: NodeJS.Timeout
}

export interface FoldedLog extends Log {
  /** Tells what is counted and not told yet. */
  tell(): void
}

/** The same log for requests, whose lines are passed on as they are; other lines are folded. */
export function foldRepeats(log: Log, window_ms = windowMs, most_kinds = mostKinds): FoldedLog {
  const kinds = new Map<string, Kind>()

  function tellOne(key: string): void {
    const kind = kinds.get(key)
    kinds.delete(key)
    clearTimeout(kind?.timer)
    if (kind && kind.repeated > 0) log[kind.level]({ ...kind.event, repeated: kind.repeated })
  }

  function count(level: Level, key: string, event: object, repeated: number): void {
    kinds.set(key, { level, event, repeated, timer: setTimeout(tellOne, window_ms, key).unref() })
  }

  const fold = (level: Level) => (event: object) => {
    if ('request_id' in event) {
      log[level](event)
      return
    }
    const { target, ...common } = event as { target?: unknown }
    const key = keyOf(level, common, target)
    const known = kinds.get(key) ?? (kinds.size < most_kinds ? undefined : kinds.get(OTHERS))
    if (known) {
      known.repeated += 1
    } else if (kinds.size < most_kinds) {
      count(level, key, common, 0)
      log[level](event)
    } else {
      count('error', OTHERS, { others: true }, 1)
    }
  }

  return {
    info: fold('info'),
    warn: fold('warn'),
    error: fold('error'),
    tell() {
      for (const key of [...kinds.keys()]) tellOne(key)
    },
  }
}

const OTHERS = ''

/** What is said of one target is the same said of another. */
function keyOf(level: Level, common: object, target: unknown): string {
  const key = JSON.stringify([level, common])
  return typeof target === 'string' ? key.replaceAll(target, '…') : key
}
