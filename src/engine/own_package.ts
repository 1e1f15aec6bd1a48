// Lets modules anywhere import this package by name: `assay`, `assay/plugin`, `assay/testing`.
import modules, { type ResolveHook } from 'node:module'
import { pathToFileURL } from 'node:url'
import { moduleFile } from '../base/package_root.ts'

const entrances: Readonly<Record<string, string>> = {
  assay: 'src/index',
  'assay/plugin': 'src/engine/plugin',
  'assay/testing': 'src/testing/index',
}

const ownUrl = (specifier: string): string | undefined => {
  const own = Object.hasOwn(entrances, specifier) ? entrances[specifier] : undefined
  return own && pathToFileURL(moduleFile(own)).href
}

/** A package of that name that the importing module has installed takes precedence. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const own = ownUrl(specifier)
  if (own === undefined) return next(specifier, context)
  try {
    return await next(specifier, context)
  } catch {
    return next(own, context)
  }
}

type Resolve = (specifier: string, context: unknown, next: (specifier: string, context: unknown) => unknown) => unknown

/** Since Node 22.15; the types are those of Node 20. */
const { registerHooks } = modules as { registerHooks?: (hooks: { readonly resolve: Resolve }) => void }

/** Whether modules find this package by hooks in a thread of their own. */
export const needsThread = registerHooks === undefined

/** The same, in the thread that imports. */
const resolveHere: Resolve = (specifier, context, next) => {
  const own = ownUrl(specifier)
  if (own === undefined) return next(specifier, context)
  try {
    return next(specifier, context)
  } catch {
    return next(own, context)
  }
}

let isRegistered = false

/** Applies to every module that is imported from now on. */
export function offerOwnPackage(): void {
  if (isRegistered) return
  isRegistered = true
  if (registerHooks) registerHooks({ resolve: resolveHere })
  else modules.register(pathToFileURL(moduleFile('src/engine/own_package')).href)
}
