// How a command fails: what it prints, and its exit code.
import { CommanderError } from 'commander'
import { UnusableBrowser } from '../evidence/rendered/browser.ts'
import { UnusableDataset } from '../knowledge/datasets/dataset.ts'
import { StoreError, type StoreErrorCode } from '../store/store.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import type { Output } from './output.ts'

/** Errors of the store that are usage errors of the command. */
const mistakes: ReadonlySet<StoreErrorCode> = new Set([
  'account_not_found',
  'plan_differs',
  'store_missing',
  'key_not_found',
  'key_not_active',
])

/** A full or read-only disk and a missing temporary directory are not internal errors. */
function isUnwritable(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === 'mkdtemp' || code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS'
}

/** Prints what went wrong, without a stack, and returns the exit code. */
export function reportFailure(error: unknown, { err }: Output): number {
  const code = exitCodeOf(error)
  // Commander has printed its own; like other commands, silent when the reader closes the output.
  if (!(error instanceof CommanderError) && code !== EXIT.unread) err(`assay: ${failureText(error)}\n`)
  return code
}

/** What went wrong, without a stack. */
export function failureText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return error instanceof StoreError && error.code === 'store_missing' ? `${text} ${pasteable(WHERE)}` : text
}

const WHERE =
  '--data or ASSAY_DATA names the directory of another, --server a running service; `assay serve` and `assay keys create` make one.'

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return EXIT.usage
  if (error instanceof CliError) return error.code
  if (error instanceof UnusableDataset || error instanceof UnusableBrowser) return EXIT.config
  if (isUnwritable(error)) return EXIT.cannot_create
  if (!(error instanceof StoreError)) return EXIT.internal
  return mistakes.has(error.code) ? EXIT.usage : EXIT.unavailable
}
