// A reporter for Node's test runner that fails a run in which something is missing: a file none of whose tests ran, or, under CI,
// anything that was left out. The runner itself counts no skipped suite, and is content with a file without tests.
import { NEEDS } from './needs.ts'

/** An event of the runner, as far as it is read here. */
export interface TestEvent {
  readonly type: string
  readonly data: {
    readonly name?: string
    readonly nesting?: number
    readonly skip?: string | boolean
    readonly todo?: string | boolean
    readonly details?: { readonly type?: string }
  }
}

/** `strict`: nothing may be left out. `exact`: what is left out must be what is expected. `lenient`: it is said. */
export type Mode = 'strict' | 'exact' | 'lenient'

export const modeOf = ({ CI, BARE }: NodeJS.ProcessEnv): Mode => (BARE ? 'exact' : CI ? 'strict' : 'lenient')

/** What was left out: the files by what they need, such as `nginx` or `curl, jq`. */
export type LeftOut = Readonly<Record<string, readonly string[]>>

export interface GateOptions {
  /** The name of each top-level suite that must have run: a test file's path. */
  readonly files: readonly string[]
  readonly mode: Mode
  /** For the mode `exact`. */
  readonly expected: LeftOut
}

interface Skipped {
  readonly file: string
  readonly title: string
  readonly reason: string
}

/** Reads the events of a run; the last line says what is wrong, and the process then exits with 1. */
export const createGate = (options: GateOptions) =>
  async function* gate(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
    const ran = new Map<string, number>()
    const skipped: Skipped[] = []
    let tests = 0
    let inner: Omit<Skipped, 'file'>[] = []
    for await (const { type, data } of events) {
      if (type !== 'test:pass' && type !== 'test:fail') continue
      const { name = '', nesting = 0, skip, todo, details } = data
      const reason = skip ?? todo
      if (reason !== undefined && reason !== false) inner.push({ title: name, reason: String(reason) })
      else if (details?.type !== 'suite' && nesting > 0) tests += 1
      // The children of a suite are reported before it.
      if (nesting > 0) continue
      ran.set(name, (ran.get(name) ?? 0) + tests)
      skipped.push(...inner.map(one => ({ file: name, ...one })))
      tests = 0
      inner = []
    }
    const faults = faultsOf(options, ran, skipped)
    for (const line of summaryOf(skipped)) yield `${line}\n`
    for (const fault of faults) yield `GATE: ${fault}\n`
    if (faults.length > 0) process.exitCode = 1
  }

const isNeed = ({ reason }: Skipped): boolean => reason.startsWith(NEEDS)
const needOf = ({ reason }: Skipped): string => reason.slice(NEEDS.length).split(':', 1).join()

function faultsOf(
  { files, mode, expected }: GateOptions,
  ran: ReadonlyMap<string, number>,
  skipped: readonly Skipped[],
) {
  const excused = new Set(mode === 'strict' ? [] : skipped.filter(isNeed).map(({ file }) => file))
  const idle = files.filter(file => (ran.get(file) ?? 0) === 0 && !excused.has(file))
  const unexplained = mode === 'lenient' ? [] : skipped.filter(one => mode === 'strict' || !isNeed(one))
  return [
    ...idle.map(file => `no test of ${file} ran`),
    ...unexplained.map(({ file, title, reason }) => `left out in ${file}: ${title} (${reason})`),
    ...(mode === 'exact' ? differences(leftOutOf(skipped), expected) : []),
  ]
}

export function leftOutOf(skipped: readonly Skipped[]): LeftOut {
  const needed = [...new Set(skipped.filter(isNeed).map(needOf))].sort()
  const filesOf = (need: string) => skipped.filter(one => isNeed(one) && needOf(one) === need).map(({ file }) => file)
  return Object.fromEntries(needed.map(need => [need, [...new Set(filesOf(need))].sort()]))
}

function differences(seen: LeftOut, expected: LeftOut): string[] {
  const pairs = (all: LeftOut) =>
    Object.entries(all).flatMap(([need, files]) => files.map(file => `${file} for ${need}`))
  const [is, should] = [pairs(seen), pairs(expected)]
  return [
    ...is.filter(one => !should.includes(one)).map(one => `left out, but not expected to be: ${one}`),
    ...should.filter(one => !is.includes(one)).map(one => `expected to be left out, but was not: ${one}`),
  ]
}

/** One line for each thing that is missing, with how to get it. */
function summaryOf(skipped: readonly Skipped[]): string[] {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].sort()
  return reasons.map(reason => {
    const of = skipped.filter(one => one.reason === reason)
    const files = [...new Set(of.map(({ file }) => file))]
    const where = files.length > 3 ? `${files.length} files` : files.join(', ')
    return `Left out: ${of.length === 1 ? of[0]?.title : `${of.length} suites and tests`} in ${where}: ${reason}`
  })
}
