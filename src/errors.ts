// Errors: anything thrown as text, and clean-up when a later step fails.

const UNPRINTABLE = 'unprintable error'

/** The thrown value as text. Never throws. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return UNPRINTABLE
  }
}

/** The name and the message of the thrown value, which need not be an `Error`. Never throws. */
export function thrownParts(thrown: unknown): { readonly name: string; readonly message: string } {
  try {
    const { name, message } = thrown instanceof Error ? thrown : { name: 'Error', message: thrown }
    return { name: String(name), message: String(message) }
  } catch {
    return { name: 'Error', message: UNPRINTABLE }
  }
}

/** Runs `open`; calls `release` when it fails, because open sockets and processes would keep a failed start alive. */
export async function releaseOnError<T>(release: () => unknown, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    await release()
    throw error
  }
}
