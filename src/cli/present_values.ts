// Where the metrics of the present come from.
import type { Admission } from '../api/admission.ts'
import type { LogOutput } from '../api/log_output.ts'
import type { GaugeName } from '../api/metrics.ts'
import type { CheckService } from '../service.ts'
import type { Backend } from '../store/backend.ts'

export interface Present {
  readonly admission: Admission
  readonly store: Pick<Backend, 'note' | 'cache' | 'figures'>
  readonly service: Pick<CheckService, 'lists' | 'resolvers'>
  readonly output: Pick<LogOutput, 'dropped'> | undefined
  readonly isDraining: () => boolean
}

export function presentValues(present: Present): Readonly<Record<GaugeName, () => number>> {
  const { admission, store, service, output, isDraining } = present
  const trusted = () => service.lists().filter(({ state }) => state === 'healthy').length
  return {
    assay_checks_running: () => admission.running,
    assay_checks_slow: () => admission.slow,
    assay_checks_waiting: () => admission.waiting,
    assay_cache_bytes: () => store.cache.size,
    assay_store_up: () => (store.note() === null ? 1 : 0),
    assay_store_unanswered_total: () => store.figures().unanswered,
    assay_store_owed_batches: () => store.figures().owed,
    assay_blocklists_trusted: trusted,
    assay_blocklists_doubted: () => service.lists().length - trusted(),
    assay_resolvers_inventing: () => service.resolvers().filter(state => state === 'inventing').length,
    assay_log_lines_dropped_total: () => output?.dropped ?? 0,
    assay_draining: () => (isDraining() ? 1 : 0),
  }
}
