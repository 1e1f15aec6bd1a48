// SIGHUP: what a running service takes over of its configuration.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { firstKey, type Served, serve } from './served.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures/plugins')
const SOON_MS = 15_000
const LINE_OCTETS = 1_024

const directory = temporaryDirectory()
const config = join(directory, 'config.json')
/** No built-in plugin, hence no network. */
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))
const settings = {
  server: { port: 0, drain_delay_ms: 0 },
  data: 'data',
  network: { resolvers: ['127.0.0.1:9'] },
  downloads: { enabled: false },
  check: { per_key_per_second: 1_000_000 },
  plans: { startup: { quota: 10_000, period: 'month' } },
  plugins: off,
  load: [join(FIXTURES, 'patience.js')],
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

interface Checked {
  readonly limit: string | null
  readonly body: Readonly<Record<string, unknown>>
}

async function check(name: string): Promise<Checked> {
  const response = await fetch(`${url}/api/v1/check?domain=${name}`, { headers: { 'X-API-Key': key } })
  const body = (await response.json()) as Record<string, unknown>
  assert.equal(response.status, 200, JSON.stringify(body))
  return { limit: response.headers.get('x-ratelimit-limit'), body }
}

const reloads = () =>
  service
    .stdout()
    .split('\n')
    .filter(line => line.includes('"reload":'))
    .map(line => JSON.parse(line) as Record<string, unknown>)

/** What the log says of it. */
async function reload(next: string): Promise<Record<string, unknown>> {
  const { length } = reloads()
  writeFileSync(config, next)
  service.signal('SIGHUP')
  const end = performance.now() + SOON_MS
  while (reloads().length === length && performance.now() < end) await new Promise(done => setTimeout(done, 20))
  const [said, ...more] = reloads().slice(length)
  assert.deepEqual(more, [])
  const { time: _, ...told } = said ?? {}
  return told
}

const known = ({ limit, body }: Checked) => [limit, body['scoring_policy'], 'patience' in body, 'name_length' in body]

describe('a service that reloads its configuration', { timeout: 300_000 }, () => {
  const broken: readonly (readonly [what: string, text: string, faults: readonly RegExp[]])[] = [
    ['is no JSON', '{', [/^… .*JSON/]],
    [
      'has faults',
      JSON.stringify({ ...settings, sever: {}, plugins: { ...off, patience: { weights: { none: 1 } } } }),
      [/^sever: /, /^plugins\.patience\.weights\.none: /],
    ],
    [
      'lacks the plan of a key',
      JSON.stringify({ ...settings, plans: { startups: settings.plans.startup }, scoring: { groups: { trusty: 1 } } }),
      [
        /^scoring\.groups\.trusty: unknown group: no signal uses it; did you mean "trust"\?$/,
        /^plans\.startup: missing, but 1 account with 1 valid key has this plan; did you mean "startups"\? Add it/,
      ],
    ],
    [
      'names plugins that are not there',
      JSON.stringify({ ...settings, load: Array.from({ length: 40 }, (_, n) => `./absent${n}.js`) }),
      [/^load\.0: cannot load …/, /^load\.1: cannot load …/],
    ],
  ]
  for (const [what, text, faults] of broken) {
    it(`keeps the old one if the new one ${what}, and logs why in one line`, async () => {
      const before = await check('one.com')
      const { level, reload: said, faults: told } = await reload(text)
      assert.deepEqual([level, said], ['error', 'refused'])
      const lines = told as string[]
      for (const [at, fault] of faults.entries()) assert.match(lines[at] ?? '', fault)
      const line = service.stdout().trimEnd().split('\n').at(-1) ?? ''
      assert.ok(!line.includes(directory) && Buffer.byteLength(line) <= LINE_OCTETS, line)
      assert.deepEqual(known(await check('two.com')), known(before))
    })
  }

  it('applies plans, plugins and weights, and names changes that need a restart', async () => {
    const [, policy] = known(await check('one.com'))
    const next = {
      ...settings,
      plans: { startup: { quota: 20_000, period: 'month' } },
      load: [...settings.load, join(FIXTURES, 'name_length.js')],
      server: { ...settings.server, failed_keys_per_minute: 7 },
    }
    assert.deepEqual(await reload(JSON.stringify(next)), { level: 'info', reload: 'done', restart_for: ['server'] })
    const after = await check('one.com')
    const [limit, other, ...sections] = known(after)
    assert.deepEqual([limit, sections], ['20000', [true, true]])
    assert.notEqual(other, policy)
    assert.equal(after.body['cached'], false)
    const openapi = await (await fetch(`${url}/openapi.json`)).text()
    assert.ok(openapi.includes('"name_length":'))
  })

  it('loses no request', async () => {
    const sound = JSON.stringify(settings)
    let going = true
    let answered = 0
    const client = async (id: number) => {
      for (let n = 0; going; n++) {
        await check(`${id}-${n}.com`)
        answered += 1
      }
    }
    const clients = Promise.all([1, 2, 3, 4].map(client))
    for (let n = 0; n < 5; n++) await reload(n % 2 ? sound : '{')
    going = false
    await clients
    assert.ok(answered > 5)
  })

  it('shuts down as before', async () => {
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
  })
})
