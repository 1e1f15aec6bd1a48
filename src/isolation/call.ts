// One question to an isolated analyzer: answered once, within its time, whatever becomes of the process.
import { Broken } from '../engine/finding.ts'
import type { Turn } from './frames.ts'

/** Milliseconds from being asked, waiting included, in which an analyzer answers. */
export const ANSWER_MS = 1_000
/** Milliseconds kept back of what the check has left, for what comes after. */
const AFTERWARDS_MS = 50

/** Why a section failed that its analyzer did not fail itself. */
export const REASONS = {
  /** No answer in time; the process is ended when it was computing. */
  timeout: 'plugin_timeout',
  /** The process ended: of memory, by itself, or with the configuration. */
  ended: 'plugin_ended',
  /** It did so again and again, and is begun anew after a while. */
  resting: 'plugin_resting',
} as const

export interface Call {
  readonly turn: Turn
  /** By `performance.now()`. */
  readonly asked: number
  /** What the analyzer answered, or an `Error`. Only the first counts. */
  settle(found: unknown): void
  /** Its time is over. */
  expire(): void
  /** Whether nobody waits for it any more. */
  isOver(): boolean
}

/** `found` is told what it comes to, in time; while it is not, the process of the service does not end by itself. */
export function newCall(turn: Turn, left_ms: number, found: (answer: unknown) => void): Call {
  const asked = performance.now()
  let isOver = false
  const settle = (answer: unknown) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    found(answer)
  }
  const allowed = Math.max(0, left_ms - AFTERWARDS_MS)
  const expire = () => settle(allowed < ANSWER_MS ? { unavailable: 'deadline' } : slow())
  const timer = setTimeout(expire, Math.min(ANSWER_MS, allowed))
  return { turn, asked, settle, expire, isOver: () => isOver }
}

const slow = () => new Broken(REASONS.timeout, `gave no answer in ${ANSWER_MS} ms`)

/** What the process said: a finding, or the error that the analyzer threw. */
export function readAnswer(answer: unknown): unknown {
  const { finding, error, too_large } = (answer ?? {}) as Readonly<Record<string, unknown>>
  if (finding !== undefined) return finding
  if (too_large === true) return new Broken('finding_too_large', 'more than a line of answers holds')
  const { name, message } = (error ?? {}) as Readonly<Record<string, unknown>>
  return Object.assign(new Error(String(message)), { name: String(name) })
}
