// The icon of the site: the first that its page declares, otherwise /favicon.ico.
import type { FileStatus } from '../facts.ts'
import type { AnsweredRequest } from '../page/facts.ts'

/** `unknown` with `other_site` when the page has it from another site, which is not asked. */
export interface Icon extends FileStatus {
  /** Null when the page contains it (`data:`). */
  readonly url: string | null
  /** Hexadecimal; null unless found whole. */
  readonly sha256: string | null
  readonly requests: readonly AnsweredRequest[]
}

/** A page in place of an icon begins with markup; SVG does, too, and says so. */
export function isImage(octets: Buffer): boolean {
  const head = octets.subarray(0, 256).toString('latin1').trimStart().toLowerCase()
  return octets.length > 0 && (!head.startsWith('<') || head.includes('<svg'))
}
