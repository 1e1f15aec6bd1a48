// Loops over everything, of which `npm test` takes a part and `npm run test:all` all.
import { tier } from './tiers.ts'

/** All of them in the large tier; in the small one at most so many, the same in each run, spread evenly over the list. */
export function sampled<T>(all: readonly T[], most: number): readonly T[] {
  if (tier === 'all' || all.length <= most) return all
  return Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)] as T)
}
