// `assay keys usage`: what each account has used of its quota, and on which days.
import type { Config } from '../config/config.ts'
import { type PeriodKind, periodText } from '../config/quota_rule.ts'
import { type Key, type KeyStore, StoreError } from '../store/store.ts'
import { type DayCount, type ReadSpan, readSpan, spanText, totalOf } from '../store/usage_days.ts'
import { columns } from './columns.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { asking, type Service } from './server.ts'

export interface UsageCommandOptions {
  readonly by?: 'day'
  readonly from?: string
  readonly to?: string
}

export interface UsageSource {
  readonly store: KeyStore
  readonly plans: Config['plans']
}

/** Usage of an account in the current period. All null when the plan is not configured; `used` is, when the counter is damaged. */
export interface PeriodUsage {
  readonly used: number | null
  readonly remaining: number | null
  readonly quota: number | null
  readonly period: PeriodKind | null
  /** When used answers are available again. */
  readonly reset_at: string | null
}

interface AccountUsage extends PeriodUsage {
  readonly account: string
  readonly plan: string
}

interface UsageByDay {
  readonly from: string
  readonly to: string
  readonly accounts: readonly {
    readonly account: string
    readonly plan: string
    /** Null, as the days, when the counts are damaged. */
    readonly total: number | null
    readonly days: readonly DayCount[] | null
  }[]
}

/** Reads the usage of the account of each key. */
export async function readUsages(
  { store, plans }: UsageSource,
  keys: readonly Key[],
): Promise<(key: Key) => PeriodUsage> {
  const planOf = ({ plan }: Key) => (Object.hasOwn(plans, plan) ? plans[plan] : undefined)
  const allowances = keys.flatMap(key => {
    const plan = planOf(key)
    return plan === undefined ? [] : [[key.account, plan] as const]
  })
  const usages = await store.usages(new Map(allowances))
  return key => {
    const { quota, period } = planOf(key) ?? { quota: null, period: null }
    const { used = null, remaining = null, reset = null } = usages.get(key.account) ?? {}
    return { used, remaining, quota, period, reset_at: reset === null ? null : timeOf(reset) }
  }
}

/** Without the fraction of a second. */
const timeOf = (seconds: number): string => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`

export function usageText({ used, remaining, quota, period }: PeriodUsage): string {
  if (period === null) return 'plan not configured'
  return `${used ?? 'unknown'} of ${quota} ${periodText(period)}${remaining === null ? '' : `, ${remaining} left`}`
}

/** Throws a `CliError` for days that do not exist, before the store is opened. */
export function requireSpan({ by, from, to }: UsageCommandOptions): void {
  if (by === undefined && (from !== undefined || to !== undefined))
    throw new CliError(EXIT.usage, '--from and --to need --by day')
  spanOf({ from, to })
}

function spanOf({ from, to }: Pick<UsageCommandOptions, 'from' | 'to'>): Extract<ReadSpan, { ok: true }>['span'] {
  const reading = readSpan(from ?? null, to ?? null, Date.now())
  if (!reading.ok) throw new CliError(EXIT.usage, `--${reading.detail.replace(/\.$/, '')}`)
  return reading.span
}

/** What the service says about the account of the key. */
export async function servedUsage({ client: { api, body } }: Service, { by, from, to }: UsageCommandOptions) {
  const query = { ...(by && { by }), ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const usage = await asking(body(api.GET('/api/v1/usage', { params: { query } })))
  return { ...usage, period: usage.period as PeriodKind | null }
}

/** One key of each account; of the one account that `name` gives by its ID or the ID of a key, if given. */
async function holders(store: KeyStore, name: string | undefined): Promise<readonly Key[]> {
  const keys = await store.list()
  const accounts = new Map(keys.map(key => [key.account, key] as const))
  if (name === undefined) return [...accounts.values()]
  const holder = accounts.get(keys.find(({ id }) => id === name)?.account ?? name)
  if (holder === undefined) throw new StoreError('key_not_found', `no key and no account is named ${name}`)
  return [holder]
}

export async function accountUsages(source: UsageSource, name: string | undefined): Promise<readonly AccountUsage[]> {
  const keys = await holders(source.store, name)
  const usageOf = await readUsages(source, keys)
  return keys.map(key => ({ account: key.account, plan: key.plan, ...usageOf(key) }))
}

export function accountTable(accounts: readonly AccountUsage[]): string {
  if (accounts.length === 0) return 'No accounts.'
  return columns(
    accounts.map(one => [
      one.account,
      one.plan,
      usageText(one),
      one.reset_at === null ? '' : `next ${one.reset_at.slice(0, 16)}Z`,
    ]),
  )
}

export async function usageByDay(
  { store }: UsageSource,
  name: string | undefined,
  options: UsageCommandOptions,
): Promise<UsageByDay> {
  const span = spanOf(options)
  const keys = await holders(store, name)
  const usage = await store.usageByDay(
    keys.map(({ account }) => account),
    span,
  )
  const accounts = keys.map(({ account, plan }) => {
    const days = usage.get(account) ?? null
    return { account, plan, total: days && totalOf(days), days }
  })
  return { ...spanText(span), accounts }
}

export function dayTable({ from, to, accounts }: UsageByDay): string {
  const rows = accounts.flatMap(({ account, plan, days }) =>
    days === null
      ? [['unknown', account, plan, 'the counts are damaged']]
      : days.map(({ day, answers }) => [day, account, plan, `${answers}`]),
  )
  const total = accounts.reduce((sum, one) => sum + (one.total ?? 0), 0)
  const sum = `${total} ${total === 1 ? 'answer' : 'answers'} from ${from} to ${to} (UTC).`
  return rows.length === 0 ? sum : `${columns(rows.sort(byFirst))}\n${sum}`
}

const byFirst = ([a = '']: readonly string[], [b = '']: readonly string[]) => (a < b ? -1 : a > b ? 1 : 0)
