// Describes thrown values, and cleans up after a failed startup step.

const UNPRINTABLE = 'unprintable error'

/** A thrown value as text. Never throws. */
export function describeError(error: unknown): string {
  try {
    return String(error)
  } catch {
    return UNPRINTABLE
  }
}

/** The name and message of a thrown value, which need not be an `Error`. Never throws. */
export function errorParts(error: unknown): { readonly name: string; readonly message: string } {
  try {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: error }
    return { name: String(name), message: String(message) }
  } catch {
    return { name: 'Error', message: UNPRINTABLE }
  }
}

/** Runs `open` and calls `release` if it fails: open sockets and processes would keep a failed process running. */
export async function releaseOnError<T>(release: () => unknown, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    await release()
    throw error
  }
}
