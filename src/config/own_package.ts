// Lets modules that stand anywhere import this package by its name: `assay`, `assay/plugin`, `assay/testing`.
import { type ResolveHook, register } from 'node:module'
import { extname } from 'node:path'

/** Sources when run from sources, else the build. */
const EXTENSION = extname(import.meta.filename)

const entrances: Readonly<Record<string, string>> = {
  assay: '../index',
  'assay/plugin': '../engine/plugin',
  'assay/testing': '../testing/index',
}

/** A package of that name that the module itself has installed goes first. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const own = Object.hasOwn(entrances, specifier) ? entrances[specifier] : undefined
  if (own === undefined) return next(specifier, context)
  try {
    return await next(specifier, context)
  } catch {
    return next(new URL(`${own}${EXTENSION}`, import.meta.url).href, context)
  }
}

let registered = false

/** For every module that is imported from now on. */
export function offerOwnPackage(): void {
  if (registered) return
  registered = true
  register(import.meta.url)
}
