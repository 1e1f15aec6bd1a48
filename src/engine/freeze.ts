// All analyzers share the evidence, so none may change it.

/** Freezes plain data recursively. Frozen objects are assumed to be completely frozen. */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value
  Object.freeze(value)
  // A list of each object's members would be garbage as large as the evidence, so this iterates in place.
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) deepFreeze(value[at])
  else for (const key in value) deepFreeze(value[key])
  return value
}
