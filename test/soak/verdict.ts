// What a long run says: slopes by least squares over the samples behind the warm-up, and whether they are borne.
import type { Held } from '../faults/service_process.ts'
import { CACHE_BYTES } from '../faults/setting.ts'

export interface Sample extends Held {
  /** On the monotonic clock. */
  readonly ms: number
}

const MIB = 1024 * 1024
const HOUR_MS = 3_600_000
/** Of the samples: caches and the runtime's own memory fill meanwhile. */
const WARM_UP = 0.3
/** MiB of heap that ten thousand checks may leave behind, what is kept of results aside. */
const HEAP_PER_10_000 = 8

const settled = (samples: readonly Sample[]) => samples.slice(Math.floor(samples.length * WARM_UP))

/** Octets a millisecond. */
export function slope(samples: readonly Sample[], field: 'rss' | 'heap'): number {
  const points = settled(samples)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const [middle, level] = [mean(points.map(({ ms }) => ms)), mean(points.map(one => one[field]))]
  const spread = points.reduce((sum, { ms }) => sum + (ms - middle) ** 2, 0)
  const together = points.reduce((sum, one) => sum + (one.ms - middle) * (one[field] - level), 0)
  return spread === 0 ? 0 : together / spread
}

export const perHour = (samples: readonly Sample[], field: 'rss' | 'heap'): number =>
  Math.round((slope(samples, field) * HOUR_MS * 10) / MIB) / 10

export interface Counted {
  readonly broken: number
  readonly wrong: number
  readonly checks: number
}

/** Why the run is not sound; empty when it is. */
export function verdict(samples: readonly Sample[], { broken, wrong, checks }: Counted): string[] {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last) return ['nothing was measured']
  const grown = slope(samples, 'heap') * (last.ms - first.ms)
  const borne = CACHE_BYTES + (checks / 10_000) * HEAP_PER_10_000 * MIB
  return [
    ...(broken > 0 ? [`${broken} invariants broken`] : []),
    ...(wrong > 0 ? [`${wrong} healthy checks wrong`] : []),
    ...(grown > borne ? [`the heap grew by ${Math.round(grown / MIB)} MiB`] : []),
    ...(last.descriptors > first.descriptors + 2 ? ['descriptors were left open'] : []),
  ]
}
