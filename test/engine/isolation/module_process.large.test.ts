// The process of an isolated module at its edges: it cannot be started, it starts another, it is asked before it is ready.
import assert from 'node:assert/strict'
import { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { after, afterEach, before, describe, it, mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { builtInPlugins } from '../../../plugins/index.ts'
import { describeError } from '../../../src/base/errors.ts'
import { ModuleProcess } from '../../../src/engine/isolation/module_process.ts'
import { configured, type Lab, startLab } from '../../service/lab.ts'

const SOON_MS = 30_000
const FIXTURES = resolve(import.meta.dirname, '../../fixtures/plugins')
const MODULE = join(FIXTURES, 'brute.js')
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))
const settings = { load: [{ module: MODULE, isolated: true }, join(FIXTURES, 'name_length.js')], plugins: off }

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + SOON_MS
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'in time')
    await sleep(20)
  }
}

/** The command line of a process, without its arguments' separators; empty when it has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** The processes of isolated modules that this process started. */
const modulePids = (): number[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter(pid => /isolation.child/.test(commandOf(pid)))

/** Those of other files of the suite. */
const earlier = modulePids()
const modulesOfThisFile = () => modulePids().filter(pid => !earlier.includes(pid))

/** Node's handle of a process, beneath `spawn`: what the operating system refuses is refused there, and Node reports it. */
const handle = Object.getPrototypeOf(Reflect.get(new ChildProcess(), '_handle')) as {
  spawn(...args: unknown[]): number
}

/** The system refuses each start that `refuses` names by its number, with this error. */
function refuseStarts(code: keyof typeof constants.errno, refuses: (start: number) => boolean): void {
  const start = handle.spawn
  let starts = 0
  mock.method(handle, 'spawn', function spawn(this: unknown, ...args: unknown[]) {
    starts += 1
    return refuses(starts) ? -constants.errno[code] : Reflect.apply(start, this, args)
  })
}

afterEach(() => mock.restoreAll())

const REFUSALS = ['ENOENT', 'EACCES', 'EAGAIN', 'EMFILE', 'ENOMEM'] as const
const load = { url: pathToFileURL(MODULE).href }

describe('a module process that the system refuses', { timeout: 120_000 }, () => {
  for (const code of REFUSALS) {
    it(`with ${code} says so to each call, and ends`, async () => {
      refuseStarts(code, () => true)
      const refused = new ModuleProcess([MODULE])
      mock.restoreAll()
      const says = { reason: 'plugin_ended', message: new RegExp(`^cannot be started: spawn.* ${code}$`) }
      await assert.rejects(refused.call('load', load), says)
      await refused.ended
      await assert.rejects(refused.call('load', load), says)
      refused.unref()
      refused.end(new Error('again'))
    })

    it(`with ${code} for what ends it after a crash of the service is not left running`, async () => {
      refuseStarts(code, start => start === 2)
      const unwatched = new ModuleProcess([MODULE])
      mock.restoreAll()
      const says = { reason: 'plugin_ended', message: new RegExp(`^cannot be started: spawn.* ${code}$`) }
      await assert.rejects(unwatched.call('load', load), says)
      await unwatched.ended
      assert.deepEqual(modulesOfThisFile(), [])
    })
  }

  it('is a configuration error when the service starts', async () => {
    refuseStarts('EAGAIN', () => true)
    await assert.rejects(configured(settings), /cannot load .*brute\.js": cannot be started: spawn .* EAGAIN/)
    mock.restoreAll()
  })
})

describe('a check', { timeout: 120_000 }, () => {
  let lab: Lab
  before(async () => {
    lab = await startLab({ hosts: [], settings })
  })
  after(() => lab.close())

  let asked = 0
  const check = async () => {
    asked += 1
    const { analysis } = await lab.check({ domain: `fine.n${asked}.com` })
    const { status, reason } = analysis.outcomes.get('brute') ?? {}
    return { status, reason, log: analysis.defects.map(({ error }) => describeError(error)).join() }
  }

  it('goes on while no process can be started, says so, and has its section again afterwards', async () => {
    refuseStarts('EAGAIN', () => true)
    for (const pid of modulesOfThisFile()) process.kill(pid, 'SIGKILL')
    await eventually(async () => (await check()).reason === 'plugin_resting')
    const { status, reason, log } = await check()
    assert.deepEqual([status, reason], ['failed', 'plugin_resting'])
    assert.match(log, /failed too many times in a row: cannot be started: spawn .* EAGAIN/)
    mock.restoreAll()
    await eventually(async () => (await check()).status === 'completed')
  })
})

describe('a module process', { timeout: 120_000 }, () => {
  it('that is asked before its module is loaded answers afterwards, in order', async () => {
    const early = new ModuleProcess([MODULE])
    const answers = [early.call('load', load), early.call('analyze', questionFor('fine')), early.call('ping', null)]
    const [plugins, found, pong] = await Promise.all(answers)
    assert.equal((plugins as unknown[]).length, 1)
    assert.match((found as { section: { said: string } }).section.said, /^fine /)
    assert.equal(pong, true)
    early.end(new Error('over'))
    await early.ended
  })
})

const questionFor = (deed: string) => ({
  at: 0,
  evidence: {},
  context: { target: { domain: `${deed}.com` }, options: { word: 'fine' }, now: new Date(0).toISOString() },
})
