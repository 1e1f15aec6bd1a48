// Folds that share no source: what is measured on was neither trained on, nor made by the same people.
import type { PageRecord } from '../evaluation/records.ts'

/** Sources of one author, or of one descent, by a part of their names. */
const KIN: readonly (readonly string[])[] = [
  ['wang-zifu/'],
  ['zphisher', 'ShellPhish', 'HiddenEye', 'AdvPhishing', 'it0sh1', 'Blackeye', 'CylindricAnt606', 'SocialFish'],
]

const kinOf = (source: string): string => KIN.find(names => names.some(name => source.includes(name)))?.[0] ?? source

/** By source: the number of its fold. The largest sources go first, each to the fold with the fewest pages of its label. */
export function foldsOf(records: readonly PageRecord[], folds: number): ReadonlyMap<string, number> {
  const placed = new Map<string, number>()
  for (const label of ['phishing', 'benign']) {
    const counts = new Map<string, number>()
    for (const { source } of records.filter(one => one.label === label))
      counts.set(kinOf(source.repo), (counts.get(kinOf(source.repo)) ?? 0) + 1)
    const sizes = new Array<number>(folds).fill(0)
    for (const [kin, count] of [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))) {
      const fold = sizes.indexOf(Math.min(...sizes))
      sizes[fold] = (sizes[fold] ?? 0) + count
      placed.set(kin, fold)
    }
  }
  return new Map(records.map(({ source }) => [source.repo, placed.get(kinOf(source.repo)) ?? 0]))
}
