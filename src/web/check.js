// Requests one check and yields its progress: sections as they complete, then the result.
import { eventReader } from './event_stream.js'

/** @typedef {import('./progress.js').SectionCoverage} SectionCoverage */
/** @typedef {import('./result.js').Answer} Answer */
/** @typedef {import('./problems.js').Trouble} Trouble */

/** @typedef {{ readonly limit: number, readonly remaining: number, readonly reset: number }} Quota */

/**
 * @typedef {{ readonly kind: 'sections', readonly sections: readonly string[] }
 *   | { readonly kind: 'section', readonly section: string } & SectionCoverage
 *   | { readonly kind: 'result', readonly answer: Answer, readonly quota: Quota | null }} CheckEvent
 */

/** Thrown if there is no report; `trouble` says why. */
export class Failure extends Error {
  /** @param {Partial<Trouble> & { readonly code: string }} trouble */
  constructor(trouble) {
    super(trouble.code)
    /** @type {Trouble} */
    this.trouble = { status: null, detail: '', request_id: null, reset: null, retry_after: null, ...trouble }
  }
}

/** Milliseconds for a whole check including its queue time; the service gives up well before. */
const PATIENCE = 15_000

/**
 * @param {import('./target.js').Target} target
 * @param {string} key
 * @param {AbortSignal} stop
 * @param {boolean} fresh whether a cached result must not be served
 * @returns {AsyncGenerator<CheckEvent>}
 */
export async function* check(target, key, stop, fresh = false) {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Failure({ code: 'invalid-api-key', detail: 'API keys contain no spaces or special characters.' })
  const timeOut = AbortSignal.timeout(PATIENCE)
  let hasBegun = false
  try {
    const response = await fetch(`/api/v1/check?format=report&${query(target, fresh)}`, {
      headers: { 'X-API-Key': key, Accept: 'text/event-stream' },
      signal: AbortSignal.any([stop, timeOut]),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    })
    hasBegun = true
    if (!response.ok) throw new Failure(await troubleOf(response))
    if (!isStream(response)) throw new Failure({ code: 'unreadable' })
    yield* eventsOf(response)
  } catch (error) {
    if (error instanceof Failure || stop.aborted) throw error
    throw new Failure({ code: timeOut.aborted ? 'time-out' : lossOf(error, hasBegun) })
  }
}

/** The code for a lost answer. @type {(error: unknown, begun: boolean) => string} */
const lossOf = (error, hasBegun) => (error instanceof SyntaxError ? 'unreadable' : hasBegun ? 'cut-off' : 'no-answer')

/** Nothing in an answer depends on what is before the @ of an e-mail address, so that something else stands for it. */
const ANYBODY = 'anybody'

/** @type {(target: import('./target.js').Target, fresh: boolean) => string} */
function query({ name, value, visit }, fresh) {
  const queryValue = name === 'email' ? `${ANYBODY}${value}` : value
  return `${name}=${encodeURIComponent(queryValue)}${visit ? '' : '&visit=false'}${fresh ? '&fresh=true' : ''}`
}

const isStream = (/** @type {Response} */ { headers }) =>
  /^text\/event-stream\b/.test(headers.get('content-type') ?? '')

/**
 * @param {Response} response
 * @returns {AsyncGenerator<CheckEvent>}
 */
async function* eventsOf(response) {
  const read = eventReader()
  let report = ''
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = (await pieces?.read()) ?? { done: true, value: undefined }
    if (done) throw new Failure({ code: 'cut-off' })
    for (const { event, data } of read(value ?? '')) {
      if (event === 'problem') throw new Failure({ ...JSON.parse(data), ...circumstances(response) })
      if (event === 'sections') yield { kind: 'sections', ...JSON.parse(data) }
      if (event === 'section') yield { kind: 'section', ...JSON.parse(data) }
      if (event === 'report') report = data
      if (event !== 'result') continue
      yield { kind: 'result', answer: { text: data, report }, quota: quotaOf(response) }
      return
    }
  }
}

/** @type {(response: Response) => Promise<Partial<Trouble> & { code: string }>} */
export async function troubleOf(response) {
  const about = { status: response.status, ...circumstances(response) }
  const { code, detail, request_id } = (await response.json().catch(() => null)) ?? {}
  const isOurs = [code, detail, request_id].every(text => typeof text === 'string')
  return isOurs ? { ...about, code, detail, request_id } : { ...about, code: 'unreadable' }
}

/** @type {(response: Response, name: string) => number | null} */
function numberIn({ headers }, name) {
  const text = headers.get(name)
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

/** @type {(response: Response) => { reset: number | null, retry_after: number | null }} */
const circumstances = response => ({
  reset: numberIn(response, 'X-RateLimit-Reset'),
  retry_after: numberIn(response, 'Retry-After'),
})

/** @type {(response: Response) => Quota | null} */
function quotaOf(response) {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map(part =>
    numberIn(response, `X-RateLimit-${part}`),
  )
  return limit == null || remaining == null || reset == null ? null : { limit, remaining, reset }
}
