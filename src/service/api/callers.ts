// Authentication by X-API-Key or a bearer token, and the quota of the key's account. A guess reveals nothing but "missing" or "invalid".
import type { Clock } from '../../base/clock.ts'
import type { Allowance, Usage } from '../../config/quota_rule.ts'
import { parseKey } from '../../store/api_key.ts'
import type { Quota, Recording } from '../../store/sql/quota.ts'
import { type Key, type KeyStore, type Refusal, StoreError } from '../../store/store.ts'
import { addressBlock, createClientAddress, type Sender } from './client_address.ts'
import { type RateLimit, rateLimited } from './limits.ts'
import { Problem } from './problem.ts'
import type { Context } from './request_state.ts'

export type Callers = ReturnType<typeof createCallers>

export interface CallersOptions {
  readonly store: {
    readonly keys: Pick<KeyStore, 'find' | 'touch' | 'usageByDay'>
    readonly quota: Pick<Quota, 'usage' | 'refusal' | 'charge'>
  }
  /** By plan. */
  readonly plans: Readonly<Record<string, Allowance>>
  readonly clock: Clock
  /** Limits invalid keys by client address, and requests by key; unlimited when absent. */
  readonly bursts?: { readonly failures: RateLimit; readonly requests: RateLimit }
  /** The client's address. */
  readonly addressOf?: (request: Sender) => string
}

const missing = () => new Problem('missing-api-key', undefined, { 'WWW-Authenticate': 'ApiKey' })
const invalid = () => new Problem('invalid-api-key')

const unlimitedRate: RateLimit = { take: () => 0 }

/** A token of RFC 6750 section 2.1. Other schemes, such as that of a proxy, are none of ours. */
const BEARER = /^Bearer +([\x21-\x7e]+) *$/i

/** The key of a request as it was sent; undefined without one. Throws a 400 when there are two, of which one would be ignored. */
function sentKey({ req: { headers } }: Pick<Context, 'req'>): string | undefined {
  const header = headers['x-api-key']
  const [, bearer] = BEARER.exec(headers.authorization ?? '') ?? []
  if (header === undefined) return bearer
  if (bearer !== undefined)
    throw new Problem('invalid-request', 'Send the API key as X-API-Key or as Authorization: Bearer, not both.')
  return typeof header === 'string' ? header : header.join()
}

/** Rejects with a 429 when a name is over its limit. */
async function limit(burst: RateLimit, name: string): Promise<void> {
  const wait = await burst.take(name)
  if (wait > 0) throw rateLimited(wait)
}

export function createCallers({ store, plans, clock, ...options }: CallersOptions) {
  const { failures = unlimitedRate, requests = unlimitedRate } = options.bursts ?? {}
  const addressOf = options.addressOf ?? createClientAddress([])
  const allowances = new Map(Object.entries(plans))

  /** A plan may have been assigned under a configuration that this process has not loaded yet. It does not mean "unlimited". */
  function allowanceOf({ plan, account }: Key): Allowance {
    const allowance = allowances.get(plan)
    if (allowance !== undefined) return allowance
    const message = `the plan "${plan}" of ${account} is not in the configuration: add it and reload, or change the plan of the account`
    throw new StoreError('quota_store_error', message)
  }

  /** Counts a wrong guess, of a link as of a key. Throws or rejects with a 429 when its client made too many. */
  const guess = (ctx: Context) => limit(failures, addressBlock(addressOf(ctx.req)))

  const lastHashes = new WeakMap<Sender['socket'], { readonly text: string; readonly hash: string }>()

  /** The hash of a key; null when it is malformed. Clients send the same key in each request of a connection. */
  function hashOf(text: string, { socket }: Sender): string | null {
    const last = lastHashes.get(socket)
    if (last?.text === text) return last.hash
    const hash = parseKey(text)
    if (hash !== null) lastHashes.set(socket, { text, hash })
    return hash
  }

  /**
   * Resolves with the request's key and notes it in the request state. Rejects with a 401, 403 or 429, or with a StoreError. A malformed key is
   * refused without a look-up. Two X-API-Key headers arrive joined by a comma and are malformed.
   */
  async function authenticate(ctx: Context): Promise<Key> {
    ctx.state.key = null
    const sentText = sentKey(ctx)
    if (sentText === undefined || sentText === '') throw missing()
    const hash = hashOf(sentText, ctx.req)
    const key = hash === null ? null : await store.keys.find(hash)
    if (key === null) {
      await guess(ctx)
      throw invalid()
    }
    store.keys.touch(key.id)
    ctx.state.key = key
    await limit(requests, key.id)
    return key
  }

  /**
   * Throws a 429, after `onExcess` was called with the usage, if nothing is left by the last known use; or a StoreError. Costs
   * nothing; `charge` may refuse later.
   */
  function requireRoom(key: Key, onExcess?: (usage: Usage) => void): void {
    const refusal = store.quota.refusal(key.account, allowanceOf(key))
    if (refusal !== null) refuse(refusal, onExcess)
  }

  /**
   * Counts one answer of the account, or `price` answers, durably, with what `record` writes. Null when `record` resolved with false: then nothing is
   * counted. Rejects with a 429, after `onExcess` was called with the usage, or with a StoreError.
   */
  async function charge(
    key: Key,
    onExcess?: (usage: Usage) => void,
    record?: Recording,
    price = 1,
  ): Promise<Usage | null> {
    const chargeResult = await store.quota.charge(key.account, allowanceOf(key), record, price)
    return chargeResult !== null && 'allowed' in chargeResult ? refuse(chargeResult, onExcess) : chargeResult
  }

  function refuse({ usage }: Refusal, onExcess?: (usage: Usage) => void): never {
    onExcess?.(usage)
    throw quotaExceeded(usage, clock.now())
  }

  /** Notes the caller's quota if it is known, so that a refusal shows it too. */
  async function account(ctx: Context): Promise<void> {
    if (ctx.state.usage !== null || ctx.state.key === null) return
    const key = ctx.state.key ?? (await authenticate(ctx))
    ctx.state.usage = await store.quota.usage(key.account, allowanceOf(key))
  }

  return { authenticate, requireRoom, charge, account, guess }
}

function quotaExceeded({ limit, reset }: Usage, now: number): Problem {
  const seconds = Math.max(1, Math.ceil(reset - now / 1000))
  return new Problem('quota-exceeded', `All ${limit} answers of this period are used up.`, {
    'Retry-After': `${seconds}`,
  })
}
