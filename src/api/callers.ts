// Who asks and what they may: the key in X-API-Key, its account's quota. Guessing learns nothing but "missing" or "invalid".
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import { parseKey } from '../store/api_key.ts'
import { type Allowance, type Grant, type Key, type Store, StoreError, type Usage } from '../store/store.ts'
import type { Burst } from './burst.ts'
import { addressBlock, createClientAddress } from './client_address.ts'
import { rateLimited } from './limits.ts'
import { Problem } from './problem.ts'
import type { Context } from './visit.ts'

export interface Callers {
  /** The request's key, noted in its visit. Rejects with a 401, 403 or 429, or with a StoreError. */
  authenticate(ctx: Context): Promise<Key>
  /** Sets one answer of the account aside. Rejects with a 429, or with a StoreError. */
  reserve(ctx: Context, key: Key): Promise<Grant>
  /** Notes the quota of whoever asks, if that can be told, so that a refusal shows it too. */
  account(ctx: Context): Promise<void>
}

export interface CallersOptions {
  readonly store: Pick<Store, 'keys' | 'quota'>
  /** By plan. */
  readonly plans: Readonly<Record<string, Allowance>>
  readonly clock: Clock
  /** Failed keys by the address they come from, and requests by key; unlimited when absent. */
  readonly bursts?: { readonly failures: Burst; readonly requests: Burst }
  /** Where a request comes from. */
  readonly addressOf?: (request: IncomingMessage) => string
}

const missing = () => new Problem('missing-api-key', undefined, { 'WWW-Authenticate': 'ApiKey' })
const invalid = () => new Problem('invalid-api-key')

const unlimited: Burst = { take: () => 0 }

/** Rejects with a 429 when a name goes on too fast. */
function limit(burst: Burst, name: string): void {
  const wait = burst.take(name)
  if (wait > 0) throw rateLimited(wait)
}

export function createCallers({ store, plans, clock, ...options }: CallersOptions): Callers {
  const { failures = unlimited, requests = unlimited } = options.bursts ?? {}
  const addressOf = options.addressOf ?? createClientAddress([])
  const allowances = new Map(Object.entries(plans))

  function allowanceOf({ plan }: Key): Allowance {
    const allowance = allowances.get(plan)
    if (allowance === undefined) throw new StoreError('quota_store_error', `no plan ${plan} is configured`)
    return allowance
  }

  /** A malformed key is refused without asking the store; two headers arrive joined by a comma and are malformed. */
  async function authenticate(ctx: Context): Promise<Key> {
    ctx.state.key = null
    const given = ctx.req.headers['x-api-key']
    if (given === undefined || given === '') throw missing()
    const hash = typeof given === 'string' ? parseKey(given) : null
    const key = hash === null ? null : await store.keys.find(hash)
    if (key === null) {
      limit(failures, addressBlock(addressOf(ctx.req)))
      throw invalid()
    }
    store.keys.touch(key.id)
    ctx.state.key = key
    limit(requests, key.id)
    return key
  }

  async function reserve(ctx: Context, key: Key): Promise<Grant> {
    const reserved = await store.quota.reserve(key.account, allowanceOf(key))
    if (reserved.allowed) return reserved
    ctx.state.usage = reserved.usage
    throw exceeded(reserved.usage, clock.now())
  }

  async function account(ctx: Context): Promise<void> {
    if (ctx.state.usage !== null || ctx.state.key === null) return
    const key = ctx.state.key ?? (await authenticate(ctx))
    ctx.state.usage = await store.quota.usage(key.account, allowanceOf(key))
  }

  return { authenticate, reserve, account }
}

function exceeded({ limit, reset }: Usage, now: number): Problem {
  const seconds = Math.max(1, Math.ceil(reset - now / 1000))
  return new Problem('quota-exceeded', `The ${limit} answers of this period are used up.`, {
    'Retry-After': `${seconds}`,
  })
}
