import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { publishedSchemas } from '../../src/cli/schemas.ts'
import { hostsNamed } from './hosts.ts'
import { type Checked, configured, type Lab, startLab } from './lab.ts'

const plugin = (name: string) => join(import.meta.dirname, '../fixtures/plugins', name)

const settings = {
  // A plugin waits for a source until then; all others have to be done, also on a busy machine.
  check: { deadline_ms: 6_000 },
  load: ['moon.js', 'storm.js', 'flat_earth.js', 'tides.js'].map(plugin),
  plugins: { moon_phase: { weights: { full_moon: 7 } } },
}

describe('a third party’s plugin', () => {
  let lab: Lab
  let checked: Checked
  let plain: Checked
  before(async () => {
    lab = await startLab({ hosts: hostsNamed('healthy-shop.lab'), settings })
    checked = await lab.check({ domain: 'healthy-shop.lab' })
    const other = await startLab({ hosts: hostsNamed('healthy-shop.lab') })
    plain = await other.check({ domain: 'healthy-shop.lab' })
    await other.close()
  })
  after(() => lab.close())

  it('adds its field to the result and its signals to the score', () => {
    const { result } = checked
    assert.deepEqual(result['moon_phase'], { addresses: 2, phase: 'full' })
    assert.deepEqual([result.risk_score, result.signals], [plain.result.risk_score + 7, ['full_moon']])
  })

  it('adds its field to the schema and to the description of the interface', async () => {
    const { registry } = await configured(settings)
    const schemas = publishedSchemas(registry)
    const { properties } = schemas['check-result.json'] as { properties: Record<string, unknown> }
    assert.ok('moon_phase' in properties)
    assert.match(JSON.stringify(schemas['openapi.json']), /"moon_phase":/)
    const validate = new Ajv2020({ strictTypes: false, validateFormats: false }).compile(
      properties['moon_phase'] as object,
    )
    assert.deepEqual([validate(checked.result['moon_phase']), validate({ addresses: 2 })], [true, false])
  })

  it('harms no section but its own', () => {
    for (const name of Object.keys(plain.result.coverage.sections)) {
      const { coverage, ...rest } = checked.result
      assert.equal(coverage.sections[name]?.status, plain.result.coverage.sections[name]?.status, name)
      assert.deepEqual(omitCertificate(rest[name]), omitCertificate(plain.result[name]), name)
    }
  })

  it('is named in the log of defects when it is to blame', () => {
    assert.deepEqual(
      checked.analysis.defects.map(({ plugin, stage }) => [plugin, stage]),
      [
        ['storm', 'analyze'],
        ['flat_earth', 'analyze'],
      ],
    )
  })
})

/** Each lab issues a certificate of its own. */
function omitCertificate(section: unknown): unknown {
  if (section === null) return null
  const { serial, fingerprint_sha256, not_before, expires_at, chain, ...rest } = section as Record<string, unknown>
  return rest
}
