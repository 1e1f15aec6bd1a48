// The CPU time of another process, including threads and kernel time.
import { readFileSync } from 'node:fs'

/** Linux reports hundredths of a second, independent of the kernel's tick (proc(5), USER_HZ). */
const TICK_US = 10_000

/** Microseconds; NaN without /proc. */
export function processCpu(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, which may contain spaces; utime and stime are the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_US
  } catch {
    return Number.NaN
  }
}

/** The processes that a process has started. */
export const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(child => child !== '')
    .map(Number)

/** As `processCpu`, with the processes that it has started. */
export const treeCpu = (pid: number): number =>
  childrenOf(pid).reduce((sum, child) => sum + treeCpu(child), processCpu(pid))
