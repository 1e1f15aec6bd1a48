// Requests about kept results: one result, the history of its target, comparisons and links that share it.
import { Failure, troubleOf } from './check.js'

/**
 * @typedef {object} Entry A line of the history.
 * @property {string} result_id
 * @property {string} checked_at
 * @property {number} risk_score
 * @property {string} verdict
 * @property {'allow' | 'review' | 'block'} recommendation
 * @property {boolean} kept
 */

/**
 * @typedef {object} HistoryPage
 * @property {string | null} first_seen_at
 * @property {readonly Entry[]} results latest first
 */

/** @typedef {Entry & { readonly target: string }} FoundEntry */
/** @typedef {{ readonly results: readonly FoundEntry[], readonly before: string | null }} SearchPage */

/**
 * @typedef {object} SharedFact What a result says, and how many other targets show the same.
 * @property {string} kind
 * @property {string} value
 * @property {string} words
 * @property {number} others
 * @property {boolean} more There may be more.
 */
/** @typedef {{ readonly target: string, readonly scope: 'account' | 'installation', readonly facts: readonly SharedFact[] }} Related */

/** @typedef {{ readonly share_id: string, readonly created_at: string }} Share */
/** @typedef {{ readonly share_id: string, readonly url: string, readonly badge_url: string }} CreatedShare */

/** Lines of the history in a report. */
const LINES = 30
/** Milliseconds for an answer: nothing is checked. */
const PATIENCE = 10_000

/** @typedef {ReturnType<typeof keptResults>} Kept */

/** @typedef {{ method?: string, body?: string, open?: boolean }} Options */

/** The address of a kept result on this page. @type {(id: string) => string} */
export const permalinkOf = id => new URL(`#result=${id}`, location.href).href

/**
 * A function that sends requests with the key that `keyOf` returns; rejects with `Failure`.
 * @param {() => string} keyOf
 */
function createRequest(keyOf) {
  /** @type {(path: string, options?: Options) => Promise<Response>} */
  return async (path, { method = 'GET', body, open = false } = {}) => {
    const key = keyOf()
    if (!open && key === '') throw new Failure({ code: 'missing-api-key' })
    /** @type {Response} */
    let response
    try {
      response = await fetch(path, {
        method,
        headers: open ? {} : { 'X-API-Key': key },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(PATIENCE),
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
      })
    } catch {
      throw new Failure({ code: 'no-answer' })
    }
    if (!response.ok) throw new Failure(await troubleOf(response))
    return response
  }
}

/** The same for the text of the answer. @type {(keyOf: () => string) => (path: string, options?: Options) => Promise<string>} */
export function createAsk(keyOf) {
  const request = createRequest(keyOf)
  return async (path, options) => (await request(path, options)).text()
}

/**
 * Requests with the key that `keyOf` returns; each rejects with `Failure`.
 * @param {() => string} keyOf
 */
export function keptResults(keyOf) {
  const ask = createAsk(keyOf)
  const request = createRequest(keyOf)

  /** @type {(path: string, options?: { open?: boolean }) => Promise<import('./result.js').Answer>} */
  async function both(path, options) {
    const [text, report] = await Promise.all([ask(path, options), ask(`${path}?format=report`, options)])
    return { text, report }
  }

  return {
    /** The result alone, as JSON. @param {string} id */
    json: id => ask(`/api/v1/results/${encodeURIComponent(id)}`),
    /** @param {string} id */
    result: id => both(`/api/v1/results/${encodeURIComponent(id)}`),
    /** Without a key. @param {string} token */
    shared: token => both(`/api/v1/shared/${encodeURIComponent(token)}`, { open: true }),
    /** @type {(id: string, kind: string) => Promise<Blob>} */
    picture: async (id, kind) => (await request(`/api/v1/results/${id}/screenshots/${kind}`)).blob(),
    /** Without a key. @type {(token: string, kind: string) => Promise<Blob>} */
    async sharedPicture(token, kind) {
      const path = `/api/v1/shared/${encodeURIComponent(token)}/screenshots/${kind}`
      return (await request(path, { open: true })).blob()
    },
    /** @type {(target: { domain: string | null, ip: string | null }) => Promise<HistoryPage>} */
    async history({ domain, ip }) {
      const target = domain === null ? `ip=${encodeURIComponent(ip ?? '')}` : `domain=${encodeURIComponent(domain)}`
      return JSON.parse(await ask(`/api/v1/history?${target}&limit=${LINES}`))
    },
    /** @type {(from: string, to: string) => Promise<readonly import('./changes.js').Change[]>} */
    async changes(from, to) {
      return JSON.parse(await ask(`/api/v1/compare?from=${from}&to=${to}`)).changes
    },
    /** @type {(id: string) => Promise<Related>} */
    related: async id => JSON.parse(await ask(`/api/v1/search/related?result=${id}`)),
    /** @type {(kind: string, value: string) => Promise<SearchPage>} */
    search: async (kind, value) => JSON.parse(await ask(`/api/v1/search?${kind}=${encodeURIComponent(value)}`)),
    /** @type {(id: string) => Promise<readonly Share[]>} */
    shares: async id => JSON.parse(await ask(`/api/v1/results/${id}/shares`)).shares,
    /** @type {(id: string) => Promise<CreatedShare>} */
    share: async id => JSON.parse(await ask(`/api/v1/results/${id}/shares`, { method: 'POST' })),
    /** @param {string} share */
    unshare: share => ask(`/api/v1/shares/${share}`, { method: 'DELETE' }),
  }
}
