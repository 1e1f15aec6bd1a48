// The datasets' ages for /readyz and the metrics. No state of theirs makes the service unready: what is absent or old is unknown in
// results, and says so there.
import type { Condition } from '../api/health.ts'
import type { Series, SeriesName } from '../api/metrics.ts'
import type { Datasets } from '../datasets/datasets.ts'
import type { DatasetStatus } from '../datasets/status.ts'

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

export function datasetFigures({ status }: Pick<Datasets, 'status'>): Readonly<Record<SeriesName, () => Series>> {
  const each = (figure: (one: DatasetStatus) => number | null) => (): Series =>
    Object.fromEntries(
      status().flatMap(one => {
        const value = one.state === 'off' ? null : figure(one)
        return value === null ? [] : [[one.id, value]]
      }),
    )
  return {
    assay_dataset_age_seconds: each(({ age_seconds }) => age_seconds),
    assay_dataset_entries: each(({ entries }) => entries ?? 0),
    assay_dataset_failures: each(({ failures }) => failures),
  }
}
