// Lets modules anywhere import this package by name: `assay`, `assay/plugin`, `assay/testing`.
import { type ResolveHook, register } from 'node:module'
import { pathToFileURL } from 'node:url'
import { moduleFile } from '../package_root.ts'

const entrances: Readonly<Record<string, string>> = {
  assay: 'src/index',
  'assay/plugin': 'src/engine/plugin',
  'assay/testing': 'src/testing/index',
}

/** A package of that name that the importing module has installed takes precedence. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const own = Object.hasOwn(entrances, specifier) ? entrances[specifier] : undefined
  if (own === undefined) return next(specifier, context)
  try {
    return await next(specifier, context)
  } catch {
    return next(pathToFileURL(moduleFile(own)).href, context)
  }
}

let registered = false

/** Applies to every module that is imported from now on. */
export function offerOwnPackage(): void {
  if (registered) return
  registered = true
  register(pathToFileURL(moduleFile('src/config/own_package')).href)
}
