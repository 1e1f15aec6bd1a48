// What reading hostile input may cost, in what the machine needs for a plain walk over text: CPU, since other processes
// run beside the tests, and by comparison, since machines differ.
import assert from 'node:assert/strict'

/** The walk looks at each of two mebibytes of characters, and counts it: so many times this text, of which once is measured. */
const TEXT = 'a<b "c" '.repeat(2 ** 16)
const TIMES = 4
const seen = new Uint32Array(256)

/** Walks within which two mebibytes of anything are done with on a quiet machine. */
export const BUDGET = 40

/** What a busy machine may add: neighbours share its caches. Work that grows with the square costs a thousand times more. */
export const SLACK = 4

/** The first runs compile, and the CPU that a run is charged grows when all cores are busy. */
const ATTEMPTS = 4

function walk(): void {
  for (let at = 0; at < TEXT.length; at++) {
    const octet = TEXT.charCodeAt(at) & 255
    seen[octet] = (seen[octet] ?? 0) + 1
  }
}
for (let run = 0; run < 10; run++) walk()

/** Begins to measure what this process does; yields the walks that its CPU was worth by the time of the call. */
export function measureCost(): () => number {
  const before = cpuOf(walk)
  const began = process.cpuUsage()
  return () => {
    const cost = since(began)
    return cost / ((TIMES * (before + cpuOf(walk))) / 2)
  }
}

/** Fails unless the call costs no more than so many walks, if not the first time then one of the next. */
export function assertCheap(call: () => unknown, budget = BUDGET, attempts = ATTEMPTS): void {
  let least = Number.POSITIVE_INFINITY
  const most = budget * SLACK
  for (let attempt = 0; attempt < attempts && least > most; attempt++) {
    const cost = measureCost()
    call()
    least = Math.min(least, cost())
  }
  assert.ok(least <= most, `cost ${least} of ${most} walks over two mebibytes`)
}

function cpuOf(call: () => unknown): number {
  const began = process.cpuUsage()
  call()
  return since(began)
}

/** Milliseconds. */
function since(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000
}
