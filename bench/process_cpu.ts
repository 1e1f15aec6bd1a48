// The CPU time another process has used, threads and kernel included.
import { readFileSync } from 'node:fs'

/** Linux tells it in hundredths of a second, whatever the kernel's own tick (proc(5), USER_HZ). */
const TICK_US = 10_000

/** Microseconds; NaN where there is no /proc. */
export function processCpu(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, which may hold blanks; utime and stime are the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_US
  } catch {
    return Number.NaN
  }
}
