// Steps of a start: when a later one fails, what an earlier one holds is let go.

/** Runs `open`; when that fails, `release` first: open sockets and processes would keep a failed start alive. */
export async function released<T>(release: () => unknown, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    await release()
    throw error
  }
}
