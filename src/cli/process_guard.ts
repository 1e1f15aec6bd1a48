// What no plugin may do to the process it runs in: the call throws, which costs the plugin its section. A guard against
// mistakes, not against malice: code with the service's rights finds ways round it.

const guarded = ['exit', 'reallyExit', 'abort', 'kill', '_kill', 'chdir'] as const

let release = () => {}

/** From now on, until the process is to end. To be called before any plugin is loaded. */
export function guardProcess(): void {
  const own = guarded.map(name => [name, Object.getOwnPropertyDescriptor(process, name)] as const)
  for (const name of guarded) {
    const refuse = () => {
      throw new Error(`process.${name} is not for plugins`)
    }
    Object.defineProperty(process, name, { configurable: true, value: refuse })
  }
  release = () => {
    for (const [name, descriptor] of own) if (descriptor) Object.defineProperty(process, name, descriptor)
    release = () => {}
  }
}

export const strays = ['uncaughtException', 'unhandledRejection'] as const

type Stray = (typeof strays)[number]

let tellStray: ((stray: Stray, error: unknown) => void) | null = null

/** An error that nobody awaits belongs to one check, which its deadline ends: no target and no plugin may end the rest. The last `tell` hears of it. */
export function outliveStrays(tell: (stray: Stray, error: unknown) => void): void {
  if (tellStray === null) for (const stray of strays) process.on(stray, error => tellStray?.(stray, error))
  tellStray = tell
}

/** Gives the process back to those who end it. */
export const releaseProcess = (): void => release()
