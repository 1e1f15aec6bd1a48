// Signals and other ends of a process: what the first and a second signal do, and what no plugin may do to the process.

const guardedFunctions = ['exit', 'reallyExit', 'abort', 'kill', '_kill', 'chdir'] as const

let release = () => {}

/**
 * Makes functions throw that no plugin may call, until `releaseProcess`. Call it before plugins are loaded. It protects
 * against mistakes, not against malice: code with the rights of the service can get around it.
 */
export function guardProcess(): void {
  const own = guardedFunctions.map(name => [name, Object.getOwnPropertyDescriptor(process, name)] as const)
  for (const name of guardedFunctions) {
    const refuse = () => {
      throw new Error(`plugins must not call process.${name}`)
    }
    Object.defineProperty(process, name, { configurable: true, value: refuse })
  }
  release = () => {
    for (const [name, descriptor] of own) if (descriptor) Object.defineProperty(process, name, descriptor)
    release = () => {}
  }
}

const strays = ['uncaughtException', 'unhandledRejection'] as const

type Stray = (typeof strays)[number]

let reportStray: ((stray: Stray, error: unknown) => void) | null = null

/** Keeps the process alive after an error that no code awaits: its check ends at the deadline, all others go on. Only the latest `report` is called. */
export function outliveStrays(report: (stray: Stray, error: unknown) => void): void {
  if (reportStray === null) for (const stray of strays) process.on(stray, error => reportStray?.(stray, error))
  reportStray = report
}

/** Removes the guards, so that the process can end. */
export const releaseProcess = (): void => release()

interface Interruption {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal
  /** The signal that was received; null when there was none. */
  by(): 'SIGINT' | 'SIGTERM' | null
  /** Removes the listeners. */
  forget(): void
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The exit codes that a shell reports for a process killed by a signal. */
export const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Milliseconds in which a repeated signal counts once: Ctrl-C under `npm start` arrives twice, from the terminal and from
 * npm, which forwards its own.
 */
const ECHO_MS = 250

/** Calls `first` at the first of these signals and `second` at every later one. Returns a function that removes the listeners. */
export function onSignals<Name extends NodeJS.Signals>(
  names: readonly Name[],
  first: (signal: Name) => void,
  second: (signal: Name) => void,
): () => void {
  let came: { readonly name: Name; readonly at: number } | null = null
  const listeners = names.map(name => {
    const take = () => {
      const now = performance.now()
      if (came === null) {
        came = { name, at: now }
        first(name)
      } else if (name !== came.name || now - came.at > ECHO_MS) second(name)
    }
    process.on(name, take)
    return () => void process.off(name, take)
  })
  return () => {
    for (const stop of listeners) stop()
  }
}

export function interruption(): Interruption {
  const abort = new AbortController()
  let by: (typeof SIGNALS)[number] | null = null
  const ask = (name: (typeof SIGNALS)[number]) => {
    by = name
    releaseProcess()
    abort.abort()
  }
  const forget = onSignals(SIGNALS, ask, name => process.exit(SIGNAL_CODES[name]))
  return { signal: abort.signal, by: () => by, forget }
}
