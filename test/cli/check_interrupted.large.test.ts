// Runs of `assay check --input` that are killed or interrupted, in processes of their own.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assayCommand } from '../assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'
import { offline } from './offline.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const directory = temporaryDirectory()
const at = (name: string) => join(directory, name)
const config = offline(directory, 'name_length')
const slow = offline(directory, 'patience')

const recordsOf = (output: string) =>
  readFileSync(at(output), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Readonly<Record<string, unknown>>)

describe('an interrupted run', { timeout: 300_000 }, () => {
  const COUNT = 120
  const children = new Set<ChildProcess>()
  let killed: Started
  let asked: Started

  // All at once: what takes long is that processes start.
  before(() => {
    killed = start(at('never'), 'check', ...argsFor('killed'), slow, '--concurrency', '4')
    asked = start(at('asked.release'), 'check', ...argsFor('asked'), slow, '--concurrency', '4')
  })
  after(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  type Started = ReturnType<typeof start>

  /** Most checks wait for the file, so that a run is cut off in the middle. */
  function start(until: string, ...args: readonly string[]) {
    const child = spawn(process.execPath, [...assayCommand(), ...args], {
      cwd: ROOT,
      env: { ...process.env, PATIENCE_UNTIL: until },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    children.add(child)
    let err = ''
    child.stderr?.setEncoding('utf8').on('data', text => {
      err += text
    })
    const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, err }))
    return { child, ended }
  }

  function argsFor(run: string, count = COUNT): string[] {
    writeFileSync(at(`${run}.txt`), every(count).join('\n'))
    return ['--input', at(`${run}.txt`), '--output', at(`${run}.ndjson`), '--quiet', '--config']
  }
  const linesIn = (output: string) =>
    existsSync(at(output)) ? readFileSync(at(output), 'utf8').split('\n').length - 1 : 0
  const grown = async (output: string) => {
    while (linesIn(output) < 8) await pause(10)
  }
  const namesOf = (output: string) => recordsOf(output).map(({ domain }) => domain)
  const every = (count: number) => Array.from({ length: count }, (_, i) => `n${i}.org`)

  it('continues after kill -9: every name has one record, and a torn one is checked again', async () => {
    await grown('killed.ndjson')
    killed.child.kill('SIGKILL')
    assert.equal((await killed.ended).signal, 'SIGKILL')
    const before = readFileSync(at('killed.ndjson'), 'utf8')
    assert.ok(linesIn('killed.ndjson') < COUNT)
    writeFileSync(at('killed.ndjson'), before.slice(0, -20))
    const { code, err } = await assay('check', ...argsFor('killed'), config)
    assert.equal(code, 0)
    assert.match(err, /[1-9]\d* done before/)
    assert.deepEqual(namesOf('killed.ndjson').sort(), every(COUNT).sort())
  })

  it('finishes running checks on a signal, says how to continue, and continues', async () => {
    await grown('asked.ndjson')
    asked.child.kill('SIGTERM')
    writeFileSync(at('asked.release'), '')
    const { code, err } = await asked.ended
    assert.equal(code, 143)
    assert.match(err, /^assay: interrupted after \d+ of \d+ lines read; run the same command to continue$/m)
    const length = linesIn('asked.ndjson')
    assert.ok(length >= 8 && length < COUNT, `${length} records`)
    assert.equal((await assay('check', ...argsFor('asked'), config)).code, 0)
    assert.deepEqual(namesOf('asked.ndjson').sort(), every(COUNT).sort())
  })
})
