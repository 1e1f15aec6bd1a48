/** JSON of an object in a store; null for anything else, as in a damaged row. */
export function storedObject(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object(value) : null
  } catch {
    return null
  }
}
