// Parsers of option values on the command line.
import { InvalidArgumentError } from 'commander'

/** Parses a whole number from `least` to `most`; any other value ends the command. */
export const count =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }

export const DEFAULT_QUEUE = 'assay'

/** Names of queues in the store contain it. */
export function queueName(text: string): string {
  if (text !== '' && !text.includes(':')) return text
  throw new InvalidArgumentError('It must not be empty or contain a colon.')
}

/** Concurrent checks by default: as many as one core can process when a check takes about a second. */
export const CONCURRENCY = 32

/** With a store the checks wait for workers: enough of them to keep several workers busy. */
export const REMOTE_CONCURRENCY = 256

/** Concurrent checks that one command asks of a service: as many as a request for many targets runs. */
export const SERVED_CONCURRENCY = 8

/**
 * Seconds that the answer of another bulk run may be old: enough for runs over the same names at the same time, and less than what
 * anybody who runs a list again wants to see anew. Answers are kept for an hour (`src/store/sql/bulk.ts`).
 */
export const MAX_AGE = { usual: 600, most: 3_600 }

/** How `assay check` writes results. */
export const FORMATS = ['report', 'brief', 'table', 'json', 'ndjson', 'csv', 'sarif', 'stix', 'misp', 'html'] as const
/** `template` is that of --template, which needs no other name. */
export type OutputFormat = (typeof FORMATS)[number] | 'template'
/** Those of many targets. */
export type ManyFormat = Exclude<OutputFormat, 'html'>

/** A file that is named so gets that format. */
export const formatOfFile = (file: string | undefined): OutputFormat | undefined =>
  file !== undefined && /\.html?$/i.test(file) ? 'html' : undefined

export const NO_TARGET = 'give a domain name, an IP address or a URL, --input or --replay'
