// What a run over many names is told.
import type { OneOptions } from './check_one.ts'

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
