// Registries that asked to be left alone, and until when.
import type { Clock } from '../../clock.ts'
import { createLocalBoard, type UpstreamBoard } from '../../upstreams/state.ts'

export interface RegistryPauses {
  isPaused(host: string): boolean
  /** `retry_after` is the field's value (RFC 9110 section 10.2.3): seconds or a date; a minute when there is none to be read. */
  pause(host: string, retry_after: string | null): void
}

/** Nobody makes us wait longer. */
const LONGEST_MS = 60 * 60 * 1000
const USUAL_MS = 60 * 1000

export function createRegistryPauses(clock: Clock, board: UpstreamBoard = createLocalBoard(clock)): RegistryPauses {
  const source = (host: string) => `registry ${host}`
  return {
    isPaused: host => board.isPaused(source(host)),
    pause: (host, retry_after) => board.pause(source(host), waitOf(retry_after?.trim() ?? '', clock.now())),
  }
}

/** Milliseconds. */
function waitOf(retryAfter: string, now: number): number {
  const asked = /^\d{1,12}$/.test(retryAfter) ? Number(retryAfter) * 1000 : untilDate(retryAfter, now)
  return asked === null ? USUAL_MS : Math.min(asked, LONGEST_MS)
}

/** An HTTP date begins with the weekday; what is past asks for nothing. */
function untilDate(text: string, now: number): number | null {
  const date = /^[A-Z][a-z]{2,8}, /.test(text) ? Date.parse(text.slice(0, 40)) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
