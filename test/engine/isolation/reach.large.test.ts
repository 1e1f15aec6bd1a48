// What an isolated plugin reaches, tried by one that means harm in every way that the documentation names.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import Database from 'libsql'
import { builtInPlugins } from '../../../plugins/index.ts'
import { readableBy } from '../../../src/engine/isolation/readable.ts'
import { type Lab, startLab } from '../../service/lab.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

const BURGLAR = resolve(import.meta.dirname, '../../fixtures/plugins/burglar.js')
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))

const DENIED = /^ERR_ACCESS_DENIED$/
const refused = (what: string) => new RegExp(`^${what} is not available to isolated plugins$`)

/** The processes of isolated plugins that this one has started. */
function isolatedProcesses(): string[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  return children.filter(pid => pid !== '' && /isolation.child/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')))
}

describe("an isolated plugin can't", { timeout: 120_000 }, () => {
  let lab: Lab
  /** Those of other files of the suite. */
  let earlier: readonly string[] = []
  before(async () => {
    earlier = isolatedProcesses()
    const folder = temporaryDirectory()
    const [secret, database] = [join(folder, 'config.json'), join(folder, 'assay.db')]
    writeFileSync(secret, '{"secret":1}')
    const made = new Database(database)
    made.exec('create table secret (a)')
    made.close()
    const plugins = { ...off, burglar: { options: { secret, folder, database } } }
    lab = await startLab({ hosts: [], settings: { load: [{ module: BURGLAR, isolated: true }], plugins } })
  })
  after(() => lab.close())

  /** By what Node enforces beneath JavaScript, or by a function that throws. */
  const attempts: readonly (readonly [what: string, attempt: string, saw: RegExp])[] = [
    ['read the configuration', 'file', DENIED],
    ['open it', 'descriptor', DENIED],
    ['name it in octets', 'buffer', DENIED],
    ['reach it by way of its own folder', 'dots', DENIED],
    ['reach it by way of /proc/self/root', 'root', DENIED],
    ['read it as a blob', 'blob', DENIED],
    ['copy it', 'copy', DENIED],
    ['load it as a module', 'required', DENIED],
    ['list the folder of the store', 'folder', DENIED],
    ['open the store with Node’s SQLite', 'sqlite', /^no SQLite$/],
    ['load native code, such as that of another SQLite', 'native', /^(?:ERR_DLOPEN_DISABLED|native code is not .*)$/],
    ['read the environment of the service', 'environment', DENIED],
    ['open the memory of the service', 'memory', DENIED],
    ['read its own environment from /proc', 'own_environment', DENIED],
    ['find an open file of the service', 'inherited', /^got nothing$/],
    ['use Node’s bindings', 'binding', refused('native code')],
    ['attach a debugger to itself', 'inspector', DENIED],
    ['start WASI', 'wasi', DENIED],
    ['start a thread, which would have no limits', 'thread', refused('a thread')],
    ['start a loader’s thread', 'loader', refused('a thread')],
    ['start a program', 'program', refused('a program')],
    ['become a program', 'replaced', /^(?:ERR_ACCESS_DENIED|a program is not available to isolated plugins)$/],
    ['signal the service', 'signal', refused('a signal')],
    ['start the debugger of the service', 'debugger', refused('a signal')],
    ['change the priority of the service', 'priority', refused('a priority')],
    ['connect', 'dial', refused('a connection')],
    ['connect to a local socket', 'local_socket', refused('a connection')],
    ['listen', 'listen', refused('listening')],
    ['write a file', 'write', DENIED],
    ['make a link', 'link', DENIED],
    ['write a trace', 'trace', refused('a trace')],
    ['write a snapshot of its heap', 'snapshot', refused('a setting of V8')],
    ['write a report', 'report', DENIED],
  ]
  for (const [what, attempt, saw] of attempts) {
    it(what, async () => {
      const { result } = await lab.check({ domain: `${attempt.replaceAll('_', '-')}.example.com` })
      assert.match((result['burglar'] as { saw: string }).saw, saw)
    })
  }

  it('see a variable of the service', async () => {
    const { result } = await lab.check({ domain: 'variables.example.com' })
    assert.deepEqual(JSON.parse((result['burglar'] as { saw: string }).saw), { TMPDIR: tmpdir() })
  })

  it('run as root', { skip: process.getuid?.() !== 0 && 'needs root' }, () => {
    const started = isolatedProcesses().filter(pid => !earlier.includes(pid))
    assert.equal(started.length, 1)
    const status = readFileSync(`/proc/${started[0]}/status`, 'utf8')
    assert.match(status, /^Uid:\s+65534\s+65534\s+65534\s+65534$/m)
    assert.match(status, /^CapEff:\s+0+$/m)
  })
})

describe('the files that an isolated plugin may read', () => {
  const base = temporaryDirectory()
  const place = (path: string, text = ''): string => {
    mkdirSync(join(base, path, '..'), { recursive: true })
    writeFileSync(join(base, path), text)
    return join(base, path)
  }
  const config = place('etc/config.json')
  const store = place('data/assay.db')

  it('are those of its package, and the packages installed in and above it', () => {
    place('node_modules/theirs/package.json', '{}')
    place('node_modules/theirs/node_modules/dep/index.js')
    const file = place('node_modules/theirs/lib/index.js')
    assert.deepEqual(readableBy(file, [config, store]), [
      join(base, 'node_modules/theirs'),
      join(base, 'node_modules/theirs/node_modules'),
      join(base, 'node_modules'),
    ])
  })

  it('are those of its folder, when it is no package', () => {
    const file = place('etc/plugins/ours/index.js')
    assert.deepEqual(readableBy(file, [config, store]), [join(base, 'etc/plugins/ours'), join(base, 'node_modules')])
  })

  it('are itself alone beside the configuration, and in a package that holds the store', () => {
    const file = place('etc/ours.js')
    assert.deepEqual(readableBy(file, [config]), [file, join(base, 'node_modules')])
    place('package.json', '{}')
    const inner = place('index.js')
    assert.deepEqual(readableBy(inner, [store]), [inner, join(base, 'node_modules')])
  })

  it('have no link that leads out', () => {
    const file = place('etc/plugins/linked/index.js')
    symlinkSync(file, join(file, '../again.js'))
    assert.equal(readableBy(file, [config])[0], join(base, 'etc/plugins/linked'))
    symlinkSync(store, join(file, '../store.db'))
    assert.throws(() => readableBy(file, [config]), /its folder has a link to a file outside: .*store\.db$/)
  })
})
