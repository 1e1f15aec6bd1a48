// Runs an analyzer of someone else so that its usual mistakes explain themselves: evidence it did not ask for, and evidence
// it changes.
import { didYouMean } from '../base/fault.ts'
import type { Analyzer } from './plugin.ts'

const AsyncFunction = (async () => {}).constructor
/** Whether a function is declared `async`: the contract rejects such an analyzer before it runs. */
export const isAsync = (value: unknown): boolean => value instanceof AsyncFunction

/** A finding that violates the contract; `reason` is the slug sent to the client. */
export class BrokenPlugin extends Error {
  readonly reason: string
  constructor(reason: string, detail: string) {
    super(detail)
    this.reason = reason
  }
}

export const A_PROMISE = 'a promise: return the finding at once, and do I/O in the gatherer of an extension'

type Call = Parameters<Analyzer['analyze']>

/** Rethrows the analyzer's error, with an explanation if one is known. */
export function analyzeExplained(analyzer: Analyzer, evidence: object, context: Call[1]): unknown {
  try {
    return analyzer.analyze(declaredOnly(evidence) as Call[0], context)
  } catch (error) {
    throw isOfFrozen(error)
      ? new TypeError(`analyze changes its evidence, which is frozen: copy it (${error.message})`)
      : error
  }
}

/** The evidence, in which reading a kind that is not declared throws: it would be undefined, whatever was gathered. */
const declaredOnly = (evidence: object): object =>
  new Proxy(evidence, {
    get(kinds, name, receiver) {
      if (typeof name === 'string' && name !== 'then' && name !== 'toJSON' && !(name in kinds))
        throw new Error(
          `analyze reads evidence "${name}", which is neither in "needs" nor in "wants"${didYouMean(name, Object.keys(kinds))}`,
        )
      return Reflect.get(kinds, name, receiver)
    },
  })

/** As V8 says it. */
const isOfFrozen = (error: unknown): error is TypeError =>
  error instanceof TypeError && /read only property|not extensible|Cannot delete property/.test(error.message)
