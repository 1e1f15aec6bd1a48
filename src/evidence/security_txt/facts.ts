// The security.txt file of a site (RFC 9116): contacts for reporting vulnerabilities.
import type { FileStatus } from '../facts.ts'
import type { AnsweredRequest } from '../page/facts.ts'

export interface SecurityTxt extends FileStatus {
  /** The URL requested, on the origin of the page. */
  readonly url: string
  /** The Content-Type header; null when missing. */
  readonly content_type: string | null
  /**
   * At most 32 KiB, decoded as UTF-8, without control characters except line feeds; null unless found. Of an HTML page
   * in place of the file, only the first tag.
   */
  readonly text: string | null
  /** The file is longer than `text`. */
  readonly truncated: boolean
  /** Absent in older recordings. */
  readonly requests?: readonly AnsweredRequest[]
}
