// The form in which a result is answered: JSON, another format, or events, by the parameter `format` and the header `Accept`; and how much
// of it, by `fields` and `sections`.
import Negotiator from 'negotiator'
import { Type } from 'typebox'
import type { AskedSelection, Select, Selector } from '../../engine/selection.ts'
import type { BulkRecord } from '../../results/bulk/record.ts'
import { describeFormat, EXCHANGE_FORMATS, type ExchangeFormat, mediaTypeOf } from '../../results/exchange/formats.ts'
import { Problem } from './problem.ts'

/** The result as JSON, the report that people read, or the result in a format of other programs. */
export type AskedFormat = 'json' | 'report' | ExchangeFormat
export type AnswerForm = AskedFormat | 'events'

/** Common values, which need no parsing (RFC 9110 section 12.5.1). */
const usual = new Set(['', '*/*', 'application/json', 'application/json, text/plain, */*'])

/** Parameters matter when types are compared; a response satisfies both of these. */
const plain = ['application/json', 'application/json; charset=utf-8']

/** Types that a client gets only by name: a wildcard means JSON. */
const NAMED_TYPES: readonly { readonly form: AnswerForm; readonly type: string; readonly name: RegExp }[] = [
  ...EXCHANGE_FORMATS.map(form => ({ form, type: mediaTypeOf(form), name: nameOf(mediaTypeOf(form)) })),
  { form: 'events', type: 'text/event-stream', name: nameOf('text/event-stream') },
]

/** Finds the media type, without its parameters, in a header. */
function nameOf(type: string): RegExp {
  const [name = ''] = type.split(';')
  return new RegExp(`(?<![\\w+.-])${name.replace(/[+./]/g, '\\$&')}(?![\\w+.-])`, 'i')
}

/** Longest header that is parsed, in characters: several times what browsers send. A longer one is ignored. */
const headerLength = 1_024

/**
 * The form that the header `Accept` prefers: JSON unless another type is named and has at least the weight of JSON. Null when it
 * allows nothing that there is.
 */
export function preferredForm(accept: string | undefined): AnswerForm | null {
  if (accept === undefined || usual.has(accept)) return 'json'
  if (accept.length > headerLength) return null
  const special = NAMED_TYPES.filter(({ name }) => name.test(accept))
  const mediaType = new Negotiator({ headers: { accept } }).mediaType([...plain, ...special.map(({ type }) => type)])
  if (mediaType === undefined) return null
  return special.find(({ type }) => type === mediaType)?.form ?? 'json'
}

/** `parameter` is that of the query, which decides when it is there; only events are still a matter of `Accept`. Throws a 400 or 406. */
export function answerForm(accept: string | undefined, parameter: AskedFormat | null): AnswerForm {
  if (parameter === null) {
    const form = preferredForm(accept)
    if (form === null) throw new Problem('not-acceptable')
    return form
  }
  if (preferredForm(accept) !== 'events') return parameter
  if (parameter === 'json' || parameter === 'report') return 'events'
  throw new Problem(
    'invalid-parameter',
    `Events end in JSON: format=${parameter} cannot be combined with text/event-stream.`,
  )
}

/**
 * The other formats in the OpenAPI document, as an extension: as further media types of the 200 they would make generated clients
 * type every response as a union.
 */
export const describedFormats = EXCHANGE_FORMATS.map(format => ({
  format,
  media_type: mediaTypeOf(format),
  description: describeFormat(format),
}))

const others = describedFormats.map(({ format, media_type }) => `${format} (${media_type})`).join(' and ')

const ASKED_FORMATS: readonly AskedFormat[] = ['json', 'report', ...EXCHANGE_FORMATS]

/** The parameter `format`. */
export const FormatParameter = Type.Optional(
  Type.Enum([...ASKED_FORMATS], {
    description: `The form of the answer: json is the result, report a view of it for people that programs should not \
read, ${others} the result in a format of other programs. Without the parameter, the header Accept decides, where other types than \
JSON must be named. Problems are JSON in any case.`,
  }),
)

/** The parameters that say which members of a result are answered. */
export const selectionParameters = {
  fields: Type.Optional(
    Type.String({
      description:
        'Returns only these members of the result, separated by commas: `recommendation,risk_score,signals`. A path leads into objects and the elements of lists: `ssl_info.expires_at`, `signal_details.title`. `stale` and `test` are always returned. The check is the same. Of `content_analysis` and `site_content`, which are one object, the second is a reference to the first when both are named. Not with other formats than json.',
      examples: ['recommendation,risk_score,signals'],
    }),
  ),
  sections: Type.Optional(
    Type.String({
      description:
        'Returns only these sections, separated by commas, with their signals and coverage, and all members that are not sections. The check is the same: score, verdict and recommendation always judge the whole check.',
      examples: ['ssl_info,security_headers'],
    }),
  ),
}

/** How `fields` and `sections` are described in the OpenAPI document, where the 200 is the whole result. */
export const describedSelection = {
  description:
    'With `fields` or `sections`, members of the result are left out, also required ones. What is there has the type that the whole result has, except that the second name of an object that is there already is a reference: `"site_content": {"$ref": "#/content_analysis"}`.',
}

/** What to answer of a result; null for all of it. Throws a 400. */
export function selectOf(
  selector: Selector,
  request: AskedSelection,
  format: AnswerForm | null,
  code: 'invalid-parameter' | 'invalid-body' = 'invalid-parameter',
): Select | null {
  const selection = selector.selection(request)
  if (selection === null) return null
  if (!selection.ok) throw new Problem(code, selection.fault)
  if (request.fields !== undefined && format !== null && format !== 'json' && format !== 'events')
    throw new Problem(
      'invalid-parameter',
      `fields selects members of the JSON: it cannot be combined with format=${format}.`,
    )
  return selection.select
}

/** The record with the selected members of its result. */
export function selectedRecord(record: BulkRecord, select: Select | null): object {
  if (select === null || 'error' in record) return record
  const { input, line, ...result } = record
  return { input, line, ...select(result) }
}
