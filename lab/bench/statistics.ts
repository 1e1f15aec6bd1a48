// Measurements on a shared machine: alternating, and by the median.

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Alternates the measurements (A B A B), so that disturbances affect all of them; returns the figures of each by round. */
export async function inTurns<Name extends string, Figures>(
  measures: Readonly<Record<Name, () => Promise<Figures>>>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly Figures[]>>> {
  const names = Object.keys(measures) as Name[]
  const taken = Object.fromEntries(names.map(name => [name, [] as Figures[]])) as Record<Name, Figures[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of names) taken[name].push(await measures[name]())
  }
  return taken
}

/** The median of one figure over all rounds. */
export const medianOf = <Figures>(taken: readonly Figures[], figure: (one: Figures) => number): number =>
  median(taken.map(figure))

/** The median over all rounds of the ratio to `reference` in the same round. */
export const ratioOf = <Figures>(
  taken: readonly Figures[],
  reference: readonly Figures[],
  figure: (one: Figures) => number,
): number => median(taken.map((one, round) => figure(one) / figure(reference[round] ?? one)))
