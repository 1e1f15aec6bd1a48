// The objects of the language that all code in the process shares: whether one piece of it changed them for the others.

const TypedArray = Object.getPrototypeOf(Uint8Array) as { prototype: object }

/** By the name that people know them by. */
const shared: Readonly<Record<string, object>> = {
  Object,
  Array,
  String,
  Number,
  Promise,
  Date,
  JSON,
  Math,
  Reflect,
  ...prototypes({ Object, Array, Function, String, Number, Boolean, Symbol, BigInt, RegExp, Date, Promise, Error }),
  ...prototypes({ Map, Set, WeakMap, WeakSet, ArrayBuffer, TypedArray, Uint8Array, Buffer, URL, URLSearchParams }),
}

/** Of the global object only what our own code calls: others may add to it, and Node fills parts of it in when first used. */
const globals = [
  'Buffer',
  'URL',
  'fetch',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'structuredClone',
]

function prototypes(constructors: Readonly<Record<string, { prototype: object }>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(constructors).map(([name, { prototype }]) => [`${name}.prototype`, prototype]),
  )
}

// Kept aside: what is looked for may be the very functions that looking needs. For the same reason the loops below count.
const { ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect
const { is } = Object

interface Seen {
  readonly name: string
  readonly object: object
  readonly keys: readonly PropertyKey[]
  /** One for each key. */
  readonly properties: readonly (PropertyDescriptor | undefined)[]
  /** Whether more keys are a change. */
  readonly whole: boolean
}

/** What was there when it was looked at. */
export interface SharedObjects {
  /** Puts back what is otherwise than it was; its names, such as `Array.prototype.push`. */
  restore(): string[]
}

export function lookAtSharedObjects(): SharedObjects {
  // Read once, so that Node has filled them in.
  for (const name of globals) void Reflect.get(globalThis, name)
  const seen = [
    ...Object.entries(shared).map(([name, object]) => look(name, object, ownKeys(object), true)),
    look('globalThis', globalThis, globals, false),
  ]
  return {
    restore() {
      const names: string[] = []
      for (let i = 0; i < seen.length; i++) restore(seen[i] as Seen, names)
      return names
    },
  }
}

const look = (name: string, object: object, keys: readonly PropertyKey[], whole: boolean): Seen => {
  const properties = keys.map(key => getOwnPropertyDescriptor(object, key))
  return { name, object, keys, properties, whole }
}

function restore({ name, object, keys, properties, whole }: Seen, names: string[]): void {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey
    const was = properties[i]
    if (was === undefined || isSame(was, getOwnPropertyDescriptor(object, key))) continue
    defineProperty(object, key, was)
    names[names.length] = nameOf(name, key)
  }
  const now = whole ? ownKeys(object) : keys
  if (now.length === keys.length) return
  for (let i = 0; i < now.length; i++) {
    const key = now[i] as PropertyKey
    if (isAmong(keys, key)) continue
    deleteProperty(object, key)
    names[names.length] = nameOf(name, key)
  }
}

function isAmong(keys: readonly PropertyKey[], key: PropertyKey): boolean {
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return true
  return false
}

const nameOf = (object: string, key: PropertyKey): string => `${object}.${typeof key === 'symbol' ? 'symbol' : key}`

const isSame = (was: PropertyDescriptor, now: PropertyDescriptor | undefined): boolean =>
  now !== undefined && is(was.value, now.value) && was.get === now.get && was.set === now.set
