// `assay serve --workers 2` as operators run it: what the workers share, and what becomes of one that is killed.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { builtInPlugins } from '../../../plugins/index.ts'
import { assay } from '../../cli/assay.ts'
import { firstKey, operatorUrl, type Served, serve } from '../../cli/served.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

const WAITING = resolve(import.meta.dirname, '../../fixtures/plugins/waiting.js')
/** Milliseconds for what happens by itself, such as the start of a process on a busy machine. */
const SOON_MS = 120_000

const directory = temporaryDirectory()
const config = join(directory, 'config.json')
/** No built-in plugin, hence no network. */
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))
const settings = {
  server: { port: 0, drain_delay_ms: 0, workers: 2 },
  data: 'data',
  network: { resolvers: ['127.0.0.1:9'] },
  downloads: { enabled: false },
  green_hosting: { enabled: false },
  check: { per_key: 30, per_key_per_second: 1_000_000, per_domain_per_second: 1_000 },
  metrics: { port: 0, by_key: true },
  plans: {
    startup: { quota: 100_000, period: 'month' },
    exact: { quota: 60, period: 'month' },
    single: { quota: 1, period: 'month' },
  },
  plugins: off,
  load: [WAITING],
}

let service: Served
let url: string
let key: string
before(async () => {
  writeFileSync(config, JSON.stringify(settings))
  service = serve(['--config', config])
  url = await service.url
  key = firstKey(service) ?? ''
})
after(() => service.signal('SIGKILL'))

interface Answer {
  /** 0 when the connection closed first. */
  readonly status: number
  readonly used: number
  readonly limit: string | string[] | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** One request; on a connection of its own unless an agent is given. */
function get(path: string, { as = key, agent }: { as?: string; agent?: Agent } = {}): Promise<Answer> {
  return new Promise(done => {
    const lost = () => done({ status: 0, used: Number.NaN, limit: undefined, body: {} })
    const headers = { 'X-API-Key': as }
    const sent = request(`${url}${path}`, { agent: agent ?? false, headers }, async (response: IncomingMessage) => {
      let text = ''
      try {
        for await (const chunk of response) text += chunk
      } catch {
        return lost()
      }
      const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = response.headers
      const body = text.startsWith('{') ? JSON.parse(text) : { text }
      done({ status: response.statusCode ?? 0, used: Number(limit) - Number(remaining), limit, body })
    })
    sent.on('error', lost)
    sent.end()
  })
}

const check = (name: string, options?: Parameters<typeof get>[1]) => get(`/api/v1/check?domain=${name}`, options)

/** Asks until the answer is as wanted. */
async function until<T>(ask: () => Promise<T> | T, isWanted: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + SOON_MS
  for (;;) {
    const answer = await ask()
    if (isWanted(answer) || performance.now() > end) return answer
    await pause(20)
  }
}

const children = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

async function newKey(plan: string): Promise<string> {
  const { out } = await assay('keys', 'create', '--json', '--plan', plan, '--config', config)
  return (JSON.parse(out) as { key: string }).key
}

const metrics = async (): Promise<string> => (await fetch(`${await operatorUrl(service)}/metrics`)).text()

const figureIn = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find(line => line.startsWith(`${series} `))
      ?.slice(series.length),
  )

const statuses = (answers: readonly Answer[], status: number) => answers.filter(one => one.status === status).length

const standing = async () => (await get('/readyz')).body['workers'] as { ready: number; replaced: number }

/** Checks that the tests before have had answered. */
const ANSWERED = 60 + 26 + 30 + 4

describe('two workers on one port', { timeout: 900_000 }, () => {
  it('give exactly the answers of a quota, and see a key that the command line created', async () => {
    const exact = await newKey('exact')
    const ask = (n: number) => check(`name-${n % 4}.com`, { as: exact })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => ask(n)))
    assert.deepEqual([statuses(answers, 200), statuses(answers, 429)], [60, 140])
    const used = answers.filter(({ status }) => status === 200).map(({ used }) => used)
    assert.deepEqual(
      used.sort((a, b) => a - b),
      Array.from({ length: 60 }, (_, n) => n + 1),
    )
  })

  it('share one check of a name, and the result', async () => {
    const before = figureIn(await metrics(), 'assay_checks_total{outcome="complete"}') || 0
    const answers = await Promise.all(Array.from({ length: 20 }, () => check('held-500-shared.com')))
    assert.equal(statuses(answers, 200), 20)
    const again = await Promise.all(Array.from({ length: 6 }, () => check('held-500-shared.com')))
    assert.ok(again.every(({ body }) => body['cached'] === true))
    assert.equal(figureIn(await metrics(), 'assay_checks_total{outcome="complete"}') - before, 1)
  })

  it('count the running checks of a key and of a domain together', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `held-1000-many-${n}.com`)
    const answers = await Promise.all(names.map(name => check(name)))
    const codes = answers.map(({ body }) => body['code'] ?? 'answered')
    assert.deepEqual([statuses(answers, 200), statuses(answers, 503)], [30, 10], `${codes}`)
    const below = Promise.all(Array.from({ length: 4 }, (_, n) => check(`held-1000-${n}.polite.com`)))
    const figures = (text: string) =>
      ['assay_queue_waiting{resource="target"}', 'assay_queue_running{resource="slot"}'].map(name =>
        figureIn(text, name),
      )
    const text = await until(metrics, text => isDeepStrictEqual(figures(text), [2, 2]))
    assert.deepEqual(figures(text), [2, 2])
    assert.equal(statuses(await below, 200), 4)
  })

  it('show the metrics of both as one, and the state of the service in /readyz', async () => {
    const requests = (text: string) => [...text.matchAll(/^assay_requests_total\{status="200",code=""\} (\d+)$/gm)]
    // Of a worker that is busy, the figures are those that were known last.
    const text = await until(metrics, text => Number(requests(text)[0]?.[1]) >= ANSWERED)
    assert.equal(requests(text).length, 1)
    assert.ok(Number(requests(text)[0]?.[1]) >= ANSWERED, text)
    assert.deepEqual([figureIn(text, 'assay_workers'), figureIn(text, 'assay_workers_ready')], [2, 2])
    const answers = [...text.matchAll(/^assay_answers_total\{plan="(\w+)"\} (\d+)$/gm)].map(([, plan]) => plan)
    assert.ok(answers.length > 0 && new Set(answers).size === answers.length, `${answers}`)
    const byKey = [...text.matchAll(/^assay_key_answers_total\{key="(\w+)"\} (\d+)$/gm)]
    const total = [...text.matchAll(/^assay_answers_total\{plan="\w+"\} (\d+)$/gm)]
    const sum = (found: readonly RegExpMatchArray[]) => found.reduce((sum, one) => sum + Number(one.at(-1)), 0)
    assert.equal(sum(byKey), sum(total))
    assert.equal(figureIn(text, 'assay_queue_running{resource="slot"}'), 0)
    assert.deepEqual(await standing(), { configured: 2, ready: 2, replaced: 0 })
  })

  it('release what a killed worker held, lose no count, and are two again', async () => {
    const single = await newKey('single')
    const before = (await check('%', {})).used
    const [held, ...others] = [
      check('held-20000-held.com', { as: single }),
      ...Array.from({ length: 8 }, (_, n) => check(`held-3000-killed-${n}.com`)),
    ]
    await until(metrics, text => figureIn(text, 'assay_queue_running{resource="slot"}') === 9)
    for (const pid of children(service.pid)) {
      const gone = until(standing, ({ ready }) => ready < 2)
      process.kill(pid, 'SIGKILL')
      await gone
      await until(standing, ({ ready }) => ready === 2)
    }
    // Cut off with its worker; on a slow machine it may have come to its deadline before.
    assert.notEqual((await held)?.status, 200)
    const answers = await Promise.all(others)
    const delivered = statuses(answers, 200)
    const after = (await check('%', {})).used
    assert.ok(
      after - before >= delivered && after - before <= 8,
      `${delivered} of 8 delivered, ${after - before} counted`,
    )
    assert.deepEqual(await standing(), { configured: 2, ready: 2, replaced: 2 })
    const answer = await check('held-50-held.com', { as: single })
    assert.deepEqual([answer.status, answer.used], [200, 1])
    assert.match(service.stdout(), /"level":"error","time":\d+,"worker":1,"ended":"SIGKILL"/)
  })

  it('are replaced one after another on SIGHUP, without losing a request', async () => {
    const pids = children(service.pid)
    let going = true
    const answers: Answer[] = []
    const clients = Array.from({ length: 4 }, async (_, id) => {
      const agent = new Agent({ keepAlive: true })
      for (let n = 0; going; n++) answers.push(await check(`${id}-${n}.com`, n % 2 === 0 ? { agent } : {}))
      agent.destroy()
    })
    const plans = { ...settings.plans, startup: { quota: 200_000, period: 'month' } }
    writeFileSync(
      config,
      JSON.stringify({ ...settings, plans, network: { resolvers: ['127.0.0.1:8'] }, keys: { prefix: 'own' } }),
    )
    service.signal('SIGHUP')
    const said = () =>
      service
        .stdout()
        .split('\n')
        .filter(line => line.includes('"reload"'))
    await until(said, lines => lines.length > 0)
    going = false
    await Promise.all(clients)
    assert.match(said()[0] ?? '', /"reload":"done","restart_for":\["keys"\]/)
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200),
      [],
    )
    assert.ok(children(service.pid).every(pid => !pids.includes(pid)))
    assert.equal((await check('name-1.com')).limit, '200000')
    assert.ok(figureIn(await metrics(), 'assay_requests_total{status="200",code=""}') > answers.length)
  })

  it('refuse a configuration with errors, and stay', async () => {
    const pids = children(service.pid)
    writeFileSync(config, '{')
    service.signal('SIGHUP')
    await until(
      () => service.stdout(),
      text => text.includes('"reload":"refused"'),
    )
    assert.deepEqual(children(service.pid), pids)
  })

  it('answer what is under way on SIGTERM, and end with the process that owns them', async () => {
    const pids = children(service.pid)
    const last = Array.from({ length: 6 }, (_, n) => check(`held-700-last-${n}.com`))
    await until(metrics, text => figureIn(text, 'assay_queue_running{resource="slot"}') === 6)
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
    assert.equal(statuses(await Promise.all(last), 200), 6)
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })
})

it('workers end with a process that was killed', { timeout: 300_000 }, async t => {
  const file = join(temporaryDirectory(), 'config.json')
  writeFileSync(file, JSON.stringify(settings))
  const killed = serve(['--config', file])
  t.after(() => killed.signal('SIGKILL'))
  await killed.url
  const pids = children(killed.pid)
  assert.equal(pids.length, 2)
  killed.signal('SIGKILL')
  const left = () => pids.filter(pid => existsSync(`/proc/${pid}`))
  assert.deepEqual(await until(left, pids => pids.length === 0), [])
})

it('a start that fails says why once, with the exit code of one process', async () => {
  const broken = join(directory, 'broken.mmdb')
  const file = join(temporaryDirectory(), 'config.json')
  writeFileSync(broken, 'no database')
  writeFileSync(file, JSON.stringify({ ...settings, datasets: { city: broken } }))
  const failing = serve(['--config', file])
  await assert.rejects(failing.url)
  assert.equal(await failing.ended, 78)
  assert.match(failing.stderr(), /^assay: [^\n]*broken\.mmdb[^\n]*\n$/)
})
