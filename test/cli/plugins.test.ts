import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

const moon = join(import.meta.dirname, '../fixtures/plugins/moon.js')

function configured(settings: object): string {
  const file = join(temporaryDirectory(), 'config.json')
  writeFileSync(file, JSON.stringify(settings))
  return file
}

const tuned = configured({
  load: [moon],
  plugins: { cookies: false, moon_phase: { options: { phase: 'new' }, weights: { full_moon: 3 } } },
})

describe('assay plugins', () => {
  it('lists every plugin with state, evidence, signals and weights', async () => {
    const { code, out, err } = await assay('plugins')
    assert.deepEqual([code, err], [0, ''])
    for (const { plugin } of builtInPlugins) assert.match(out, new RegExp(`^${plugin.name} \\(built-in`, 'm'))
    assert.match(out, /^ssl_info \(built-in, enabled\)\n {2}\S.*\n {2}targets: domain, ip\n {2}evidence: tls/m)
    assert.match(out, /^ +\d+ {2}expired_certificate +\S.* \[high, transport\]$/m)
    assert.match(out, /^Ceilings: .*hygiene 15/m)
  })

  it('shows the configured weights and states', async () => {
    const { out } = await assay('plugins', '--config', tuned)
    assert.match(out, /^cookies \(built-in, disabled\)$/m)
    assert.match(out, /^moon_phase \(.*moon\.js, enabled\)(\n {2}.*)+\n {2}options: \{"phase":"new"\}$/m)
    assert.match(out, /^ +3 {2}full_moon /m)
  })

  it('shows the hosts that extensions reach, and which are isolated', async () => {
    const errand = { module: join(import.meta.dirname, '../fixtures/plugins/errand.js'), isolated: true }
    const endpoint = 'https://api.example.com/v2'
    const file = configured({ load: [errand], plugins: { abuseipdb: { options: { endpoint } } } })
    const { out } = await assay('plugins', '--config', file)
    assert.match(out, /^abuseipdb \(built-in\)\n {2}\S.*\n {2}hosts: api\.example\.com$/m)
    assert.match(out, /^errand_source \(.*errand\.js, isolated\)\n {2}\S.*\n {2}hosts: \* \(any\)$/m)
    const { extensions } = JSON.parse((await assay('plugins', '--config', file, '--json')).out)
    assert.deepEqual(extensions.at(-1), {
      name: 'errand_source',
      description: 'Does what the name says.',
      origin: errand.module,
      isolated: true,
      hosts: ['*'],
    })
  })

  it('prints the same as JSON', async () => {
    const { out } = await assay('plugins', '--json', '--config', tuned)
    const { analyzers, groups } = JSON.parse(out) as {
      analyzers: Record<string, unknown>[]
      groups: Record<string, number>
    }
    const { description, ...told } = analyzers.find(({ name }) => name === 'moon_phase') ?? {}
    assert.deepEqual(told, {
      name: 'moon_phase',
      origin: moon,
      enabled: true,
      isolated: false,
      targets: ['domain', 'ip'],
      needs: ['addresses'],
      wants: [],
      options: { phase: 'new' },
      signals: {
        full_moon: { weight: 3, group: 'content', severity: 'medium', title: 'The moon is full' },
        moonlit: { weight: 0, group: 'network', severity: 'info', title: 'There is moonlight' },
      },
    })
    assert.equal(groups['trust'], -30)
  })
})

describe('assay schemas', () => {
  it('writes the schemas of the loaded plugins to a new directory', async () => {
    const out = join(temporaryDirectory(), 'a/b')
    const ran = await assay('schemas', '--out', out, '--config', tuned)
    assert.deepEqual(ran, { code: 0, out: '', err: '' })
    assert.deepEqual(readdirSync(out).sort(), ['check-result.json', 'config.json', 'openapi.json', 'problem.json'])
    const { properties } = JSON.parse(readFileSync(join(out, 'check-result.json'), 'utf8')) as {
      properties: Record<string, unknown>
    }
    assert.ok('moon_phase' in properties)
  })

  it('reports a directory that it cannot write to', async () => {
    const file = join(temporaryDirectory(), 'taken')
    writeFileSync(file, '')
    const { code, err } = await assay('schemas', '--out', join(file, 'in'))
    assert.equal(code, 73)
    assert.match(err, /^assay: cannot write .*check-result\.json: /)
  })

  it('shows no secret option, and accepts none from a world-readable file', async () => {
    const file = join(temporaryDirectory(), 'keyed.mjs')
    const options = `{ type: 'object', properties: { key: { type: 'string', default: '', writeOnly: true } }, additionalProperties: false }`
    const schema = `{ type: 'object', properties: {}, additionalProperties: false }`
    writeFileSync(
      file,
      `export default { name: 'keyed', description: 'd', targets: ['ip'], needs: [], signals: {}, schema: ${schema}, options: ${options}, analyze: () => ({ section: {}, signals: [] }) }`,
    )
    const config = configured({ load: [file], plugins: { keyed: { options: { key: 'K3Y' } } } })
    chmodSync(config, 0o644)
    const { code, err } = await assay('plugins', '--config', config)
    assert.equal(code, 78)
    assert.match(err, /plugins\.keyed\.options\.key: is a secret, and .* is world-readable: run `chmod o-r` on it/)
    assert.ok(!err.includes('K3Y'))
    chmodSync(config, 0o600)
    for (const flags of [[], ['--json'], ['--markdown']]) {
      const { code, out } = await assay('plugins', '--config', config, ...flags)
      assert.deepEqual([code, out.includes('keyed'), out.includes('K3Y')], [0, true, false])
    }
  })

  const included: readonly (readonly [what: string, content: unknown, settings: (part: object) => object])[] = [
    ['the secret itself', 'K3Y', part => ({ abuseipdb: { options: { key: part } } })],
    ['the options with it', { key: 'K3Y' }, part => ({ abuseipdb: { options: part } })],
    ['the plugins with it', { abuseipdb: { options: { key: 'K3Y' } } }, part => part],
  ]
  for (const [what, content, settings] of included) {
    it(`accepts no secret from a world-readable file that is ${what}, even if included`, async () => {
      const part = join(temporaryDirectory(), 'part.json')
      writeFileSync(part, JSON.stringify(content))
      const config = configured({ plugins: settings({ $file: part }) })
      chmodSync(config, 0o644)
      chmodSync(part, 0o604)
      const { code, err } = await assay('plugins', '--config', config)
      const told = `plugins.abuseipdb.options.key: is a secret, and ${part} is world-readable: run \`chmod o-r\` on it`
      assert.deepEqual([code, err.includes(told), err.includes('K3Y')], [78, true, false])
      chmodSync(part, 0o600)
      assert.equal((await assay('plugins', '--config', config)).code, 0)
    })
  }

  it('prints the catalogue in docs/signals.md', async () => {
    const { out } = await assay('plugins', '--markdown')
    assert.equal(out, readFileSync(join(import.meta.dirname, '../../docs/signals.md'), 'utf8'))
  })
})
