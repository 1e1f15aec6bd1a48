// Plugins in processes of their own: what they do there, and what it is to the service.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { assayCommand } from '../assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { firstKey, type Served, serve, serveProgram } from './served.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures/plugins')
const SOON_MS = 30_000
/** What a process may have of its own, and what it shares with others: a tenth of what the plugins want. */
const RESIDENT_KIB = 400 * 1024

const directory = temporaryDirectory()
/** No built-in plugin, hence no network. */
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))
const isolated = (name: string) => ({ module: join(FIXTURES, name), isolated: true })

const settings = {
  server: { port: 0, drain_delay_ms: 0 },
  check: { deadline_ms: 8_000, per_key_per_second: 1_000_000 },
  downloads: { enabled: false },
  network: { resolvers: ['127.0.0.1:9'] },
  plugins: off,
}

function configFor(name: string, parts: object): string {
  const file = join(directory, `${name}.json`)
  writeFileSync(file, JSON.stringify({ ...settings, data: `${name}-data`, ...parts }))
  return file
}

interface Section {
  readonly status: string
  readonly reason: string | null
}

/** How the sections went. */
async function check(service: Served, target: string): Promise<Readonly<Record<string, Section>>> {
  const headers = { 'X-API-Key': firstKey(service) ?? '' }
  const response = await fetch(`${await service.url}/api/v1/check?${target}`, { headers })
  const body = (await response.json()) as { coverage: { sections: Record<string, Section> } }
  assert.equal(response.status, 200, JSON.stringify(body))
  return body.coverage.sections
}

let asked = 0
/** The brute is told by the first label; no two names are the same. */
const told = (deed: string) => `domain=${deed}.n${asked++}.com`

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + SOON_MS
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'in time')
    await new Promise(done => setTimeout(done, 50))
  }
}

/** Of 10 ms: more than a process takes to receive its evidence. */
const BUSY_TICKS = 20

/** On a busy machine any deed may take longer than a plugin is given: it is asked again until it had its time. */
async function settled(service: Served, deed: string, reasons: readonly (string | null)[]) {
  let sections = await check(service, told(deed))
  const isLate = () => LATE.has(sections['brute']?.reason ?? '') && !reasons.includes(sections['brute']?.reason ?? null)
  await eventually(async () => {
    if (isLate()) sections = await check(service, told(deed))
    return !isLate()
  })
  return sections
}

const LATE: ReadonlySet<string> = new Set(['plugin_timeout', 'plugin_resting'])

/** The plugin answers again. */
const isBack = (service: Served) =>
  eventually(async () => (await check(service, told('fine')).catch(() => null))?.['brute']?.status === 'completed')

/** The processes that one began. */
const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Those of isolated modules, and what they are in KiB of resident memory. */
const modulesOf = (pid: number) => childrenOf(pid).filter(child => /isolation.child/.test(read(child, 'cmdline')))
const residentOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0)

function read(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8')
  } catch {
    return ''
  }
}

describe('an isolated plugin', { timeout: 300_000 }, () => {
  let service: Served
  before(async () => {
    service = serve(['--config', configFor('brute', { load: ['brute.js', 'name_length.js'].map(isolated) })], {
      A_SECRET: 'of the service',
    })
    await service.url
  })
  after(() => service.signal('SIGKILL'))

  const deeds: readonly (readonly [what: string, deed: string, status: string, reasons: readonly (string | null)[]])[] =
    [
      ['is well', 'fine', 'completed', [null]],
      ['says nothing worth a section', 'later', 'failed', ['not_a_finding']],
      ['never returns', 'loop', 'failed', ['plugin_timeout']],
      // As the machine is fast or slow: out of memory, refused or ended, or out of time before.
      ['fills its heap', 'heap', 'failed', ['plugin_ended', 'plugin_timeout']],
      [
        'makes one object that is larger than all its memory',
        'sparse',
        'failed',
        ['plugin_ended', 'plugin_timeout', 'threw'],
      ],
      ['takes 4 GiB in buffers', 'buffers', 'failed', ['threw', 'plugin_timeout', 'plugin_ended']],
      ['takes 4 GiB to share', 'shared', 'failed', ['threw', 'plugin_timeout', 'plugin_ended']],
      ['calls itself without end', 'stack', 'failed', ['threw']],
      ['ends its process', 'exit', 'failed', ['plugin_ended']],
      ['aborts its process', 'abort', 'failed', ['plugin_ended']],
      ['would kill the service', 'kill', 'failed', ['threw']],
      ['would kill it by the call beneath', 'rawkill', 'failed', ['threw']],
      ['puts the service behind others', 'renice', 'failed', ['threw']],
      ['changes what all code shares', 'patch', 'failed', ['threw']],
      ['leaves a rejection and a timer’s error behind', 'leave', 'completed', [null]],
      ['prints two megabytes', 'print', 'completed', [null]],
      ['dials', 'dial', 'failed', ['threw']],
      ['listens by the call beneath', 'listen', 'failed', ['threw']],
      ['has a socket for datagrams by the call beneath', 'send', 'failed', ['threw']],
      ['asks DNS', 'resolve', 'failed', ['threw']],
      ['fetches, which it is refused', 'fetch', 'completed', [null]],
      ['begins a thread', 'thread', 'failed', ['threw']],
      ['puts code of its own where modules are found', 'hooks', 'failed', ['threw']],
      ['begins a program', 'spawn', 'failed', ['threw']],
      ['writes a file', 'write', 'failed', ['threw']],
      ['answers more than a line holds', 'much', 'failed', ['finding_too_large']],
      ['answers by itself what is no JSON', 'answer', 'failed', ['plugin_ended']],
      ['answers by itself without end', 'flood', 'failed', ['plugin_ended']],
    ]
  for (const [what, deed, status, reasons] of deeds) {
    it(`${status === 'failed' ? 'loses only its section' : 'keeps its section'} when it ${what}, stays within its memory, and recovers`, async () => {
      const residentBefore = residentOf(service.pid)
      let most = 0
      const sampling = setInterval(() => {
        for (const pid of modulesOf(service.pid)) most = Math.max(most, residentOf(pid))
      }, 10)
      const { brute, name_length } = await settled(service, deed, reasons).finally(() => clearInterval(sampling))
      assert.ok(most < RESIDENT_KIB, `${most} KiB`)
      assert.ok(residentOf(service.pid) - residentBefore < RESIDENT_KIB, 'the service')
      assert.equal(brute?.status, status)
      assert.ok(reasons.includes(brute.reason), `${brute.reason}`)
      assert.equal(name_length?.status, 'completed')
      await isBack(service)
    })
  }

  it('does not delay checks without it', async () => {
    const answered: string[] = []
    const loop = check(service, told('loop')).then(() => answered.push('loop'))
    const { brute, name_length } = await check(service, 'ip=93.184.216.34')
    answered.push('other')
    await loop
    assert.deepEqual(answered, ['other', 'loop'])
    assert.deepEqual([brute?.status, name_length?.status], ['not_applicable', 'completed'])
    await isBack(service)
  })

  it('is restarted each time it is killed', async () => {
    for (let n = 0; n < 3; n++) {
      for (const pid of modulesOf(service.pid)) process.kill(pid, 'SIGKILL')
      await isBack(service)
    }
  })

  it('sees no environment variable of the service', async () => {
    for (const pid of modulesOf(service.pid)) assert.doesNotMatch(read(pid, 'environ'), /A_SECRET|PATH|HOME/)
  })

  it('is named in the log, and ends with the service', async () => {
    const [one = 0, other = 0] = modulesOf(service.pid)
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
    await eventually(() => read(one, 'cmdline') === '' && read(other, 'cmdline') === '')
    const lines = service.stdout().trimEnd().split('\n')
    const defects = lines.map(line => JSON.parse(line)).filter(({ plugin }) => plugin === 'brute')
    for (const said of [
      /^did not answer within 1000 ms$/,
      /^ended with code 3$/,
      /^was ended by SIGABRT/,
      /^answered /,
    ])
      assert.ok(
        defects.some(({ error }) => said.test(error.message)),
        String(said),
      )
  })
})

describe('the process of an isolated plugin', { timeout: 300_000 }, () => {
  const begun: Served[] = []
  const begin = (...args: Parameters<typeof serve>) => {
    const service = serve(...args)
    begun.push(service)
    return service
  }
  after(() => {
    for (const service of begun) service.signal('SIGKILL')
    for (const pid of [...asleep('86401'), ...asleep('86402')]) process.kill(pid, 'SIGKILL')
  })

  for (const [what, module] of [
    ['an analyzer', 'brute.js'],
    ['a gatherer', 'errand.js'],
  ] as const) {
    it(`ends when the service is killed, even while ${what} computes`, async () => {
      const service = begin(['--config', configFor(`killed-${module}`, { load: [isolated(module)] })])
      await service.url
      const [pid = 0] = modulesOf(service.pid)
      const used = () => Number(read(pid, 'stat').split(' ')[13])
      const idle = used()
      const lost = check(service, told('loop')).catch(() => 'lost')
      await eventually(() => used() > idle + BUSY_TICKS)
      service.signal('SIGKILL')
      assert.equal(await lost, 'lost')
      await eventually(() => read(pid, 'cmdline') === '')
    })
  }

  /** Started with a loader that keeps for the plugin what its sandbox takes from it. */
  const beginBreeder = (name: string) => {
    const load = [isolated('breeder.js'), join(FIXTURES, 'name_length.js')]
    const service = serveProgram([
      '--import',
      join(FIXTURES, 'starts_programs.js'),
      ...assayCommand(),
      'serve',
      '--config',
      configFor(name, { load }),
    ])
    begun.push(service)
    return service
  }
  const breed = async (service: Served, how: string) => (await check(service, told(how)))['breeder']
  const isFertile = (service: Served) => eventually(async () => (await breed(service, 'fine'))?.status === 'completed')
  /** The programs that the plugin started, by what they were told to sleep. */
  const asleep = (seconds: string) =>
    readdirSync('/proc')
      .map(Number)
      .filter(pid => read(pid, 'cmdline') === `sleep\0${seconds}\0`)

  it('ends with the programs of its group, when it is killed and when the service is', async () => {
    const service = beginBreeder('group')
    await service.url
    const kills = [() => process.kill(modulesOf(service.pid)[0] ?? 0, 'SIGKILL'), () => service.signal('SIGKILL')]
    for (const kill of kills) {
      await isFertile(service)
      assert.equal((await breed(service, 'in-group'))?.status, 'completed')
      assert.equal(asleep('86401').length, 1)
      kill()
      await eventually(() => asleep('86401').length === 0)
    }
    await service.ended
  })

  it('is replaced although a program that left its group holds its streams', async () => {
    const service = beginBreeder('session')
    await service.url
    assert.equal((await breed(service, 'in-session'))?.status, 'completed')
    const [pid = 0] = modulesOf(service.pid)
    const programs = asleep('86402')
    assert.equal(programs.length, 1)
    process.kill(pid, 'SIGKILL')
    await isFertile(service)
    assert.deepEqual(asleep('86402'), programs)
    process.kill(programs[0] ?? 0, 'SIGKILL')
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
  })

  it('is replaced on reload, and a rejected configuration leaves none', async () => {
    const parts = { check: { ...settings.check, deadline_ms: 2_000 }, load: [isolated('brute.js')] }
    const service = begin(['--config', configFor('reread', parts)])
    await service.url
    const [old = 0] = modulesOf(service.pid)
    const reloads = () => service.stdout().split('"reload":').length - 1

    configFor('reread', { ...parts, plugins: { ...off, brute: { weights: { none: 1 } } } })
    service.signal('SIGHUP')
    await eventually(() => reloads() === 1)
    await eventually(() => modulesOf(service.pid).join() === `${old}`)

    configFor('reread', { ...parts, plugins: { ...off, brute: { options: { word: 'other' } } } })
    service.signal('SIGHUP')
    await eventually(() => reloads() === 2)
    await eventually(() => modulesOf(service.pid).length === 1 && modulesOf(service.pid)[0] !== old)
    await isBack(service)
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
  })

  it('is not started when modules cannot be loaded: each is a configuration error', async () => {
    const faulty: readonly (readonly [text: string, says: RegExp])[] = [
      // Idle, not busy: the limit is ten seconds, and other tests share the processors.
      ['setInterval(() => {}, 1_000); await new Promise(() => {})', /did not load within 10000 ms/],
      ['process.exit(0)', /ended with code 0/],
      ['throw new Error("cannot start")', /cannot start/],
      ['Object.prototype.polluted = 1; export default {}', /changes Object\.prototype\.polluted/],
      ['export const nothing = 1', /has no default export/],
      [
        'import { connect } from "node:net"; connect(9); export default {}',
        /a connection is not available to isolated plugins/,
      ],
    ]
    mkdirSync(join(directory, 'modules'))
    const load = faulty.map(([text], at) => {
      writeFileSync(join(directory, `modules/faulty${at}.mjs`), text)
      return { module: `./modules/faulty${at}.mjs`, isolated: true }
    })
    const service = begin(['--config', configFor('faulty', { load })])
    assert.equal(await service.ended, 78)
    const lines = service.stderr().split('\n')
    for (const [at, [, says]] of faulty.entries()) {
      const line = lines.find(text => text.includes(`load.${at}: cannot load "./modules/faulty${at}.mjs": `)) ?? ''
      assert.match(line, says)
    }
  })
})
