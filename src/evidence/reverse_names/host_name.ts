// Parses host names in third-party text.

const HOST = /^(?=.{4,253}$)(?:[a-z0-9_-]{1,63}\.){1,126}[a-z][a-z0-9-]{0,62}$/

/** A host name in lower case without the final dot; null for other text. */
export function hostName(rawName: string): string | null {
  const name = rawName.slice(0, 256).toLowerCase().replace(/\.$/, '')
  return HOST.test(name) ? name : null
}
