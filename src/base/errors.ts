// Describes thrown values, and cleans up after a failed startup step.

const UNPRINTABLE = 'unprintable error'

/** A thrown value as text. Never throws. */
export function describeError(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return UNPRINTABLE
  }
}

/** The name and message of a thrown value, which need not be an `Error`. Never throws. */
export function errorParts(thrown: unknown): { readonly name: string; readonly message: string } {
  try {
    const { name, message } = thrown instanceof Error ? thrown : { name: 'Error', message: thrown }
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
