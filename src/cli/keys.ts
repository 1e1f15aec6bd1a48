// `assay keys`: issues and ends API keys; works beside a running service.
import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { didYouMean } from '../engine/fault.ts'
import { openKeys } from '../store/open_backend.ts'
import type { IssuedKey, Key, KeyStore } from '../store/store.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { configOption, dataOption, requireSound, type SharedOptions } from './options.ts'
import type { Output } from './output.ts'

interface KeyOptions extends SharedOptions {
  readonly plan: string
  readonly label: string
  readonly account?: string
  readonly expires?: string
  readonly json?: boolean
}

/** As JSON when that is asked for, else as text. */
type Print = <T>(options: { readonly json?: boolean }, value: T, text: (value: T) => string) => void

/** Its four subcommands. */
export function defineKeys(keys: Command, { out }: Output): void {
  const print: Print = ({ json }, value, text) => out(`${json ? JSON.stringify(value) : text(value)}\n`)
  const subcommand = (name: string, description: string) =>
    dataOption(configOption(keys.command(name).description(description))).option('--json', 'print JSON')

  subcommand('create', 'make a key; it is shown once')
    .requiredOption('--plan <plan>', 'a plan of the configuration, such as startup or business')
    .option('--label <text>', 'what it is for', '')
    .option('--account <id>', 'an existing account, to share its quota; a new one by default')
    .option('--expires <date>', 'ISO 8601 date when it ends by itself')
    .action((options: KeyOptions) => withKeys(options, keys => create(keys, options, print)))
  subcommand('list', 'all keys, ended ones too').action((options: KeyOptions) =>
    withKeys(options, async ({ store }) => print(options, await store.list(), keyTable)),
  )
  subcommand('rotate <id>', 'make a new key for the same account; the old one ends after the grace period').action(
    (id: string, options: KeyOptions) =>
      withKeys(options, async ({ store }) => print(options, issued(await store.rotate(id)), shown)),
  )
  subcommand('revoke <id>', 'end a key now').action((id: string, options: KeyOptions) =>
    withKeys(options, async ({ store }) => print(options, await store.revoke(id), ({ id }) => `Key ${id} is revoked.`)),
  )
}

interface OpenKeys {
  readonly store: KeyStore
  readonly plans: readonly string[]
}

async function withKeys(options: KeyOptions, act: (keys: OpenKeys) => Promise<void>): Promise<void> {
  const { config, faults } = readConfig(options, readEnvironment())
  requireSound(faults)
  const store = await openKeys(config)
  try {
    await act({ store: store.keys, plans: Object.keys(config.plans) })
  } finally {
    await store.close()
  }
}

/** Whoever lists keys has one on each line, and a terminal that does nothing else. */
const LABEL = /^[^\p{Cc}\p{Zl}\p{Zp}]{0,200}$/u

async function create({ store, plans }: OpenKeys, options: KeyOptions, print: Print): Promise<void> {
  const { plan, label, account } = options
  if (!plans.includes(plan)) {
    throw new CliError(EXIT.usage, `there is no plan "${plan}"${didYouMean(plan, plans)} (plans: ${plans.join(', ')})`)
  }
  if (!LABEL.test(label)) throw new CliError(EXIT.usage, 'a label is one line of at most 200 characters')
  const expires = options.expires === undefined ? undefined : dateOf(options.expires)
  print(options, issued(await store.create({ plan, label, account, expires })), shown)
}

/** A day, or a day and a time with its zone (RFC 3339): what says no zone would be another moment on another machine. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/

function dateOf(text: string): Date {
  const date = new Date(MOMENT.test(text) ? text : Number.NaN)
  if (Number.isNaN(date.getTime()) || !isDay(text.slice(0, 10))) {
    throw new CliError(EXIT.usage, `"${text}" is not an ISO 8601 date such as 2030-01-31 or 2030-01-31T12:00:00Z`)
  }
  if (date.getTime() <= Date.now()) throw new CliError(EXIT.usage, `"${text}" is past: such a key would open nothing`)
  return date
}

/** Whether the calendar has it: 31 February would be read as 3 March. */
const isDay = (text: string): boolean => new Date(text).toISOString().startsWith(text)

/** The text under `key`, its record beside it: `id`, `account`, `plan`, ... */
const issued = ({ key, text }: IssuedKey) => ({ key: text, ...key })

const shown = ({ key, id, plan, account }: ReturnType<typeof issued>) =>
  `${key}\n\nKey ${id}, plan ${plan}, account ${account}. It is not shown again.`

function keyTable(keys: readonly Key[]): string {
  if (keys.length === 0) return 'No keys.'
  const rows = keys.map(key => [
    key.id,
    `${key.display}…`,
    key.plan,
    state(key),
    key.created.toISOString().slice(0, 10),
    key.last_used?.toISOString().slice(0, 10) ?? 'never used',
    key.label,
  ])
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map(row => row[i]?.length ?? 0))) ?? []
  return rows
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function state({ revoked, expires }: Key): string {
  if (revoked) return 'revoked'
  if (!expires) return 'valid'
  return `${expires.getTime() <= Date.now() ? 'expired' : 'until'} ${expires.toISOString().slice(0, 16)}Z`
}
