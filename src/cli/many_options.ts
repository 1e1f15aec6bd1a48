// What a run over many names is told.
import type { OneOptions } from './check_one.ts'

/** At once by default: with answers after a second or so, that is as much as one core can read. */
export const CONCURRENCY = 32

/** Through Redis the checks wait for workers: enough of them to keep several busy. */
export const REMOTE_CONCURRENCY = 256

export interface ManyOptions extends OneOptions {
  readonly output?: string
  readonly csv?: string
  readonly sarif?: string
  readonly concurrency?: number
  readonly perDomain: number
  readonly pause: number
  /** Its URL; true for the one of the configuration's store. */
  readonly redis?: string | true
  readonly queue: string
  readonly quiet?: boolean
}
