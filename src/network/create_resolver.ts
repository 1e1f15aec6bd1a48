// Asks DNS: own deadlines, several servers, answers checked.
import { onAbort } from './abort.ts'
import { type Asker, ask, type InventedBy } from './ask.ts'
import { canonicalName } from './dns_name.ts'
import type { Limits } from './limits.ts'
import type { Answer, QueryOptions, RecordData, RecordType, Resolver } from './resolve.ts'
import type { ResolverAddress } from './resolver_address.ts'

export interface ResolverOptions {
  readonly servers: readonly ResolverAddress[]
  readonly limits: Limits
  /** The check's end: all that is under way is cancelled. */
  readonly signal: AbortSignal
  /** Addresses that a server is known to make up for names that do not exist; none when absent. */
  readonly inventedBy?: InventedBy
  /** Called when a server left a try unanswered. */
  readonly unanswered?: () => void
  /** Called when a server denied something without the SOA record that belongs to a denial. */
  readonly unsupported?: () => void
}

export function createResolver({
  servers,
  limits,
  signal,
  inventedBy = nothing,
  unanswered = () => {},
  unsupported = () => {},
}: ResolverOptions): Resolver {
  const left = limits.dns_queries
  const asker: Asker = { limits, signal, inventedBy, unanswered, unsupported, servers, plain: new Set(), left }
  const asked = new Map<string, Promise<Answer<unknown>>>()
  return {
    query<T extends RecordType>(name: string, type: T, options: QueryOptions) {
      const checkingDisabled = options.checkingDisabled ?? false
      const question = { name: canonicalName(name), type, checkingDisabled }
      const key = `${type} ${checkingDisabled} ${question.name}`
      const answer = (asked.get(key) as Promise<Answer<RecordData[T]>> | undefined) ?? ask(asker, question)
      asked.set(key, answer)
      return unlessAborted(answer, options.signal)
    },
  }
}

const nothing: InventedBy = async () => new Set()

/** One asker may leave while another still waits for the same answer. */
function unlessAborted<T>(answer: Promise<Answer<T>>, signal: AbortSignal): Promise<Answer<T>> {
  const cancelled = { status: 'unknown', reason: 'cancelled' } as const
  if (signal.aborted) return Promise.resolve(cancelled)
  return new Promise(resolve => {
    const stop = onAbort(signal, () => resolve(cancelled))
    answer.then(value => {
      stop()
      resolve(value)
    })
  })
}
