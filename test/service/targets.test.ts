import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { builtInPlugins } from '../../plugins/index.ts'
import { createRegistry } from '../../src/engine/registry.ts'
import { resultSchema } from '../../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../../src/engine/scoring/groups.ts'
import { type Case, cases } from './cases.ts'
import { digBlackHoles, LAB_LIMITS, serviceHosts, zoneFaults } from './hosts.ts'
import { type Checked, type Lab, type Result, startLab } from './lab.ts'

const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const isResult = new Ajv2020({ strictTypes: false, validateFormats: false }).compile(resultSchema(registry))
const sections = registry.analyzers.map(({ analyzer }) => analyzer.name)

let lab: Lab
before(async () => {
  lab = await startLab({
    hosts: serviceHosts,
    dns: { fault: zoneFaults },
    network: { limits: LAB_LIMITS },
  })
  digBlackHoles(lab.internet)
})
after(() => lab.close())

const statuses = ({ coverage }: Result) =>
  Object.fromEntries(
    Object.entries(coverage.sections).map(([name, { status, reason }]) => [
      name,
      reason === null ? status : `${status} ${reason}`,
    ]),
  )

/** The sections that do not read the page. */
const OTHERS: readonly string[] = ['dns_security', 'ssl_info', 'geo_location', 'reputation']

const expectedStatuses = ({ asked, sections: told }: Case) => ({
  ...Object.fromEntries(
    sections.map(name => {
      const own: string | undefined = told[name as keyof typeof told]
      return [name, own ?? (OTHERS.includes(name) ? undefined : told.web) ?? 'completed']
    }),
  ),
  link: asked.url === undefined ? 'not_applicable no_url' : 'completed',
})

for (const expected of cases) {
  describe(`a check of ${expected.of}`, () => {
    let checked: Checked
    before(async () => {
      checked = await lab.check(expected.asked)
    })

    it('gives its verdict and the signals behind it', () => {
      const { result, class: kind } = checked
      assert.deepEqual(
        [result.verdict, result.is_malicious, kind],
        [expected.verdict, expected.verdict === 'malicious', expected.class],
      )
      assert.deepEqual([result.recommendation, result.confidence], expected.recommended)
      assert.deepEqual(
        expected.signals.filter(id => !result.signals.includes(id)),
        [],
      )
    })

    it('says of every section how it went', () => {
      assert.deepEqual(statuses(checked.result), expectedStatuses(expected))
      const isWhole = expected.class === 'complete' || expected.class === 'not_found'
      assert.equal(checked.result.coverage.complete, isWhole)
      assert.deepEqual(checked.analysis.defects, [])
    })

    it('connects where it says, and nowhere else', () => {
      assert.deepEqual(checked.connections.toSorted(), expected.connections)
      assert.equal(checked.result.ip, expected.ip)
    })

    it('keeps its manners and closes what it opened', () => {
      const { handshakes, queries, requests, sockets } = checked
      assert.ok(handshakes.length <= 1 && queries.length <= 60 && requests.length <= 11)
      assert.equal(new Set(queries).size, queries.length, 'asks each question once')
      assert.ok(
        sockets.every(socket => socket.destroyed),
        'leaves no socket open',
      )
    })

    it('is a result by the published schema', () => {
      assert.ok(isResult(JSON.parse(JSON.stringify(checked.result))), JSON.stringify(isResult.errors))
    })
  })
}
