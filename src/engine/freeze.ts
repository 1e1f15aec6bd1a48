// Evidence is shared by all analyzers, so none may change it.

/** Freezes plain data all the way down; what is frozen already is taken as done. */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
