// The entry for a name or for the closest of its ancestors, label by label (RFC 9224 section 4).

/** `''` is the root, the ancestor of every name. */
export function closest<Value>(table: ReadonlyMap<string, Value>, name: string): Value | null {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  for (let at = 0; at <= labels.length; at++) {
    const found = table.get(labels.slice(at).join('.'))
    if (found !== undefined) return found
  }
  return null
}
