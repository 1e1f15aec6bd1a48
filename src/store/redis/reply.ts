// What Redis answers, held to what it can answer: a server that is broken, or none at all, must not pass for an empty one.

/** The link takes it for the end of the connection: what comes after such a reply cannot be believed either. */
export class Misread extends TypeError {
  override readonly name = 'Misread'
}

export const isWhole = (reply: unknown): boolean => Number.isSafeInteger(reply)

/** Throws `Misread` for anything but a text or nothing. */
export function textOrNone(reply: unknown): string | null {
  if (reply === null || typeof reply === 'string') return reply
  throw new Misread('a text was asked for')
}

/** The fields of a hash, as names and values in turn; none when there is no hash. Throws `Misread` for anything else. */
export function fieldsOf(reply: unknown): Readonly<Record<string, string>> {
  if (!isTexts(reply) || reply.length % 2 !== 0) throw new Misread('a hash was asked for')
  const pairs = reply.flatMap((name, at) => (at % 2 === 0 ? [[name, reply[at + 1] ?? ''] as const] : []))
  return Object.fromEntries(pairs)
}

export function isTexts(reply: unknown): reply is readonly string[] {
  return Array.isArray(reply) && reply.every(part => typeof part === 'string')
}
