// `assay watch`: adds, lists, tests and removes watches in the store. Works beside a running service, which runs them.
import { createReadStream } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { didYouMean } from '../base/fault.ts'
import { unreadable } from '../base/files.ts'
import { version } from '../base/package_root.ts'
import { type Config, readConfig } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { ehloName } from '../evidence/mail_servers/converse.ts'
import { createNetwork } from '../network/create_network.ts'
import { createFetch, userAgent } from '../network/fetch.ts'
import { createGuard } from '../network/guard.ts'
import { readInput } from '../results/bulk/lines.ts'
import { testDelivery } from '../service/watch/check.ts'
import { deliver } from '../service/watch/deliver.ts'
import { createWatchMail, type WatchMail } from '../service/watch/mail.ts'
import { MATTERS } from '../service/watch/matters.ts'
import { newWatch, type ShownDelivery, shownDelivery, shownWatch } from '../service/watch/terms.ts'
import { ANSWER_MS, createWebhooks, type Webhooks } from '../service/watch/webhook.ts'
import { openKeys, openWatches } from '../store/open_backend.ts'
import { isActive } from '../store/sql/keys.ts'
import type { Watches } from '../store/sql/watches.ts'
import type { Key } from '../store/store.ts'
import { type Delivery, FORMATS, type Watch } from '../store/watches.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { configOption, dataOption, requireSound, type SharedOptions } from './options.ts'
import type { Output } from './output.ts'
import { asking, type Service, serverOptions, serviceOf } from './server.ts'
import { type AddedWatch, addedText, deliveredText, deliveryTable, type OwnedWatch, watchTable } from './watch_text.ts'

interface WatchOptions extends SharedOptions {
  readonly account?: string
  readonly every?: string
  readonly notify?: string
  readonly format?: string
  readonly file?: string
  readonly lookalikes?: boolean
  readonly digest?: boolean
  readonly until?: string
  readonly json?: boolean
}

const MINUTE_MS = 60_000
/** Deliveries in a list. */
const DELIVERIES = 100
/** Milliseconds between two looks at a delivery that a running service has taken over. */
const LOOK_MS = 200

const HELP = `
Examples:
  assay watch add example.com --every 6h --notify https://hooks.example.com/assay
  assay watch add example.com --notify https://hooks.slack.com/services/… --format slack
  assay watch add --file names.txt --lookalikes --digest --notify https://ntfy.sh/my-topic --format ntfy
  assay watch add example.com --digest --notify mailto:alerts@example.com
  assay watch silence watch_gB4rrqflnAjESjXh address --until 2027-01-31
  assay watch test watch_gB4rrqflnAjESjXh

The watches are in the store of the configuration; a running service checks them, and notices new ones within a minute. Tests and
replays are sent from here, to the same receivers as a service may contact. With --server, they are those of the account of the
key, and the service sends. docs/watch.md explains what they report, and how to
verify webhooks.`

/** Its seven subcommands. */
export function defineWatch(watch: Command, { out, err }: Output): void {
  watch.addHelpText('after', pasteable(HELP))
  const subcommand = (name: string, description: string) =>
    serverOptions(dataOption(configOption(watch.command(name).description(description)))).option(
      '-j, --json',
      'print JSON',
    )
  const print = <T>({ json }: WatchOptions, value: T, text: (value: T) => string) =>
    out(`${json ? JSON.stringify(value) : text(value)}\n`)

  subcommand(
    'add [targets...]',
    'watch domain names and IP addresses; the secret that signs the webhooks of each is shown only once',
  )
    .option('--file <file>', 'watch every target in the file, one a line; - reads standard input')
    .requiredOption('--notify <url>', 'the https URL that receives the webhooks, or mailto: and an address')
    .option('--every <interval>', 'between two checks, such as 90m, 6h or 1d; 6h by default')
    .option(
      '--format <format>',
      `${FORMATS.slice(0, -1).join(', ')} or ${FORMATS.at(-1)}; json, or email of an address, by default`,
    )
    .option('--lookalikes', 'also report new names that imitate a domain name')
    .option('--digest', 'collect the changes, and send them once a day')
    .option('--account <id>', 'the account that it belongs to and counts against; needed when there are several')
    .action(async (targets: readonly string[], options: WatchOptions) => {
      const all = await targetsOf(targets, options)
      await withWatches(options, err, async watches => {
        const addedWatches = await watches.add(all)
        const [one] = addedWatches
        if (addedWatches.length === 1 && one !== undefined) print(options, one, addedText)
        else print(options, addedWatches, many => many.map(addedText).join('\n\n'))
      })
    })
  subcommand('silence <id> <matter>', 'report a matter of a watch no more until a day; without a day, report it again')
    .option('--until <day>', 'the day, in UTC, such as 2027-01-31')
    .action((id: string, matter: string, options: WatchOptions) =>
      withWatches(options, err, async watches => {
        const until = readUntil(options)
        print(options, await watches.silence(id, matter, until), () =>
          until === null ? `${matter} is reported again.` : `${matter} is not reported until ${until}.`,
        )
      }),
    )
  subcommand('list', 'list the watches of all accounts, with their last results')
    .option('--account <id>', 'only watches of this account')
    .action((options: WatchOptions) =>
      withWatches(options, err, async watches => print(options, await watches.list(), watchTable)),
    )
  subcommand('remove <id>', 'remove a watch, and its events that are not delivered yet').action(
    (id: string, options: WatchOptions) =>
      withWatches(options, err, async watches => {
        await watches.remove(id)
        print(options, { watch_id: id, removed: true }, () => `Watch ${id} is removed.`)
      }),
  )
  subcommand('test <id>', 'send a test event to the receiver of a watch, and show what it answers').action(
    (id: string, options: WatchOptions) =>
      withWatches(options, err, async watches => print(options, await watches.test(id), deliveredText)),
  )
  subcommand('deliveries <id>', 'list the events of a watch, latest first').action(
    (id: string, options: WatchOptions) =>
      withWatches(options, err, async watches => print(options, await watches.deliveries(id), deliveryTable)),
  )
  subcommand('replay <id> <delivery>', 'send an event of a watch again, and show what the receiver answers').action(
    (id: string, delivery: string, options: WatchOptions) =>
      withWatches(options, err, async watches => print(options, await watches.replay(id, delivery), deliveredText)),
  )
}

/** What the subcommands do, on a service or in the store of this machine. Each ends the command when it is refused. */
interface WatchActions {
  add(targets: readonly string[]): Promise<readonly AddedWatch[]>
  silence(id: string, matter: string, until: string | null): Promise<OwnedWatch>
  list(): Promise<readonly OwnedWatch[]>
  remove(id: string): Promise<void>
  /** Resolves when the receiver has accepted the event. */
  test(id: string): Promise<ShownDelivery>
  deliveries(id: string): Promise<readonly ShownDelivery[]>
  /** Resolves when the receiver has accepted the event. */
  replay(id: string, delivery: string): Promise<ShownDelivery>
}

async function targetsOf(targets: readonly string[], { file }: WatchOptions): Promise<readonly string[]> {
  if (file === undefined && targets.length > 0) return targets
  if (file === undefined) throw new CliError(EXIT.usage, 'give targets or --file')
  if (targets.length > 0) throw new CliError(EXIT.usage, 'give targets or --file, not both')
  const lines: string[] = []
  try {
    const stream = file === '-' ? process.stdin : createReadStream(file)
    for await (const { text } of readInput(stream, new AbortController().signal)) lines.push(text)
  } catch (error) {
    throw new CliError(EXIT.usage, `${file}: ${unreadable(error)}`)
  }
  if (lines.length === 0) throw new CliError(EXIT.usage, `${file} has no targets`)
  return lines
}

/** The beginning of a day, as the API takes it; null without one. */
function readUntil({ until }: WatchOptions): string | null {
  if (until === undefined) return null
  const at = `${until}T00:00:00Z`
  if (!/^\d{4}-\d{2}-\d{2}$/.test(until) || Number.isNaN(Date.parse(at)))
    throw new CliError(EXIT.usage, `--until: "${until}" is not a day such as 2027-01-31`)
  return at
}

function withWatches(
  options: WatchOptions,
  err: Output['err'],
  act: (watches: WatchActions) => Promise<void>,
): Promise<void> {
  const service = serviceOf(options)
  if (service !== null) return asking(act(servedWatches(service, options)))
  return withOpened(options, err, openWatches => act(storedWatches(openWatches, options)))
}

function servedWatches({ client: { api, body } }: Service, options: WatchOptions): WatchActions {
  const { every, notify = '', format, lookalikes, digest } = options
  const terms = {
    notify,
    ...(every !== undefined && { every }),
    ...(format !== undefined && { format }),
    ...(lookalikes && { lookalikes }),
    ...(digest && { digest }),
  }
  const at = (id: string) => ({ params: { path: { id } } })
  const deliveries = async (id: string) =>
    (await body(api.GET('/api/v1/watches/{id}/deliveries', at(id)))).deliveries as readonly ShownDelivery[]

  /** The service sends on its own; resolves when it did. */
  async function waitForAcceptance(id: string, delivery: ShownDelivery): Promise<ShownDelivery> {
    const end = systemClock.monotonic() + ANSWER_MS
    for (;;) {
      const now = (await deliveries(id)).find(({ delivery_id }) => delivery_id === delivery.delivery_id) ?? delivery
      if (now.state === 'delivered') return now
      const isOver = now.last_attempt !== null && now.last_attempt.at !== delivery.last_attempt?.at
      if (isOver || systemClock.monotonic() > end)
        throw new CliError(EXIT.temporary, notAccepted(now.last_attempt?.failure, now.delivery_id))
      await pause(LOOK_MS)
    }
  }

  return {
    async add(targets) {
      const [target = ''] = targets
      if (targets.length === 1)
        return [await body(api.POST('/api/v1/watches', { body: { target, ...terms } as never }))]
      return (await body(api.POST('/api/v1/watches/many', { body: { targets, ...terms } as never }))).watches
    },
    silence: (id, matter, until) =>
      body(api.POST('/api/v1/watches/{id}/silences', { ...at(id), body: { matter, until } as never })),
    list: async () => (await body(api.GET('/api/v1/watches'))).watches,
    async remove(id) {
      await body(api.DELETE('/api/v1/watches/{id}', at(id)))
    },
    test: async id =>
      waitForAcceptance(id, (await body(api.POST('/api/v1/watches/{id}/test', at(id)))) as ShownDelivery),
    deliveries,
    async replay(id, delivery) {
      const path = { id, delivery }
      const answer = await body(api.POST('/api/v1/watches/{id}/deliveries/{delivery}/replay', { params: { path } }))
      return waitForAcceptance(id, answer as ShownDelivery)
    },
  }
}

function storedWatches(openWatches: OpenWatches, options: WatchOptions): WatchActions {
  const { store } = openWatches
  return {
    async add(targets) {
      const addedWatches: AddedWatch[] = []
      for (const target of targets) addedWatches.push(await add(target, options, openWatches))
      return addedWatches
    },
    async silence(id, matter, until) {
      const { account } = await requireWatch(store, id)
      const name = MATTERS.find(one => one === matter)
      if (name === undefined)
        throw new CliError(EXIT.usage, `"${matter}" is not one of ${MATTERS.join(', ')}${didYouMean(matter, MATTERS)}`)
      await store.silence(id, name, until === null ? null : Date.parse(until))
      return { ...shownWatch(await requireWatch(store, id)), account }
    },
    list: () => list(options, openWatches),
    async remove(id) {
      const { account } = await requireWatch(store, id)
      await store.remove(account, id)
    },
    async test(id) {
      const delivery = testDelivery(await requireWatch(store, id), systemClock.now())
      await store.enqueue(delivery)
      return sendNow(delivery, openWatches)
    },
    async deliveries(id) {
      await requireWatch(store, id)
      return (await store.deliveries(id, DELIVERIES)).map(shownDelivery)
    },
    async replay(id, delivery) {
      await requireWatch(store, id)
      const before = await store.delivery(delivery)
      if (before?.watch !== id) throw new CliError(EXIT.usage, `watch ${id} has no delivery ${delivery}`)
      await store.replay(delivery, systemClock.now())
      return sendNow((await store.delivery(delivery)) ?? before, openWatches)
    },
  }
}

const notAccepted = (failure: string | null | undefined, delivery: string): string =>
  `not accepted: ${failure ?? 'no answer yet'} (delivery ${delivery})`

interface OpenWatches {
  readonly config: Config
  readonly store: Watches
  readonly keys: () => Promise<readonly Key[]>
  readonly webhooks: Webhooks
  readonly mail: WatchMail
}

async function withOpened(
  options: WatchOptions,
  err: Output['err'],
  act: (openWatches: OpenWatches) => Promise<void>,
): Promise<void> {
  const environment = readEnvironment()
  const { config, faults } = readConfig(options, environment)
  requireSound(faults)
  if (config.watch.per_account === 0)
    throw new CliError(EXIT.usage, 'watches are disabled: `watch.per_account` is 0 in the configuration')
  const { unsafe_allow, deny, url_ports, resolvers, limits, unsafe_limits, contact } = config.network
  const network = createNetwork({
    resolvers,
    guard: createGuard({ allow: unsafe_allow, deny, url_ports }),
    limits: { ...limits, ...unsafe_limits },
    fetch: createFetch({ user_agent: userAgent(version, contact), extra_roots: environment.extra_roots }),
  })
  const event = (_level: string, event: Readonly<Record<string, unknown>>) => err(`assay: ${JSON.stringify(event)}\n`)
  const store = await openWatches(config, event)
  try {
    const keys = async () => {
      const keysStore = await openKeys(config)
      try {
        return await keysStore.keys.list()
      } finally {
        await keysStore.close()
      }
    }
    const webhooks = createWebhooks({ ...config.network, ...config.watch }, network.open)
    const name = ehloName(contact)
    const mail = createWatchMail(config.watch.mail, { name, extra_roots: environment.extra_roots })
    await act({ config, store, keys, webhooks, mail })
  } finally {
    await store.close()
    await network.close()
  }
}

async function add(
  target: string,
  options: WatchOptions,
  { config, store, keys, webhooks, mail }: OpenWatches,
): Promise<AddedWatch> {
  const { account, id: key } = ownerOf(await keys(), options.account)
  const { every, notify = '', format, lookalikes, digest } = options
  const { unsafe_allow, deny, url_ports } = config.network
  const { test_targets } = config.check
  const creation = newWatch(
    { target, every, notify, format, lookalikes, digest },
    { account, key },
    {
      vetting: createGuard({ allow: unsafe_allow, deny, url_ports, test_targets }),
      webhooks,
      mail,
      least_ms: config.watch.least_minutes * MINUTE_MS,
      now: systemClock.now(),
    },
  )
  if (!creation.ok) throw new CliError(EXIT.usage, creation.fault)
  const most = config.watch.per_account
  if (!(await store.add(creation.watch, most)))
    throw new CliError(EXIT.usage, `account ${account} has ${most} watches, which is the limit (watch.per_account)`)
  return { ...shownWatch(creation.watch), account, secret: creation.watch.secret }
}

/** The newest valid key of the account, or of the only account that has one. */
function ownerOf(keys: readonly Key[], account: string | undefined): Key {
  const valid = keys.filter(key => isActive(key, systemClock.now()))
  const accounts = [...new Set(valid.map(key => key.account))]
  if (account === undefined && accounts.length > 1)
    throw new CliError(
      EXIT.usage,
      `--account is missing (accounts with a valid key: ${accounts.slice(0, 20).join(', ')})`,
    )
  const owner = valid.findLast(key => account === undefined || key.account === account)
  if (owner !== undefined) return owner
  const whose = account === undefined ? 'there is no valid key' : `account ${account} has no valid key`
  throw new CliError(EXIT.usage, pasteable(`${whose}; create one: \`assay keys create --plan PLAN\``))
}

async function list({ account }: WatchOptions, { store, keys }: OpenWatches): Promise<readonly OwnedWatch[]> {
  const accounts = account === undefined ? [...new Set((await keys()).map(key => key.account))] : [account]
  const watches = await Promise.all(accounts.map(store.list))
  return watches.flat().map(watch => ({ ...shownWatch(watch), account: watch.account }))
}

async function requireWatch(store: Watches, id: string): Promise<Watch> {
  const watch = await store.get(id)
  if (watch === null) throw new CliError(EXIT.usage, `watch ${id} does not exist`)
  return watch
}

/** Resolves when the receiver has accepted the event; a running service may have sent it first. */
async function sendNow(delivery: Delivery, { store, webhooks, mail }: OpenWatches): Promise<ShownDelivery> {
  const { signal } = new AbortController()
  await deliver({ store, webhooks, mail, clock: systemClock }, delivery, signal)
  const end = systemClock.monotonic() + ANSWER_MS
  for (;;) {
    const now = await store.delivery(delivery.id)
    if (now === null) throw new CliError(EXIT.usage, `watch ${delivery.watch} was removed`)
    if (now.state === 'delivered') return shownDelivery(now)
    const isOver = now.last !== null && now.last.at !== delivery.last?.at
    if (isOver || systemClock.monotonic() > end)
      throw new CliError(EXIT.temporary, notAccepted(now.last?.failure, now.id))
    await pause(LOOK_MS)
  }
}
