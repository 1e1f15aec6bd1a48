// The datasets' ages for /readyz. No state of theirs makes the service unready: what is absent or old is unknown in
// results, and says so there.
import type { Condition } from '../api/health.ts'
import type { Datasets } from '../datasets/datasets.ts'

const HOUR_SECONDS = 3_600

export function datasetAges({ status }: Pick<Datasets, 'status'>): Condition {
  return {
    name: 'datasets',
    fault: () => null,
    facts: () =>
      Object.fromEntries(
        status().flatMap(({ id, state, age_seconds }) => {
          const age_hours = age_seconds === null ? null : Math.floor(age_seconds / HOUR_SECONDS)
          return state === 'off' ? [] : [[id, { state, age_hours }]]
        }),
      ),
  }
}
