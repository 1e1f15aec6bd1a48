// The formats in which other programs take results, by name.

import { type ExchangeOptions, type Finding, findingOf, type Result } from './finding.ts'
import { mispEvent } from './misp.ts'
import { stixBundle } from './stix.ts'

export type { ExchangeOptions } from './finding.ts'

interface ExchangeWriter {
  /** As in a response. */
  readonly media_type: string
  readonly description: string
  write(finding: Finding, options: ExchangeOptions): object
}

const formats = {
  stix: {
    media_type: 'application/stix+json;version=2.1',
    description: 'A STIX 2.1 bundle.',
    write: stixBundle,
  },
  /** MISP has no registered media type. */
  misp: {
    media_type: 'application/vnd.misp+json',
    description: 'An event of MISP, as POST /events/add takes it.',
    write: mispEvent,
  },
} as const satisfies Readonly<Record<string, ExchangeWriter>>

export type ExchangeFormat = keyof typeof formats

export const EXCHANGE_FORMATS = Object.keys(formats) as readonly ExchangeFormat[]

export const mediaTypeOf = (format: ExchangeFormat): string => formats[format].media_type
export const describeFormat = (format: ExchangeFormat): string => formats[format].description

/** The result as JSON text in that format. Throws a `RangeError` for an object that is not a result. */
export function exchangeText(format: ExchangeFormat, result: Result, options: ExchangeOptions): string {
  const finding = findingOf(result, options)
  if (finding === null) throw new RangeError('not a result: it has no target or no time')
  return JSON.stringify(formats[format].write(finding, options))
}
