// `assay keys`: creates, lists, rotates and revokes API keys, and shows what is used. Works beside a running service.
import { type Command, Option } from 'commander'
import { didYouMean } from '../base/fault.ts'
import { type Config, readConfig } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { openKeys } from '../store/open_backend.ts'
import { type IssuedKey, type Key, type KeyStore, type PlanChange, StoreError } from '../store/store.ts'
import { columns } from './columns.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import {
  accountTable,
  accountUsages,
  dayTable,
  type PeriodUsage,
  readUsages,
  requireSpan,
  servedUsage,
  type UsageCommandOptions,
  type UsageSource,
  usageByDay,
  usageText,
} from './keys_usage.ts'
import { configOption, dataOption, requireSound, type SharedOptions } from './options.ts'
import type { Output } from './output.ts'
import { type Service, serverOptions, serviceOf } from './server.ts'

interface KeyCommandOptions extends SharedOptions, UsageCommandOptions {
  readonly plan?: string
  readonly label: string
  readonly account?: string
  readonly expires?: string
  readonly json?: boolean
}

/** Prints JSON with `--json`, else text. */
type Print = <T>(options: { readonly json?: boolean }, value: T, text: (value: T) => string) => void

/** Its six subcommands. */
export function defineKeys(keys: Command, { out }: Output): void {
  const print: Print = ({ json }, value, text) => out(`${json ? JSON.stringify(value) : text(value)}\n`)
  const subcommand = (name: string, description: string) =>
    dataOption(configOption(keys.command(name).description(description))).option('-j, --json', 'print JSON')

  subcommand('create', 'create a key; it is shown only once')
    .option('--plan <plan>', 'a plan of the configuration, such as startup; with --account, the plan of the account')
    .option('--label <text>', 'what it is for', '')
    .option('--account <id>', 'an existing account, to share its plan and quota; a new one by default')
    .option('--expires <date>', 'ISO 8601 date when the key expires')
    .action((options: KeyCommandOptions) =>
      withKeys(
        options,
        ({ store }) => create(store, options, print),
        plans => requireOrder(options, plans),
        true,
      ),
    )
  subcommand(
    'list',
    'list all keys, including expired and revoked ones, with the plan and the usage of their account',
  ).action((options: KeyCommandOptions) => withKeys(options, async keys => print(options, await list(keys), keyTable)))
  serverOptions(
    subcommand(
      'usage [name]',
      'show what each account has used; of one account by its ID or the ID of one of its keys',
    ),
  )
    .addOption(new Option('--by <unit>', 'show the answers of each day (UTC)').choices(['day']))
    .option('--from <day>', 'the first day, such as 2026-11-01; 30 days before the last by default')
    .option('--to <day>', 'the last day; today by default')
    .action(async (name: string | undefined, options: KeyCommandOptions) => {
      const service = serviceOf(options)
      if (service !== null) return printServedUsage(service, name, options, print)
      return withKeys(
        options,
        async source =>
          options.by === 'day'
            ? print(options, await usageByDay(source, name, options), dayTable)
            : print(options, await accountUsages(source, name), accountTable),
        () => requireSpan(options),
      )
    })
  subcommand('plan <account> <plan>', 'change the plan of an account and all its keys').action(
    (account: string, plan: string, options: KeyCommandOptions) =>
      withKeys(
        options,
        async ({ store }) => print(options, await store.changePlan(account, plan), planChanged),
        plans => requirePlan(plan, plans),
      ),
  )
  subcommand('rotate <id>', 'create a new key for the same account; the old one expires after the grace period').action(
    (id: string, options: KeyCommandOptions) =>
      withKeys(options, async ({ store }) => print(options, issuedKey(await store.rotate(id)), keyText)),
  )
  subcommand('revoke <id>', 'revoke a key now').action((id: string, options: KeyCommandOptions) =>
    withKeys(options, async ({ store }) => print(options, await store.revoke(id), ({ id }) => `Key ${id} is revoked.`)),
  )
}

/** A service shows the usage of the account of the key alone. */
async function printServedUsage(service: Service, name: string | undefined, options: KeyCommandOptions, print: Print) {
  if (name !== undefined)
    throw new CliError(EXIT.usage, 'a service shows only the usage of your own account: omit the ID')
  requireSpan(options)
  const { by, from, to } = options
  const { account, plan, period, limit, used, remaining, reset_at, by_day } = await servedUsage(service, {
    by,
    from,
    to,
  })
  if (by_day !== undefined) {
    const { total, days } = by_day
    return print(options, { from: by_day.from, to: by_day.to, accounts: [{ account, plan, total, days }] }, dayTable)
  }
  return print(options, [{ account, plan, used, remaining, quota: limit, period, reset_at }], accountTable)
}

async function withKeys(
  options: KeyCommandOptions,
  act: (keys: UsageSource) => Promise<void>,
  check: (plans: Config['plans']) => void = () => {},
  create = false,
): Promise<void> {
  const { config, faults } = readConfig(options, readEnvironment())
  requireSound(faults)
  // Before the store is opened, which may create it.
  check(config.plans)
  const store = await openKeys(config, { create })
  try {
    await act({ store: store.keys, plans: config.plans })
  } finally {
    await store.close()
  }
}

/** One line without control characters, so that `keys list` prints one key per line. */
const LABEL = /^[^\p{Cc}\p{Zl}\p{Zp}]{0,200}$/u

function requireOrder({ plan, label, account, expires }: KeyCommandOptions, plans: Config['plans']): void {
  if (plan !== undefined) requirePlan(plan, plans)
  else if (account === undefined)
    throw new CliError(EXIT.usage, `--plan is missing (plans: ${Object.keys(plans).join(', ')})`)
  if (!LABEL.test(label)) throw new CliError(EXIT.usage, '--label must be one line of at most 200 characters')
  if (expires !== undefined) dateOf(expires)
}

async function create(store: KeyStore, options: KeyCommandOptions, print: Print): Promise<void> {
  const { plan = '', label, account } = options
  const expires = options.expires === undefined ? undefined : dateOf(options.expires)
  const order = account === undefined ? { plan } : { account, plan: options.plan }
  const key = await store.create({ label, expires, ...order }).catch((error: unknown) => {
    throw explainDifference(error, account, plan)
  })
  print(options, issuedKey(key), keyText)
}

function requirePlan(plan: string, plans: Config['plans']): void {
  const names = Object.keys(plans)
  if (names.includes(plan)) return
  throw new CliError(EXIT.usage, `unknown plan "${plan}"${didYouMean(plan, names)} (plans: ${names.join(', ')})`)
}

const planChanged = ({ account, plan, before }: PlanChange): string =>
  plan === before
    ? `Account ${account} already has plan ${plan}.`
    : `Account ${account} now has plan ${plan} instead of ${before}. Its usage in this period is kept.`

/** What an upgrade of the store decided, as text. */

/** Adds how to do what was probably intended. */
function explainDifference(error: unknown, account: string | undefined, plan: string): unknown {
  if (!(error instanceof StoreError) || error.code !== 'plan_differs') return error
  const advice = pasteable(
    `Omit --plan, or change the plan of the whole account: \`assay keys plan ${account} ${plan}\``,
  )
  return new CliError(EXIT.usage, `${error.message}. ${advice}`)
}

/** A day, or a day and a time with its zone (RFC 3339): a time without a zone would mean another moment on another machine. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/

function dateOf(text: string): Date {
  const date = new Date(MOMENT.test(text) ? text : Number.NaN)
  if (Number.isNaN(date.getTime()) || !isDay(text.slice(0, 10))) {
    throw new CliError(EXIT.usage, `"${text}" is not an ISO 8601 date such as 2030-01-31 or 2030-01-31T12:00:00Z`)
  }
  if (date.getTime() <= Date.now()) throw new CliError(EXIT.usage, `"${text}" is in the past`)
  return date
}

/** Whether the day exists: JavaScript reads 31 February as 3 March. */
const isDay = (text: string): boolean => new Date(text).toISOString().startsWith(text)

/** The text under `key`, its record beside it: `id`, `account`, `plan`, ... */
const issuedKey = ({ key, text }: IssuedKey) => ({ key: text, ...key })

const keyText = ({ key, id, plan, account }: ReturnType<typeof issuedKey>) =>
  `${key}\n\nKey ${id}, plan ${plan}, account ${account}. It is not shown again.`

type ListedKey = Key & PeriodUsage

async function list(source: UsageSource): Promise<readonly ListedKey[]> {
  const keys = await source.store.list()
  const usageOf = await readUsages(source, keys)
  return keys.map(key => ({ ...key, ...usageOf(key) }))
}

function keyTable(keys: readonly ListedKey[]): string {
  if (keys.length === 0) return 'No keys.'
  const rows = keys.map(key => [
    key.id,
    `${key.display}…`,
    key.account,
    key.plan,
    usageText(key),
    state(key),
    key.created.toISOString().slice(0, 10),
    key.last_used?.toISOString().slice(0, 10) ?? 'never used',
    key.label,
  ])
  return columns(rows)
}

function state({ revoked, expires }: Key): string {
  if (revoked) return 'revoked'
  if (!expires) return 'valid'
  return `${expires.getTime() <= Date.now() ? 'expired' : 'until'} ${expires.toISOString().slice(0, 16)}Z`
}
