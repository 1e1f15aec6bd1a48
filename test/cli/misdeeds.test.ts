// Plugins that harm the process that runs them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { configFor, fixture } from './harmful_plugins.ts'
import { firstKey, type Served, serve } from './served.ts'

describe('a harmful plugin', { timeout: 300_000 }, () => {
  let service: Served
  let url: string
  before(async () => {
    service = serve(['--config', configFor('vandal', ['vandal.js', 'name_length.js'].map(fixture))])
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
    ['exit', 'calls process.exit', /^plugins must not call process\.exit$/],
    ['abort', 'calls process.abort', /^plugins must not call process\.abort$/],
    ['kill', 'calls process.kill', /^plugins must not call process\.kill$/],
    ['rawkill', 'calls process._kill', /^plugins must not call process\._kill$/],
    ['chdir', 'calls process.chdir', /^plugins must not call process\.chdir$/],
    ['patch', 'changes what all code shares', patched],
    ['hold', 'computes for longer than a second', /^held the service for \d{4} ms$/],
  ]
  for (const [name, what] of refused) {
    it(`loses only its section when it ${what}`, async () => {
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

  it('is named in the log with its mistake, and the service shuts down as usual', async () => {
    service.signal('SIGTERM')
    assert.equal(await service.ended, 0)
    const lines = service.stdout().trimEnd().split('\n')
    const defects = lines.map(line => JSON.parse(line)).filter(({ plugin }) => plugin === 'vandal')
    assert.equal(defects.length, refused.length)
    for (const [at, [, , said]] of refused.entries()) assert.match(defects[at]?.error.message, said)
  })
})
