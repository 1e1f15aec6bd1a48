// What a parser of hostile input may cost. CPU, not time: other processes run beside the tests.
import assert from 'node:assert/strict'

/** Milliseconds of CPU within which two mebibytes of anything are done with. */
const BUDGET = 250

/** The first runs compile, and the CPU that a run is charged grows when all cores are busy. */
const ATTEMPTS = 4

/** Fails unless the call takes no more than so many milliseconds of CPU, if not the first time then one of the next. */
export function assertCheap(call: () => unknown, budget = BUDGET, attempts = ATTEMPTS): void {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && least > budget; attempt++) least = Math.min(least, cpuOf(call))
  assert.ok(least <= budget, `took ${least} of ${budget} ms of CPU`)
}

function cpuOf(call: () => unknown): number {
  const before = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
