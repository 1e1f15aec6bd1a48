// What an isolated plugin sees and says is what it would in the service's process, whatever asks it; and every command ends
// by itself.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { createEngine } from '../../src/index.ts'
import { assayCommand } from '../assay.ts'
import { hostsNamed } from '../service/hosts.ts'
import { startLab } from '../service/lab.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const fixture = (name: string) => join(ROOT, 'test/fixtures/plugins', name)
const RECORDING = join(ROOT, 'test/golden/recordings/phishing.json')

const directory = temporaryDirectory()
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))

function configFor(name: string, parts: object): string {
  const file = join(directory, `${name}.json`)
  const rest = { downloads: { enabled: false }, network: { resolvers: ['127.0.0.1:9'] } }
  writeFileSync(file, JSON.stringify({ ...rest, ...parts }))
  return file
}

const loading = (module: string, isolated: boolean) => ({ load: [{ module: fixture(module), isolated }] })

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The command in a process of its own, to its end: for the commands whose end is what is tested. */
const assayProcess = (...args: readonly string[]): Promise<Ended> =>
  new Promise(ended => {
    execFile(process.execPath, [...assayCommand(), ...args], { cwd: ROOT }, (error, out, err) =>
      ended({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })

describe('an isolated plugin in', { timeout: 300_000 }, () => {
  const [apart, here] = [true, false].map(isolated =>
    configFor(`mirror-${isolated}`, { ...loading('mirror.js', isolated), plugins: { carbon_footprint: false } }),
  )

  it('a check of a recording gives the same section as in the service', async () => {
    const replayed = async (run: typeof assay, config = ''): Promise<Record<string, unknown>> => {
      const { code, out, err } = await run('check', '--replay', RECORDING, '--json', '--config', config)
      assert.deepEqual([code, err], [0, ''])
      const { scoring_policy, coverage, ...result } = JSON.parse(out)
      return result
    }
    const [isolated, other] = [await replayed(assayProcess, apart), await replayed(assay, here)]
    assert.ok((isolated['mirror'] as { kinds: number }).kinds > 9)
    assert.deepEqual(isolated, other)
  })

  it('explain has the same points', async () => {
    const explained = async (isolated: boolean): Promise<{ id: string; change: number }[]> => {
      const moon = configFor(`moon-${isolated}`, loading('moon.js', isolated))
      const { code, out } = await assay('explain', RECORDING, '--json', '--config', moon)
      assert.equal(code, 0)
      return (JSON.parse(out) as { signals: { id: string; change: number }[] }).signals
    }
    const [isolated, other] = [await explained(true), await explained(false)]
    assert.ok(isolated.some(({ id, change }) => id === 'full_moon' && change > 0))
    assert.deepEqual(isolated, other)
  })

  it('the list of plugins is listed as isolated', async () => {
    const { code, out } = await assay('plugins', '--config', apart ?? '')
    assert.equal(code, 0)
    assert.match(out, /^mirror \(.*mirror\.js, enabled, isolated\)\n {2}Tells what it was shown\.$/m)
  })

  it('a check of many names answers for each', async () => {
    const names = join(directory, 'names.txt')
    writeFileSync(names, 'one.com\ntwo.com\nthree.com\n')
    const config = configFor('many', { ...loading('name_length.js', true), plugins: off })
    const { code, out } = await assayProcess('check', '--input', names, '--quiet', '--config', config)
    assert.equal(code, 0)
    const records = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.deepEqual(
      records.map(({ domain, name_length }) => [domain, name_length?.characters]).sort(),
      [['one.com', 7], ['three.com', 9], ['two.com', 7]], // biome-ignore format: a table
    )
  })

  it('the test of a plugin follows the contract, also one with a source', async () => {
    const dir = temporaryDirectory()
    assert.equal((await assay('plugin', 'new', 'moon_phase', '--dir', dir)).code, 0)
    const { code, out } = await assayProcess('plugin', 'test', '--isolated', join(dir, 'moon_phase'))
    assert.equal(code, 0)
    assert.match(out, /^moon_phase: follows the contract/)
    assert.equal((await assay('plugin', 'new', 'our_own', '--source', '--dir', dir)).code, 0)
    const other = await assayProcess('plugin', 'test', '--isolated', join(dir, 'our_own'))
    assert.equal(other.code, 0, other.err)
    assert.match(other.out, /^our_own_source: follows the contract$/m)
  })

  it('a program with its own engine answers until that is closed', async () => {
    const engine = await createEngine({
      ...loading('name_length.js', true),
      downloads: { enabled: false },
      plugins: off,
    })
    const { name_length, coverage } = await engine.check('example.com')
    assert.deepEqual([name_length, coverage.complete], [{ characters: 11, kind: 'plain' }, true])
    await engine.close()
    await assert.rejects(engine.check('example.org'), { name: 'AnalysisUnavailable', reason: 'plugin_ended' })
  })

  it('a check with a shorter deadline is reported as late, not as failed', async () => {
    const load = [{ module: fixture('brute.js'), isolated: true }, fixture('name_length.js')]
    const parts = { load, plugins: off, downloads: { enabled: false }, check: { deadline_ms: 800 } }
    const engine = await createEngine(parts)
    const { coverage } = await engine.check('loop.com')
    await engine.close()
    const { brute, name_length } = (coverage as unknown as { sections: Record<string, Record<string, unknown>> })
      .sections
    assert.deepEqual([brute?.['status'], brute?.['reason']], ['unavailable', 'deadline'])
    assert.equal(name_length?.['status'], 'completed')
  })
})

describe('evidence', { timeout: 300_000 }, () => {
  it('of a live check is plain data, so that every process sees the same', async () => {
    const settings = { ...loading('mirror.js', true), plugins: { carbon_footprint: false } }
    const lab = await startLab({ hosts: hostsNamed('healthy-shop.lab'), settings })
    const { analysis, result } = await lab.check({ domain: 'healthy-shop.lab' })
    await lab.close()
    assert.ok((result['mirror'] as { kinds: number }).kinds > 9)
    for (const [name, gathered] of analysis.evidence)
      assert.deepEqual(JSON.parse(JSON.stringify(gathered)), gathered, name)
  })
})
