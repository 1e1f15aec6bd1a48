// Plugins that mean the process they run in no good.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { assayCommand } from '../assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { firstKey, type Served, serve } from './served.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures/plugins')

const directory = temporaryDirectory()
/** No built-in plugin, hence no network. */
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))

function configFor(name: string, load: readonly string[]): string {
  const file = join(directory, `${name}.json`)
  const server = { port: 0, drain_delay_ms: 0 }
  const rest = { downloads: { enabled: false }, network: { resolvers: ['127.0.0.1:9'] } }
  writeFileSync(file, JSON.stringify({ server, data: `${name}-data`, plugins: off, load, ...rest }))
  return file
}

describe('a plugin that means harm to a command', { timeout: 60_000 }, () => {
  const config = configFor('command', [join(FIXTURES, 'vandal.js'), join(FIXTURES, 'name_length.js')])
  const names = join(directory, 'names.txt')
  writeFileSync(
    names,
    ['exit', 'abort', 'kill', 'chdir', 'untold', 'rejection', 'code', 'late'].map(name => `${name}.com\n`).join(''),
  )

  it('loses its section, and the run goes on to its end', async () => {
    const args = ['check', '--input', names, '--config', config, '--quiet', '--concurrency', '1']
    const child = spawn(process.execPath, [...assayCommand(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    const failed = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { input: string; coverage: { sections: { vandal: { status: string } } } })
      .filter(({ coverage }) => coverage.sections.vandal.status === 'failed')
      .map(({ input }) => input)
    assert.deepEqual([code, failed.sort()], [0, ['abort.com', 'chdir.com', 'exit.com', 'kill.com', 'untold.com']])
    assert.match(
      err,
      /^assay: vandal broke at analyze of exit\.com: Error: process\.exit is not for plugins \(told once\)$/m,
    )
    assert.match(err, /^assay: an error that no check was waiting for: Error: left behind \(told once\)$/m)
  })
})

it('a plugin that leaves a timer behind does not keep a command from its end', { timeout: 60_000 }, async () => {
  const ticks = join(directory, 'ticks.mjs')
  writeFileSync(ticks, `setInterval(() => {}, 1_000)\n${readFileSync(join(FIXTURES, 'moon.js'), 'utf8')}`)
  const args = ['plugins', '--config', configFor('ticks', [ticks])]
  const child = spawn(process.execPath, [...assayCommand(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  assert.equal(code, 0)
  assert.match(out, /^Ceilings: .+\n$/m)
})

describe('a plugin that means harm', { timeout: 60_000 }, () => {
  let service: Served
  let url: string
  before(async () => {
    service = serve([
      '--config',
      configFor(
        'vandal',
        ['vandal.js', 'name_length.js'].map(file => join(FIXTURES, file)),
      ),
    ])
    url = await service.url
  })
  after(() => service.signal('SIGKILL'))

  /** How its section went. */
  async function statusAt(name: string): Promise<string> {
    const headers = { 'X-API-Key': firstKey(service) ?? '' }
    const response = await fetch(`${url}/api/v1/check?domain=${name}.com`, { headers })
    const body = (await response.json()) as { coverage: { sections: Record<string, { status: string }> } }
    assert.equal(response.status, 200)
    return body.coverage.sections['vandal']?.status ?? ''
  }

  const patched =
    /^changes Object\.prototype\.polluted, Array\.prototype\.map, globalThis\.fetch, which all code shares$/
  const refused: readonly (readonly [name: string, what: string, said: RegExp])[] = [
    ['exit', 'calls process.exit', /^process\.exit is not for plugins$/],
    ['abort', 'calls process.abort', /^process\.abort is not for plugins$/],
    ['kill', 'calls process.kill', /^process\.kill is not for plugins$/],
    ['rawkill', 'calls process._kill', /^process\._kill is not for plugins$/],
    ['chdir', 'calls process.chdir', /^process\.chdir is not for plugins$/],
    ['patch', 'changes what all code shares', patched],
    ['hold', 'computes for longer than a second', /^held the service for \d{4} ms$/],
  ]
  for (const [name, what] of refused) {
    it(`loses its section, and no more, when it ${what}`, async () => {
      assert.deepEqual([await statusAt(name), await statusAt(`after-${name}`)], ['failed', 'completed'])
    })
  }

  for (const [name, what] of [
    ['handlers', 'adds handlers of signals'],
    ['rejection', 'leaves a rejection behind'],
    ['code', 'sets the exit code'],
  ] as const) {
    it(`changes nothing when it ${what}`, async () => {
      assert.deepEqual([await statusAt(name), await statusAt(`after-${name}`)], ['completed', 'completed'])
    })
  }

  it('is named in the log with what it did, and the service ends as it would have', async () => {
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
    const lines = service.stdout().trimEnd().split('\n')
    const defects = lines.map(line => JSON.parse(line)).filter(({ plugin }) => plugin === 'vandal')
    assert.equal(defects.length, refused.length)
    for (const [at, [, , said]] of refused.entries()) assert.match(defects[at]?.error.message, said)
  })

  it('is a fault of the configuration when it would end the process while it is loaded', async () => {
    writeFileSync(join(directory, 'quits.mjs'), 'process.exit(0)')
    const quits = serve(['--config', configFor('quits', ['./quits.mjs'])])
    assert.equal(await quits.ended, 78)
    assert.match(quits.stderr(), /load\.0: cannot load "\.\/quits\.mjs": process\.exit is not for plugins/)
  })
})
