// Plugins that harm a command, or a service while it loads them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { assayCommand } from '../assay.ts'
import { configFor, directory, fixture } from './harmful_plugins.ts'
import { serve } from './served.ts'

describe('a harmful plugin in a command', { timeout: 300_000 }, () => {
  const config = configFor('command', [fixture('vandal.js'), fixture('name_length.js')])
  const names = join(directory, 'names.txt')
  writeFileSync(
    names,
    ['exit', 'abort', 'kill', 'chdir', 'untold', 'rejection', 'code', 'late'].map(name => `${name}.com\n`).join(''),
  )

  it('loses its section, and the run completes', async () => {
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
      /^assay: vandal failed at analyze of exit\.com: Error: plugins must not call process\.exit \(reported once\)$/m,
    )
    assert.match(err, /^assay: unexpected error outside any check: Error: left behind \(reported once\)$/m)
  })
})

it('a plugin that leaves a timer behind does not keep a command running', { timeout: 300_000 }, async () => {
  const ticks = join(directory, 'ticks.mjs')
  writeFileSync(ticks, `setInterval(() => {}, 1_000)\n${readFileSync(fixture('moon.js'), 'utf8')}`)
  const args = ['plugins', '--config', configFor('ticks', [ticks])]
  const child = spawn(process.execPath, [...assayCommand(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  assert.equal(code, 0)
  assert.match(out, /^Ceilings: .+\n$/m)
})

describe('a harmful plugin while a service loads it', { timeout: 300_000 }, () => {
  it('is a configuration error, listed with others, if its load never completes', async () => {
    const stuck = ['stuck.mjs', 'stuck_too.mjs']
    for (const file of stuck) writeFileSync(join(directory, file), 'await new Promise(() => {})\nexport default []')
    const waits = serve([
      '--config',
      configFor(
        'stuck',
        [...stuck, 'absent.mjs'].map(file => `./${file}`),
      ),
    ])
    assert.equal(await waits.ended, 78)
    const reason = 'it never finishes loading: its top-level `await` does not settle'
    assert.deepEqual(waits.stderr().trimEnd().split('\n').slice(1), [
      `  load.0: cannot load "./stuck.mjs": ${reason}`,
      `  load.1: cannot load "./stuck_too.mjs": ${reason}`,
      '  load.2: cannot load "./absent.mjs": no such file',
    ])
  })

  it('is a configuration error if it tries to end the process while it is loaded', async () => {
    writeFileSync(join(directory, 'quits.mjs'), 'process.exit(0)')
    const quits = serve(['--config', configFor('quits', ['./quits.mjs'])])
    assert.equal(await quits.ended, 78)
    assert.match(quits.stderr(), /load\.0: cannot load "\.\/quits\.mjs": plugins must not call process\.exit/)
  })
})
