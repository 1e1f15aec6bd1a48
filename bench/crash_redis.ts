// Several instances on one Redis under load, and a fault of either in each round. After every round, when all is well again:
// no answered request is uncounted, nothing but answers and requests cut in flight is counted, and no account got more answers
// than its quota and what an outage may cost.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readSettings } from '../src/config/config.ts'
import { OVERSHOOT } from '../src/config/schema.ts'
import { openKeys } from '../src/store/open_backend.ts'
import { insured_max } from '../src/store/redis/quota.ts'
import { startLabDns } from '../src/testing/lab_dns.ts'
import { ask } from './client.ts'
import { type DurableRedis, startDurableRedis } from './durable_redis.ts'
import { type Instance, type InstanceSettings, startInstance } from './instance.ts'
import { unlimited } from './service_settings.ts'

const domain = 'points-inside.lab'
const instances = 3
/** Clients of the account with a large quota, and of the one whose quota is used up in the round. */
const clients = { large: 16, small: 16 }
const plans = { large: { quota: 1_000_000_000, period: 'month' }, small: { quota: 200, period: 'month' } } as const
/** Milliseconds from the first answer to the fault at most, and from the end of the fault to that of the load. */
const load_ms = 400
/** Milliseconds that Redis does not answer at most: some beyond the time limit of a command, some beyond all retries. */
const halt_ms = 3_000

interface Fleet {
  readonly redis: DurableRedis
  readonly settings: readonly InstanceSettings[]
  readonly running: Instance[]
}

const anyOf = <Item>(items: readonly Item[]): number => Math.floor(Math.random() * items.length)

async function replace(fleet: Fleet, at: number, signal: NodeJS.Signals): Promise<void> {
  await fleet.running[at]?.kill(signal)
  fleet.running[at] = await startInstance(fleet.settings[at] as InstanceSettings)
}

/** The others cannot know what the killed instance answered in the outage, and may give its part once more before it is back. */
const killedInOutage = 'an instance is killed while Redis does not answer'

/** What is broken, in turn. Each resolves when everything runs again. */
const faults: Readonly<Record<string, (fleet: Fleet) => Promise<void>>> = {
  'an instance is killed': fleet => replace(fleet, anyOf(fleet.running), 'SIGKILL'),
  'Redis is killed and keeps its data': ({ redis }) => redis.restart(true),
  'Redis is killed and loses its data': ({ redis }) => redis.restart(false),
  'Redis does not answer for a while': ({ redis }) => redis.halt(Math.random() * halt_ms),
  'an instance reads its configuration again': async ({ running }) => {
    process.kill(running[anyOf(running)]?.pid ?? 0, 'SIGHUP')
  },
  'all instances are replaced in turn': async fleet => {
    for (const at of fleet.running.keys()) await replace(fleet, at, 'SIGTERM')
  },
  [killedInOutage]: async fleet => {
    const halted = fleet.redis.halt(halt_ms)
    await pause(Math.random() * halt_ms)
    await Promise.all([halted, replace(fleet, anyOf(fleet.running), 'SIGKILL')])
  },
}

interface Tally {
  delivered: number
  /** Requests without an answer, which may be counted. */
  cut: number
}

/** Resolves with the number of rounds after which something was wrong. */
export async function crashInstances(rounds: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-crash-'))
  const dns = await startLabDns({ zones: { [domain]: { A: ['10.0.0.5'] } } })
  const redis = await startDurableRedis(directory)
  const settings = Array.from({ length: instances }, (_, n) => ({
    directory: join(directory, `instance-${n}`),
    resolver: dns.address,
    config: { store: redis.url, plans, check: unlimited.check, metrics: { expose: 'service' } },
  }))
  const newKey = keysIn(redis.url, directory)
  const fleet: Fleet = { redis, settings, running: await Promise.all(settings.map(startInstance)) }
  let breaches = 0
  /** Rounds in which the small quota was used up. */
  let spent = 0
  try {
    const large = await newKey('large')
    const names = Object.keys(faults)
    const tally: Tally = { delivered: 0, cut: 0 }
    for (let round = 1; round <= rounds; round++) {
      const name = names[(round - 1) % names.length] as string
      const small = await newKey('small')
      const limited: Tally = { delivered: 0, cut: 0 }
      await loadAndBreak(
        fleet,
        [
          { key: large, clients: clients.large, tally },
          { key: small, clients: clients.small, tally: limited },
        ],
        faults[name],
      )
      await recovered(fleet)
      const used = { large: await usedBy(fleet, large), small: await usedBy(fleet, small) }
      const again = name === killedInOutage ? insured_max : 0
      const wrong = [
        ...wrongOf(used.large, tally, plans.large.quota),
        ...wrongOf(used.small, limited, plans.small.quota, again),
      ]
      if (wrong.length > 0) {
        breaches += 1
        process.stdout.write(`round ${round}, ${name}: ${wrong.join(', ')}\n`)
      }
      // It is now known whether the unanswered requests were counted.
      Object.assign(tally, { delivered: used.large, cut: 0 })
      if (used.small >= plans.small.quota) spent += 1
      if (round % 10 === 0) process.stdout.write(`${round} rounds, ${used.large} counted, ${breaches} breaches\n`)
    }
    process.stdout.write(
      `${rounds} faults under load, ${tally.delivered} counted, a quota used up in ${spent} rounds, ${breaches} breaches\n`,
    )
  } finally {
    await Promise.all(fleet.running.map(instance => instance.kill('SIGKILL')))
    await redis.end()
    await dns.close()
    rmSync(directory, { recursive: true })
  }
  return breaches
}

/** What is wrong about a count, in words. `again`: answers that the fault may cost beyond those of an outage. */
function wrongOf(used: number, { delivered, cut }: Tally, quota: number, again = 0): readonly string[] {
  // In an outage an instance does not know the answers that others have just reserved.
  const most = quota + Math.floor(quota * OVERSHOOT) + clients.small + again
  return [
    ...(used < delivered ? [`${delivered - used} of ${delivered} answers are not counted`] : []),
    ...(used > delivered + cut ? [`${used} counted, ${delivered} answered, ${cut} cut`] : []),
    ...(delivered > most ? [`${delivered} answered with a quota of ${quota}`] : []),
  ]
}

function keysIn(store: string, data: string): (plan: keyof typeof plans) => Promise<string> {
  const { config } = readSettings({ store, plans }, data, {}, { data })
  return async plan => {
    const { keys, close } = await openKeys(config, () => {})
    const { text } = await keys.create({ plan, label: 'crash' })
    await close()
    return text
  }
}

interface Load {
  readonly key: string
  readonly clients: number
  readonly tally: Tally
}

/** Answers other than these are a defect: the quota is used up, or not known because Redis is down. */
const expected = new Set([429, 503])

async function loadAndBreak(fleet: Fleet, loads: readonly Load[], fault: (typeof faults)[string] = async () => {}) {
  let over = false
  let begun: () => void = () => {}
  const first = new Promise<void>(resolve => {
    begun = resolve
  })
  const client = async ({ key, tally }: Load, number: number) => {
    for (let turn = number; !over; turn++) {
      const instance = fleet.running[turn % fleet.running.length]
      const { status } = await ask({ url: `${instance?.url}/api/v1/check?domain=${domain}`, key, once: true })
      if (status === 200) tally.delivered += 1
      else if (status === 0) tally.cut += 1
      else if (!expected.has(status)) throw new Error(`answered ${status}`)
      begun()
      // An instance that is not there is asked again and again otherwise.
      if (status !== 200) await pause(5)
    }
  }
  const running = loads.flatMap(load => Array.from({ length: load.clients }, (_, n) => client(load, n)))
  await first
  await pause(Math.random() * load_ms)
  await fault(fleet)
  await pause(Math.random() * load_ms)
  over = true
  await Promise.all(running)
}

/** Waits until every instance has found Redis again and reported what it owed. */
async function recovered({ running }: Fleet): Promise<void> {
  for (const { url } of running) {
    for (;;) {
      const [ready, metrics] = await Promise.all([textOf(`${url}/readyz`), textOf(`${url}/metrics`)])
      const [, owed] = /^assay_store_owed_batches (\d+)$/m.exec(metrics) ?? []
      if (owed === '0' && !ready.includes('redis-out')) break
      await pause(50)
    }
  }
}

const textOf = (url: string): Promise<string> =>
  fetch(url).then(
    response => response.text(),
    () => '',
  )

/** As Redis counts it. */
async function usedBy({ running }: Fleet, key: string): Promise<number> {
  for (;;) {
    const response = await fetch(`${running[0]?.url}/api/v1/usage`, { headers: { 'X-API-Key': key } }).catch(() => null)
    if (response?.status === 200) return ((await response.json()) as { used: number }).used
    await pause(50)
  }
}
