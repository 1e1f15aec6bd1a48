// `assay doctor`: each finding, over things that are really broken.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import Database from 'libsql'
import pg from 'pg'
import { examineBrowser, findBrowser } from '../../../src/cli/doctor/browser.ts'
import { type DoctorFinding, worst } from '../../../src/cli/doctor/finding.ts'
import { examineDatasets, examineLists, examineWay } from '../../../src/cli/doctor/instruments.ts'
import { examineClock, examineLimits, examinePorts, examinePrivileges } from '../../../src/cli/doctor/machine.ts'
import { examineSettings } from '../../../src/cli/doctor/settings.ts'
import { examineDirectory, examineFile, examinePostgres } from '../../../src/cli/doctor/store.ts'
import { readSettings } from '../../../src/config/config.ts'
import { knownLists } from '../../../src/evidence/listings/known_lists.ts'
import type { DatasetStatus } from '../../../src/knowledge/datasets/status.ts'
import { lockStore } from '../../../src/store/open_backend.ts'
import { isServed } from '../../../src/store/sql/sqlite/file.ts'
import { startLabInternet } from '../../../src/testing/lab_internet.ts'
import { SHARED_CONNECTIONS, sharedPostgres } from '../../postgres_server.ts'
import { labSettings, serviceFor } from '../../service/lab.ts'
import { openKeysIn, openStoreIn } from '../../store/opened.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'
import { assay } from '../assay.ts'

/** State, check and message of each, one a line. */
const lines = (findings: readonly DoctorFinding[]): string[] =>
  findings.map(({ state, check, message }) => `${state} ${check}: ${message}`)

function has(findings: readonly DoctorFinding[], expected: RegExp): void {
  assert.ok(
    lines(findings).some(line => expected.test(line)),
    `${expected} in\n${lines(findings).join('\n')}`,
  )
}

const settingsOf = (rendering: object) => readSettings({ rendering }, '/', {}).config

const ROOT = resolve(import.meta.dirname, '../../..')
const NOW = Date.parse('2026-11-25T12:00:00Z')

describe('the settings', () => {
  const rows: readonly (readonly [settings: object, variables: Record<string, string>, expected: RegExp])[] = [
    [{}, {}, /^ok configuration: valid \(defaults, without a file\)$/],
    [{ server: { cors_origins: ['*'] } }, {}, /^warning configuration: `server\.cors_origins` lets every web page/],
    [
      { metrics: { host: '0.0.0.0' } },
      {},
      /^warning configuration: metrics are served to everyone who reaches 0\.0\.0\.0/,
    ],
    [{}, { HTTPS_PROXY: 'http://proxy' }, /^warning proxies: HTTPS_PROXY is set and ignored/],
    [{ server: { host: '0.0.0.0' } }, {}, /^warning proxies: the service listens on 0\.0\.0\.0 without TLS/],
    [{ server: { host: '0.0.0.0', trusted_proxies: ['10.0.0.1'] } }, {}, /^ok proxies: trusts 10\.0\.0\.1/],
  ]
  const examined = (settings: object, variables: Record<string, string> = {}, file?: string) => {
    const { config } = readSettings(settings, '/', {})
    const notices = ['network.unsafe_allow: checks may connect', 'green_hosting: sees every name']
    return examineSettings({ config, file, environment: { variables }, notices, disclosures: notices.slice(1) })
  }
  for (const [settings, variables, expected] of rows) {
    it(`${JSON.stringify({ ...settings, ...variables })}: ${expected.source}`, () => {
      has(examined(settings, variables), expected)
    })
  }

  it('repeat what the service warns about at its start, and tell disclosures without a warning', () => {
    has(examined({}), /^warning configuration: network\.unsafe_allow: checks may connect$/)
    has(examined({}), /^ok configuration: green_hosting: sees every name$/)
  })

  it('in a file that others may write are a warning', () => {
    const file = join(temporaryDirectory(), 'config.json')
    writeFileSync(file, '{}')
    chmodSync(file, 0o664)
    has(examined({}, {}, file), /^warning configuration: others than its owner may write .*config\.json$/)
    chmodSync(file, 0o644)
    assert.equal(worst(examined({}, {}, file).filter(({ message }) => message.includes(file))), 'ok')
  })
})

describe('the data directory', () => {
  const directory = (mode = 0o700) => {
    const path = join(temporaryDirectory(), 'data')
    mkdirSync(path)
    chmodSync(path, mode)
    return path
  }
  const GIB = 2 ** 30
  const rows: readonly (readonly [title: string, path: string, free: number, expected: RegExp])[] = [
    ['is fine', directory(), 10 * GIB, /^ok data: .* is writable$/],
    [
      'is not there yet',
      join(directory(), 'new', 'data'),
      10 * GIB,
      /^ok data: .* will be created at the first start$/,
    ],
    ['is open to others', directory(0o755), 10 * GIB, /^warning data: others may enter .* \(mode 755\)$/],
    ['is on a file system without writing', '/proc', 10 * GIB, /^failed data: \/proc is not writable/],
    ['cannot be created', '/proc/data', 10 * GIB, /^failed data: \/proc\/data is not writable/],
    [
      'has room for less than the history may take',
      directory(),
      GIB,
      /^warning disk: 1024 MiB are free .* may take 1536 MiB more/,
    ],
    ['has no room', directory(), 2 ** 20, /^failed disk: 1 MiB are free/],
  ]
  for (const [title, path, free, expected] of rows) {
    it(`${title}: ${expected.source}`, () => {
      has(examineDirectory({ directory: path, history_bytes: GIB, free: () => free }), expected)
    })
  }
})

describe('the embedded store', () => {
  const filled = async () => {
    const directory = join(temporaryDirectory(), 'data')
    const { keys, close } = await openKeysIn(directory)
    await keys.create({ plan: 'startup', label: '' })
    await close()
    return directory
  }
  const rows: readonly (readonly [title: string, change: (directory: string) => void, expected: RegExp])[] = [
    ['is intact', () => {}, /^ok store: assay\.db is intact$/],
    [
      'is damaged',
      directory => truncateSync(join(directory, 'assay.db'), 8_192),
      /^failed store: .*assay\.db is damaged: /,
    ],
    [
      'is no database',
      directory => writeFileSync(join(directory, 'assay.db'), 'no database at all'.repeat(99)),
      /^failed store: .*assay\.db is damaged: .*not a database/,
    ],
    [
      'is not there yet',
      directory => rmSync(directory, { recursive: true }),
      /^ok store: no store yet: the first start creates it$/,
    ],
  ]
  for (const [title, broken, expected] of rows) {
    it(`${title}: ${expected.source}`, async () => {
      const directory = await filled()
      broken(directory)
      has(await examineFile(directory), expected)
    })
  }

  it('is read beside a service and an open transaction', async t => {
    const directory = await filled()
    const store = await openStoreIn(directory)
    const writer = new Database(join(directory, 'assay.db'))
    t.after(() => {
      writer.close()
      return store.close()
    })
    writer.exec("BEGIN EXCLUSIVE; UPDATE keys SET label = 'changed'")
    assert.equal(worst(await examineFile(directory)), 'ok')
  })
})

describe('PostgreSQL', () => {
  let url: string
  before(async () => {
    url = await (await sharedPostgres()).createDatabase()
  })
  const examined = (at = url, now = Date.now()) => examinePostgres(at, { now: () => now })

  it('answers, with its version, rights, connections and clock', async () => {
    const findings = await examined()
    has(findings, /^ok store: PostgreSQL \d+ answers at 127\.0\.0\.1:\d+\/t_\w+$/)
    has(findings, /^ok store rights: the user may create tables$/)
    has(
      findings,
      new RegExp(`^ok store connections: the server allows ${SHARED_CONNECTIONS} connections; a process takes 10$`),
    )
    has(findings, /^ok clock: agrees with PostgreSQL$/)
  })

  it('whose user may not create tables fails, without the password', async () => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`REVOKE CREATE ON SCHEMA public FROM PUBLIC; CREATE ROLE reader LOGIN PASSWORD 'hunter2'`)
    await client.end()
    const findings = await examined(url.replace('postgres@', 'reader:hunter2@'))
    has(findings, /^failed store rights: the user may not create tables$/)
    assert.ok(!JSON.stringify(findings).includes('hunter2'), 'no password')
  })

  it('with another time than this machine fails', async () => {
    has(await examined(url, Date.now() - 3_600_000), /^failed clock: 36\d\d s behind PostgreSQL$/)
  })

  it('that cannot be reached, or has no such user, fails without the password', async () => {
    has(await examined('postgres://u:hunter2@127.0.0.1:9/assay'), /^failed store: not usable: .*ECONNREFUSED/)
    const refused = await examined(url.replace('postgres@', 'nobody:hunter2@'))
    has(refused, /^failed store: not usable: role "nobody" does not exist$/)
    assert.ok(!JSON.stringify(refused).includes('hunter2'), 'no password')
  })
})

describe('the way to the world', () => {
  const site = { name: 'control.lab', addresses: ['193.0.14.90'], https: () => ({ body: 'here' }) }
  const controls = { egress_controls: ['control.lab'] }
  const examined = async (...[hosts, dns, network]: [Parameters<typeof startLabInternet>[0], object?, object?]) => {
    const internet = await startLabInternet(hosts, dns)
    const settings = labSettings(internet, { ...controls, ...network })
    const service = await serviceFor(settings, { dial: internet.dial, extra_roots: internet.root })
    try {
      await service.prove()
      return {
        findings: examineWay(service.instruments(), service.resolvers()),
        peer: await service.peerTime(),
        queries: internet.dns.queries.length,
      }
    } finally {
      await service.close()
      await internet.close()
    }
  }

  it('is fine where the resolver is honest and a control host answers', async () => {
    const { findings, peer } = await examined([site])
    has(findings, /^ok resolver 1: finds what exists and denies what does not$/)
    has(findings, /^ok egress ipv4: connections are answered$/)
    assert.equal(peer?.name, 'control.lab')
    assert.equal(examineClock(Date.now(), peer).state, 'ok')
    has([examineClock(Date.now() + 3_600_000, peer)], /^failed clock: 3[56]\d\d s ahead of control\.lab$/)
  })

  it('fails where nothing listens on the resolver’s port', async () => {
    const { findings, peer } = await examined([site], {}, { resolvers: ['127.0.0.1:9'] })
    has(findings, /^failed resolver 1: The DNS resolver is down since .*: nothing listens on its port/)
    has(findings, /^warning egress ipv4: not examined, because no resolver works$/)
    assert.equal(peer, null)
  })

  it('fails where nothing leaves', async () => {
    const { findings } = await examined([{ name: 'control.lab', addresses: ['193.0.14.90'] }])
    has(findings, /^failed egress ipv4: Outbound Internet access is down since /)
  })

  it('has a warning where the resolver sends names that do not exist elsewhere', async () => {
    const isGone = (name: string) => /^[0-9a-f]{24}\.(?:com|net|org)$/.test(name)
    const fault = ({ name, type }: { name: string; type: string }) =>
      type === 'A' && isGone(name) ? { records: { A: ['193.0.14.75'] } } : undefined
    const { findings } = await examined([site], { fault })
    has(findings, /^warning resolver 1: sends names that do not exist to addresses of its own$/)
  })
})

describe('sources and their terms', () => {
  const dataset: DatasetStatus = {
    id: 'majestic_million',
    name: 'Majestic Million',
    use: 'popularity',
    state: 'fresh',
    reason: null,
    entries: 7,
    dropped: {},
    age_seconds: 7_300,
    fetched_at: null,
    next_at: null,
    failures: 0,
    with_key: null,
    origin: null,
    terms: 'CC BY 3.0: name Majestic where results are shown',
  }
  const terms = 'CC BY 3\\.0: name Majestic where results are shown'
  const rows: readonly (readonly [Partial<DatasetStatus>, ReadonlyMap<string, string>, string])[] = [
    [{}, new Map(), `^ok dataset majestic_million: Majestic Million: 7 entries, confirmed 2 h ago; ${terms}$`],
    [{ state: 'stale' }, new Map(), `^warning dataset .*; ${terms}; too old to use$`],
    [
      { state: 'missing', age_seconds: null, reason: 'timeout' },
      new Map(),
      `^warning .*: not loaded; ${terms} \\(timeout\\)$`,
    ],
    [{}, new Map([['majestic_million', 'its terms forbid commercial use']]), `^warning dataset .*; ${terms}$`],
  ]
  for (const [change, offs, expected] of rows) {
    it(`datasets: ${expected}`, () => has(examineDatasets([{ ...dataset, ...change }], offs), new RegExp(expected)))
  }

  it('say nothing of datasets that are off', () => {
    assert.deepEqual(examineDatasets([{ ...dataset, state: 'off' }], new Map()), [])
  })

  it('warn about lists that are off by default, fail their test queries or do not answer them', () => {
    const [one, other] = [knownLists.find(({ off }) => off === null), knownLists.find(({ off }) => off !== null)]
    assert.ok(one && other, 'both kinds')
    const standing = (state: 'down' | 'unproved', fault: string | null) =>
      new Map([[one.id, { kind: 'list', name: one.id, state, fault, since: null }] as const])
    assert.deepEqual(
      examineLists([one, other], null).map(({ state }) => state),
      ['ok', 'warning'],
    )
    has(examineLists([one], standing('down', 'lists_everything')), /failed its test queries \(lists_everything\)$/)
    has(examineLists([one], standing('unproved', null)), /did not answer its test queries$/)
  })
})

describe('the machine', () => {
  const limits = [
    ['20000', 'ok'],
    ['4096', 'warning'],
    ['256', 'failed'],
    ['unlimited', 'ok'],
  ] as const
  for (const [limit, state] of limits) {
    const expected = `${state} limits: ${limit} files may be open at once`
    it(expected, () => {
      const text = `Limit\nMax open files            ${limit.padEnd(20)} ${limit.padEnd(20)} files\n`
      assert.deepEqual(lines(examineLimits(text)), [expected])
    })
  }

  it('says nothing about limits where the system does not show them', () => {
    assert.deepEqual(examineLimits(''), [])
  })

  it('warns about root', () => {
    assert.deepEqual([worst(examinePrivileges(0)), worst(examinePrivileges(1_000))], ['warning', 'ok'])
  })

  const clocks: readonly (readonly [now: number, off: number | null, expected: RegExp])[] = [
    [NOW, 0, /^ok clock: agrees with peer$/],
    [NOW, 4_000, /^ok clock/],
    [NOW, 30_000, /^warning clock: 30 s ahead of peer$/],
    [NOW, -90_000, /^failed clock: 90 s behind peer$/],
    [NOW, null, /^ok clock: says 2026-11-25T12:00:00Z; not compared with another$/],
    [0, null, /^failed clock: says 1970-01-01T00:00:00Z, before this release was made$/],
  ]
  for (const [now, off, expected] of clocks) {
    it(`${expected.source}`, () =>
      has([examineClock(now, off === null ? null : { name: 'peer', time: now - off })], expected))
  }

  it('finds ports that are free, in use and impossible', async t => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as { port: number }
    const at = (host: string, number: number, metrics = {}) =>
      readSettings({ server: { host, port: number }, metrics: { expose: 'off', ...metrics } }, '/', {}).config
    has(await examinePorts(at('127.0.0.1', 0), false), /^ok port: 127\.0\.0\.1 port 0 is free$/)
    has(await examinePorts(at('127.0.0.1', 0), true), /^warning port: .* is free although a service runs/)
    has(await examinePorts(at('127.0.0.1', port), false), /^failed port: .*: another process uses that port$/)
    has(await examinePorts(at('127.0.0.1', port), true), /^ok port: .* is in use, as by the running service$/)
    has(await examinePorts(at('127.0.0.1', port), null), /^warning port: 127\.0\.0\.1 port \d+ is in use$/)
    has(await examinePorts(at('192.0.2.1', 0), false), /^failed port: .*: this machine does not have that address$/)
    has(
      await examinePorts(at('127.0.0.1', 0, { expose: 'port', port }), false),
      /^failed metrics port: .*: another process uses that port$/,
    )
  })
})

describe('the browser', () => {
  const configured = { browser: '/usr/bin/chromium', sandbox: true }
  const starts = { probe: async () => 'Chrome/156.0' }
  const fails = { probe: () => Promise.reject(new Error('No usable sandbox!')) }
  const rows: readonly (readonly [Parameters<typeof examineBrowser>, expected: RegExp])[] = [
    [[settingsOf({}), null, null], /^ok browser: none, so pages are not rendered; .* apt-get install chromium/],
    [[settingsOf({}), null, '/usr/bin/chromium'], /^ok browser: not configured, .* may be \/usr\/bin\/chromium$/],
    [[settingsOf(configured), starts, null], /^ok browser: Chrome\/156\.0 starts, with its sandbox$/],
    [[settingsOf({ ...configured, sandbox: false }), starts, null], /^warning browser: .* without its sandbox$/],
    [
      [settingsOf(configured), fails, null],
      /^failed browser: \/usr\/bin\/chromium does not start: No usable sandbox!$/,
    ],
  ]
  for (const [given, expected] of rows) {
    it(`has the line ${expected}`, async () => has([await examineBrowser(...given)], expected))
  }

  it('is found where distributions install it', () => {
    const folder = temporaryDirectory()
    assert.equal(findBrowser([folder]), null)
    const file = join(folder, 'chromium-browser')
    writeFileSync(file, '', { mode: 0o755 })
    assert.equal(findBrowser(['/nowhere', folder]), file)
  })
})

describe('a service that runs on the data directory', () => {
  it('is noticed by its lock', async () => {
    const directory = join(temporaryDirectory(), 'data')
    assert.equal(isServed(directory), false)
    const lock = await lockStore({ store: null, data: directory })
    const looks = `import { isServed } from '${ROOT}/src/store/sql/sqlite/file.ts'
console.log(isServed('${directory}'))`
    const run = promisify(execFile)
    const look = async () =>
      (
        await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', looks], { cwd: ROOT })
      ).stdout.trim()
    assert.equal(await look(), 'true')
    lock.release()
    assert.equal(await look(), 'false')
  })
})

describe('assay doctor', () => {
  const config = (name: string, settings: unknown) => {
    const file = join(temporaryDirectory(), name)
    writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings))
    return file
  }
  const quiet = {
    downloads: { enabled: false },
    green_hosting: { enabled: false },
    server: { port: 0 },
    network: { resolvers: ['127.0.0.1:9'] },
  }
  const data = join(temporaryDirectory(), 'data')
  /** With the settings, on the data directory; and what it finds, as JSON. */
  const examined = async (settings: unknown, directory: string, ...options: readonly string[]) => {
    const args = ['--json', '--config', config('config.json', settings), '--data', directory]
    const { code, out } = await assay('doctor', ...options, ...args)
    return { code, ...(JSON.parse(out) as { state: string; findings: DoctorFinding[] }) }
  }

  it('prints a line for each finding and exits with 2 at the worst', async () => {
    const { code, out, err } = await assay('doctor', '--config', config('quiet.json', quiet), '--data', data)
    assert.equal(code, 2)
    assert.match(out, /^ok {7}configuration +valid \(.*quiet\.json\)$/m)
    assert.match(out, /^failed {3}resolver 1 +The DNS resolver is down .*\. Correct `network\.resolvers`/m)
    assert.match(err, /^assay: \d+ failed, \d+ warnings?\n$/)
  })

  it('changes nothing, and prints JSON', async () => {
    const before = join(data, 'never')
    const { code, state, findings } = await examined(quiet, before, '--offline')
    assert.equal(state, worst(findings))
    assert.ok([0, 1].includes(code), `${code}`)
    assert.ok(!findings.some(({ check }) => /^resolver|^egress/.test(check)), 'nothing outside')
    has(findings, /^ok keys: none yet/)
    assert.throws(() => chmodSync(before, 0o700), /ENOENT/)
  })

  it('reads keys and plans beside a running store', async t => {
    const directory = join(temporaryDirectory(), 'data')
    const store = await openStoreIn(directory)
    t.after(() => store.close())
    await store.keys.create({ plan: 'gone', label: '' })
    const { code, findings } = await examined(quiet, directory, '--offline')
    assert.equal(code, 2)
    has(findings, /^ok keys: 1 valid$/)
    has(findings, /^failed keys: plans\.gone: missing, but 1 account/)
  })

  const broken: readonly (readonly [title: string, settings: unknown, expected: RegExp])[] = [
    ['an unknown setting', { servre: {} }, /^failed configuration: servre: /],
    ['a plugin that is not there', { load: ['./nowhere.js'] }, /^failed configuration: load\.0: cannot load/],
    [
      'a dataset that is not there',
      { datasets: { city: './nowhere.mmdb' } },
      /^failed configuration: datasets\.city: /,
    ],
  ]
  for (const [title, settings, expected] of broken) {
    it(`fails at ${title}: ${expected.source}`, async () => {
      const { code, findings } = await examined(settings, data)
      assert.equal(code, 2)
      has(findings, expected)
    })
  }
})
