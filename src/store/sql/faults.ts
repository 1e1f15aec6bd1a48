// What the database throws, as the error of the store.
import { StoreError } from '../store.ts'

/** A StoreError as it is; anything else as one that says that the store is not available. */
export const storeErrorOf = (error: unknown): StoreError =>
  error instanceof StoreError
    ? error
    : new StoreError(
        'store_unavailable',
        `the database failed: ${error instanceof Error ? error.message : error}`,
        error,
      )

type Methods = Readonly<Record<string, (...all: never[]) => Promise<unknown>>>

/** The same methods, which reject with a StoreError only. */
export function orStoreError<T extends Methods>(methods: T): T {
  const guardedMethods = Object.entries(methods).map(([name, method]) => [
    name,
    (...all: never[]) =>
      method(...all).catch((error: unknown) => {
        throw storeErrorOf(error)
      }),
  ])
  return Object.fromEntries(guardedMethods) as T
}
