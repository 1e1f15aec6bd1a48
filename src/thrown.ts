// What code of others throws may be anything, also what cannot be made a text.

const UNTELLABLE = 'something was thrown that cannot be told'

/** In a line for people, as `String` has it. Never throws. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return UNTELLABLE
  }
}

/** Its name and message, those of an `Error` when it is none. Never throws. */
export function thrownParts(thrown: unknown): { readonly name: string; readonly message: string } {
  try {
    const { name, message } = thrown instanceof Error ? thrown : { name: 'Error', message: thrown }
    return { name: String(name), message: String(message) }
  } catch {
    return { name: 'Error', message: UNTELLABLE }
  }
}
