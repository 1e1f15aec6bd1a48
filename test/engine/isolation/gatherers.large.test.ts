// Gatherers of isolated plugins: they see what those in the service's process see, by the network of their check, and a
// hostile one loses its own section and nothing else.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { builtInPlugins } from '../../../plugins/index.ts'
import { describeError } from '../../../src/base/errors.ts'
import { parseRecording, replay } from '../../../src/engine/recording.ts'
import { presentationsOf } from '../../../src/engine/report/presentations.ts'
import type { LabHost } from '../../../src/testing/lab_internet.ts'
import { flood, hello, reset, send, wait } from '../../../src/testing/lab_script.ts'
import { type Checked, configured, type Lab, serviceFor, startLab } from '../../service/lab.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

const FIXTURES = resolve(import.meta.dirname, '../../fixtures/plugins')
const ADDRESS = '93.184.216.34'
const SOON_MS = 30_000
const MIB = 1024 * 1024

/** No built-in plugin, and one in the service's process, so that every check has a result. */
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))
const load = (isolated: boolean) => [
  { module: join(FIXTURES, 'errand.js'), isolated },
  join(FIXTURES, 'name_length.js'),
]

const shop: LabHost = {
  name: 'shop.example.com',
  addresses: [ADDRESS],
  records: { TXT: ['v=one'] },
  https: ({ headers }) => ({ headers: [['x-said', String(headers['x-errand'])]], body: 'hello' }),
}
const evidence: LabHost = { name: 'evidence.example.com', addresses: [ADDRESS] }

async function startErrands(isolated: boolean, deadline_ms = 8_000): Promise<Lab> {
  const settings = { load: load(isolated), plugins: off, check: { deadline_ms } }
  const lab = await startLab({ hosts: [shop, evidence], settings })
  await lab.internet.web.script(ADDRESS, 79, [hello(), send('nobody'), socket => void socket.end()])
  await lab.internet.web.script(ADDRESS, 80, [hello(), reset()])
  await lab.internet.web.script(ADDRESS, 7, [wait(SOON_MS)])
  await lab.internet.web.script(ADDRESS, 19, [flood(Buffer.alloc(65_536, 'x'))])
  return lab
}

const check = (lab: Lab, errand: string, signal?: AbortSignal): Promise<Checked> =>
  lab.check({ domain: `${errand.replaceAll('_', '-')}.example.com` }, signal)

/** What became of the section, and what the log says. */
const outcome = ({ analysis, result }: Checked) => {
  const { status, reason } = analysis.outcomes.get('errand') ?? {}
  const saw = (result['errand'] as { readonly saw: string } | null)?.saw ?? null
  return { status, reason, saw, log: analysis.defects.map(({ plugin, error }) => `${plugin}: ${describeError(error)}`) }
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + SOON_MS
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'in time')
    await new Promise(done => setTimeout(done, 20))
  }
}

const LATE: ReadonlySet<string | null | undefined> = new Set(['plugin_timeout', 'plugin_resting', 'plugin_ended'])

/** After a misdeed, also on a busy machine: the next process answers. */
const isBack = (lab: Lab) =>
  eventually(async () => {
    const { reason, saw } = outcome(await check(lab, 'dns'))
    assert.ok(saw !== null || LATE.has(reason), `${reason}`)
    return saw !== null
  })

describe('a gatherer', { timeout: 300_000 }, () => {
  let here: Lab
  let apart: Lab
  before(async () => {
    ;[here, apart] = await Promise.all([startErrands(false), startErrands(true)])
  })
  after(() => Promise.all([here.close(), apart.close()]))

  const errands: readonly (readonly [what: string, errand: string, saw: string])[] = [
    ['gets answers of DNS', 'dns', 'saw|found|v=one|not_found'],
    ['fetches', 'http', 'saw|200|yes|hello'],
    ['talks over TCP', 'tcp', 'saw|nobody'],
    ['makes a TLS handshake of its own', 'tls', 'saw|DNS:shop.example.com|HTTP/1.1 200 OK'],
    ['learns that a connection was reset', 'reset', 'saw|ECONNRESET'],
    ['learns that a port is closed', 'closed', 'saw|refused'],
    [
      'reads other evidence, frozen, and the context of the check',
      'evidence',
      'saw|1|true|true|rate_limited|24|evidence.example.com|true|false|true',
    ],
    ['reaches no internal address', 'internal', 'saw|not_public|not_public'],
    ['spends the budgets of its check', 'spends', 'saw|true|too_many_requests'],
  ]
  for (const [what, errand, saw] of errands) {
    it(`${what}, in the service's process and in its own`, async () => {
      for (const lab of [here, apart]) {
        const checked = await check(lab, errand)
        assert.deepEqual(outcome(checked), { status: 'completed', reason: null, saw, log: [] })
        await eventually(() => checked.sockets.every(({ destroyed }) => destroyed))
      }
    })
  }

  const declines: readonly (readonly [what: string, errand: string, status: string, reason: string, log: RegExp])[] = [
    ['declines', 'declines', 'not_applicable', 'nothing_there', /^$/],
    ['throws', 'throws', 'failed', 'gatherer_failed', /^errand: RangeError: has a mistake$/],
    [
      'returns what its schema does not allow',
      'wrong',
      'failed',
      'invalid_evidence',
      /^errand: Error: its schema does not allow it: errand: must be an array$/,
    ],
  ]
  for (const [what, errand, status, reason, log] of declines) {
    it(`that ${what} is reported alike in both`, async () => {
      for (const lab of [here, apart]) {
        const found = outcome(await check(lab, errand))
        assert.deepEqual([found.status, found.reason, found.saw], [status, reason, null])
        assert.match(found.log.join(), log)
      }
    })
  }

  it('hears from both what it asked for wrongly', async () => {
    const { log, saw } = outcome(await check(apart, 'malformed'))
    assert.deepEqual(log, [])
    assert.match(saw ?? '', /^saw\|dns\.type: must be one of: A, AAAA/)
  })

  it('may leave requests unanswered, and hears when one is too long', async () => {
    assert.deepEqual(outcome(await check(apart, 'leaves')).saw, 'saw|false')
    assert.deepEqual(outcome(await check(apart, 'long')).saw, 'saw|sent a request of more than 1048576 octets')
  })

  it('is recorded, and its check replayed without it', async () => {
    const { recording, result } = await check(apart, 'http')
    const { extension, clock } = replay(parseRecording(JSON.stringify(recording)))
    const settings = { load: load(true), plugins: off }
    const dial = () => assert.fail('dialled')
    const service = await serviceFor(settings, { dial, clock, extensions: [extension], replayed: true })
    const again = await service.engine.check(recording.target)
    await service.close()
    assert.deepEqual({ ...again.result, process_time_ms: 0, cached: false }, result)
  })

  const misdeeds: readonly (readonly [what: string, errand: string, reasons: readonly string[], log: RegExp])[] = [
    ['computes without end', 'loop', ['plugin_timeout'], /did not answer within 2000 ms/],
    ['ends its process', 'exit', ['plugin_ended'], /ended with code 3/],
    ['fills its heap', 'heap', ['plugin_ended', 'plugin_timeout'], /heap|memory|did not answer|SIG/],
    ['connects by itself', 'own_socket', ['gatherer_failed'], /a connection is not available to isolated plugins/],
    ['sends an unknown message', 'unknown_message', ['plugin_ended'], /answered with an unknown message/],
    ['asks for something unknown', 'unknown_request', ['plugin_ended'], /sent an unknown request/],
    ['answers what nobody asked', 'unasked', ['plugin_ended'], /answered an unknown request/],
    ['answers again and again', 'strays', ['plugin_ended'], /sent more answers than it got requests/],
    ['sends too long a line', 'line', ['plugin_ended'], /answered with more than 1048576 octets/],
    ['returns too much', 'huge', ['finding_too_large'], /exceeds the size limit/],
  ]
  for (const [what, errand, reasons, log] of misdeeds) {
    it(`that ${what} loses only its section, is named, and works again`, async () => {
      const checked = await check(apart, errand)
      const found = outcome(checked)
      assert.equal(found.status, 'failed', `${found.reason}`)
      assert.ok(reasons.includes(found.reason ?? ''), `${found.reason}`)
      assert.match(found.log.join(), log)
      assert.equal(checked.analysis.outcomes.get('name_length')?.status, 'completed')
      assert.ok(checked.sockets.every(({ destroyed }) => destroyed))
      await isBack(apart)
    })
  }

  it('that asks too often in good faith is refused before it is killed', async () => {
    const { status, reason, log } = outcome(await check(apart, 'polite_excess'))
    assert.deepEqual([status, reason, log], ['unavailable', 'too_many_requests', []])
  })

  it('that reads a stream without end is refused more than its share, and the service holds none of it', async () => {
    const before = process.memoryUsage().arrayBuffers
    const { log, status } = outcome(await check(apart, 'flooded'))
    assert.equal(status, 'failed')
    assert.match(log.join(), /exchanged more than 16777216 octets in one check/)
    assert.ok(process.memoryUsage().arrayBuffers - before < 32 * MIB)
  })

  it('hears that its check was cancelled, and its connection closes', async () => {
    const stop = new AbortController()
    const count = apart.internet.web.seen.connections.length
    const checked = check(apart, 'silent', stop.signal)
    await eventually(() => apart.internet.web.seen.connections.length > count)
    stop.abort()
    await assert.rejects(checked, { name: 'Cancelled' })
    assert.match(outcome(await check(apart, 'tcp')).saw ?? '', /nobody$/)
  })

  it('is described as it describes itself', async () => {
    const { registry } = await configured({ load: load(true), plugins: off })
    const defects: unknown[] = []
    const presentations = presentationsOf(registry, (_, error) => defects.push(error))
    const result = {
      domain: 'a.example.com',
      errand: { saw: 'saw|one', frozen: true },
      coverage: { sections: { errand: { status: 'completed', reason: null } } },
    }
    await presentations.prepare(result)
    registry.close()
    const { title, describe } = presentations.section('errand')
    assert.equal(title, 'Errand')
    assert.deepEqual(describe(result.errand, { isWhole: true, domain: 'a.example.com' }), {
      summary: ['We went to a.example.com.'],
      facts: [['Seen', 7]],
      tables: [{ title: 'Things', columns: ['Thing'], rows: [['saw'], ['one']] }],
    })
    assert.deepEqual(defects, [])
  })
})

describe('a check that ends before a gatherer', { timeout: 60_000 }, () => {
  it('has its section unavailable at the deadline, closes what it opened, and keeps the process', async () => {
    const lab = await startErrands(true, 1_500)
    for (const errand of ['silent', 'never']) {
      const checked = await check(lab, errand)
      const { status, reason, log } = outcome(checked)
      assert.deepEqual([status, reason, log], ['unavailable', 'deadline', []])
      await eventually(() => checked.sockets.every(({ destroyed }) => destroyed))
    }
    assert.match(outcome(await check(lab, 'dns')).saw ?? '', /^saw/)
    await lab.close()
  })
})

describe('an extension that cannot be isolated', { timeout: 60_000 }, () => {
  const faulty: readonly (readonly [parts: string, says: RegExp])[] = [
    ['apply(hooks) { hooks.score.tap("inside", () => {}) }', /hooks\.score is not available to isolated plugins/],
    ['apply() {}, provides: ["own"]', /"provides" names "own", but "apply" registers no gatherer for it/],
    [`provides: ["dns"], ${gathering('dns')}`, /"provides" names "dns", which is built in/],
    [
      `provides: ["own"], ${gathering('own', 'onw')}`,
      /gathers "onw", which "provides" does not list; did you mean "own"/,
    ],
    ['apply() {}, fields: { own: {} }', /"fields" are not available to isolated plugins/],
    ['apply() { throw new Error("has a mistake") }', /cannot be applied: has a mistake/],
  ]
  it('is a configuration error that says why', async () => {
    const directory = temporaryDirectory()
    const load = faulty.map(([parts], at) => {
      writeFileSync(
        join(directory, `faulty${at}.mjs`),
        `export default { name: 'inside${at}', description: '', ${parts} }`,
      )
      return { module: join(directory, `faulty${at}.mjs`), isolated: true }
    })
    await assert.rejects(configured({ load, plugins: off }), ({ message }) => {
      const lines = (message as string).split('\n')
      for (const [at, [, says]] of faulty.entries())
        assert.match(lines.filter(line => line.startsWith(`plugin inside${at} `)).join(), says)
      return true
    })
  })

  it('is told apart from a description that reads an unknown field', async () => {
    const module = join(temporaryDirectory(), 'misread.mjs')
    const analyzer = `{ name: 'misread', description: '', targets: ['ip'], needs: [], signals: {},
      schema: { type: 'object', properties: { one: { type: 'null' } }, additionalProperties: false },
      presentation: { title: 'One', looks: 'one', describe: ({ on }) => ({ summary: [], facts: [['One', on]] }) },
      analyze: () => ({ section: {}, signals: [] }) }`
    writeFileSync(module, `export default ${analyzer}`)
    await assert.rejects(
      configured({ load: [{ module, isolated: true }], plugins: off }),
      /"presentation\.describe" reads "on", which "schema" does not have; did you mean "one"/,
    )
  })
})

/** The source text of an `apply` that gathers these kinds. */
function gathering(...kinds: readonly string[]): string {
  const taps = kinds.map(kind => `hooks.gather.for('${kind}').tapPromise('inside', async () => ({}))`)
  return `apply(hooks) { ${taps.join('; ')} }`
}
