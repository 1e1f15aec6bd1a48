// What a run has done so far, and how it is shown: a progress bar on a terminal, a line now and then elsewhere.

import { type Options, SingleBar } from 'cli-progress'
import type { Recommendation } from '../../engine/scoring/recommendation.ts'
import { isIncomplete, type Result, recommendationOf } from './record.ts'

export interface Tally {
  /** Lines of the input read so far, without empty ones and comments. */
  lines: number
  /** Of these, repetitions of an earlier line. */
  duplicates: number
  /** Of these, settled by an earlier run. */
  settled: number
  /** Records written by this run. */
  written: number
  /** Of the written ones: lines that are not valid targets. */
  invalid: number
  /** Of the written ones: targets that could not be checked. */
  unavailable: number
  /** Of the written ones: checks that failed with an internal error. */
  broken: number
  /** Of the written ones: results by recommendation. */
  readonly recommendations: Record<Recommendation, number>
  /** Of the results: those with incomplete coverage. */
  incomplete: number
  /** Of the results: those with low confidence. */
  unsure: number
}

export const newTally = (): Tally => ({
  lines: 0,
  duplicates: 0,
  settled: 0,
  written: 0,
  invalid: 0,
  unavailable: 0,
  broken: 0,
  recommendations: { allow: 0, review: 0, block: 0 },
  incomplete: 0,
  unsure: 0,
})

/** Lines that are done. */
export const doneCount = ({ duplicates, settled, written }: Tally): number => duplicates + settled + written

/** Counts one written result. */
export function countResult(tally: Tally, result: Result): void {
  tally.recommendations[recommendationOf(result)]++
  if (isIncomplete(result)) tally.incomplete++
  if (result['confidence'] === 'low') tally.unsure++
}

interface Progress {
  start(): void
  stop(): void
}

interface ProgressOptions {
  readonly tally: Tally
  /** Names in the input; null when unknown. */
  readonly total: number | null
  /** A terminal to draw on; null when there is none. */
  readonly screen: NodeJS.WritableStream | null
  readonly write: (text: string) => void
}

const BAR_MS = 200
/** Keeps the log of a long run short. */
const LINE_MS = 10_000
/** The window of the rate: the start of a run says little about its end. */
const WINDOW_MS = 30_000

interface Rate {
  /** Names a second, over the last half minute. */
  readonly per_second: number
  /** Seconds to the end at that rate; null when unknown. */
  readonly left: number | null
}

/** Computes rates from how much was done when; `now` in milliseconds. */
export function createRate(total: number | null): (recordCount: number, settledCount: number, now: number) => Rate {
  const samples: { readonly at: number; readonly written: number }[] = []
  return (recordCount, settledCount, now) => {
    samples.push({ at: now, written: recordCount })
    while (samples.length > 2 && now - (samples[1]?.at ?? now) > WINDOW_MS) samples.shift()
    const [first] = samples
    const seconds = (now - (first?.at ?? now)) / 1_000
    const perSecond = seconds > 0 ? (recordCount - (first?.written ?? 0)) / seconds : 0
    const remainingS = total === null || perSecond === 0 ? null : Math.max(0, total - settledCount) / perSecond
    return { per_second: perSecond, left: remainingS }
  }
}

/** `3 s`, `2 min 5 s`, `4 h 10 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}

const count = (value: number) => value.toLocaleString('en').replaceAll(',', ' ')

export function progressLine(tally: Tally, total: number | null, { per_second, left }: Rate): string {
  const of = total === null ? '' : ` of ${count(total)}`
  const remaining = left === null ? '' : `, ${duration(left)} left`
  const { block, review, allow } = tally.recommendations
  const more = [
    tally.incomplete === 0 ? '' : `, ${count(tally.incomplete)} incomplete`,
    tally.unavailable === 0 ? '' : `, ${count(tally.unavailable)} could not be checked`,
  ]
  return `${count(doneCount(tally))}${of} done, ${per_second.toFixed(1)}/s${remaining}; ${count(block)} block, ${count(review)} review, ${count(allow)} allow${more.join('')}`
}

export const createProgress = (options: ProgressOptions): Progress =>
  options.screen === null ? lines(options) : bar(options, options.screen)

function lines({ tally, total, write }: ProgressOptions): Progress {
  const rate = createRate(total)
  let timer: NodeJS.Timeout | undefined
  const line = () => write(`${progressLine(tally, total, rate(tally.written, doneCount(tally), performance.now()))}\n`)
  return {
    start() {
      rate(tally.written, doneCount(tally), performance.now())
      timer = setInterval(line, LINE_MS)
    },
    stop: () => clearInterval(timer),
  }
}

/** The signal handling of the library is off: the run handles signals and says how to continue. */
const style: Options = {
  format: '{bar} {line}',
  barsize: 20,
  barCompleteChar: '█',
  barIncompleteChar: '░',
  gracefulExit: false,
  clearOnComplete: true,
  hideCursor: null,
  linewrap: null,
}

function bar({ tally, total }: ProgressOptions, stream: NodeJS.WritableStream): Progress {
  const rate = createRate(total)
  const bar = new SingleBar({ ...style, stream, ...(total === null ? { format: '{line}' } : {}) })
  let timer: NodeJS.Timeout | undefined
  const draw = () => {
    const at = doneCount(tally)
    bar.update(at, { line: progressLine(tally, total, rate(tally.written, at, performance.now())) })
  }
  return {
    start() {
      bar.start(total ?? 1, 0, { line: '' })
      timer = setInterval(draw, BAR_MS)
    },
    stop() {
      clearInterval(timer)
      draw()
      bar.stop()
    },
  }
}
