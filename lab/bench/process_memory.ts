// The resident memory of another process.
import { readFileSync } from 'node:fs'

/** MiB, now (`VmRSS`) or at most so far (`VmHWM`, proc(5)). */
export function residentMib(pid: number, figure: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const [, kib] = new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1_024
}

/** Milliseconds until an idle service has given memory back. */
export const REST_MS = 5_000
