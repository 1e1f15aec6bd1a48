// Supervises plugins of others during their computation, which cannot be interrupted: it must be short and must not change
// objects that all code shares. A plugin that violates this loses its section and is named; see plugins/README.md.
import { isAsync } from './explained.ts'
import type { Description, Plugin } from './plugin.ts'

/** Milliseconds of computation that are too long for one section, because every request waits for it. */
const HELD_MS = 1_000

/** The plugin with supervision. `objects` are the shared objects as they must stay. */
export function supervise(plugin: Plugin, objects: SharedObjects): Plugin {
  // The registry reports anything that is not a plugin, and an async analyzer.
  if (typeof plugin !== 'object' || plugin === null || !('analyze' in plugin) || isAsync(plugin.analyze)) return plugin
  const measure = <Result>(compute: () => Result): Result => {
    const [began, cpuAtStart] = [performance.now(), process.cpuUsage()]
    try {
      return compute()
    } finally {
      refuseChanges(objects)
      refuseHolding(performance.now() - began, process.cpuUsage(cpuAtStart))
    }
  }
  const { presentation } = plugin
  const analyze: typeof plugin.analyze = (evidence, context) => measure(() => plugin.analyze(evidence, context))
  if (typeof presentation?.describe !== 'function') return { ...plugin, analyze }
  const describe: typeof presentation.describe = (section, context) =>
    measure(() => presentation.describe?.(section, context)) as Description
  return { ...plugin, analyze, presentation: { ...presentation, describe } }
}

export function refuseChanges(objects: SharedObjects): void {
  const names = objects.restore()
  if (names.length > 0) throw new Error(`changes ${names.join(', ')}, which all code shares`)
}

/** On a busy machine time passes without being used. */
export function refuseHolding(passedMs: number, { user, system }: NodeJS.CpuUsage): void {
  const heldMs = Math.round(Math.min(passedMs, (user + system) / 1_000))
  if (heldMs > HELD_MS) throw new Error(`held the service for ${heldMs} ms`)
}

const TypedArray = Object.getPrototypeOf(Uint8Array) as { prototype: object }

/** By well-known name. */
const sharedObjects: Readonly<Record<string, object>> = {
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

/** Only the globals that this service calls: others may add globals, and Node fills in some on first use. */
const GLOBAL_NAMES = [
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

// Saved first, because a plugin may change the very functions that the check needs. The loops below use indexes for the same
// reason.
const { ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect
const { is } = Object

interface ObjectState {
  readonly name: string
  readonly object: object
  readonly keys: readonly PropertyKey[]
  /** One for each key. */
  readonly properties: readonly (PropertyDescriptor | undefined)[]
  /** Whether additional keys are a change. */
  readonly whole: boolean
}

/** A snapshot of the shared objects. */
export type SharedObjects = ReturnType<typeof snapshotSharedObjects>

export function snapshotSharedObjects() {
  // Read once, so that Node fills them in.
  for (const name of GLOBAL_NAMES) void Reflect.get(globalThis, name)
  const snapshots = [
    ...Object.entries(sharedObjects).map(([name, object]) => look(name, object, ownKeys(object), true)),
    look('globalThis', globalThis, GLOBAL_NAMES, false),
  ]
  return {
    /** Restores what has changed; returns the names, such as `Array.prototype.push`. */
    restore() {
      const names: string[] = []
      for (let i = 0; i < snapshots.length; i++) restore(snapshots[i] as ObjectState, names)
      return names
    },
  }
}

const look = (name: string, object: object, keys: readonly PropertyKey[], whole: boolean): ObjectState => {
  const properties = keys.map(key => getOwnPropertyDescriptor(object, key))
  return { name, object, keys, properties, whole }
}

function restore({ name, object, keys, properties, whole }: ObjectState, names: string[]): void {
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
