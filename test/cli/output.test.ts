// A command whose output cannot be written, or whose reader has had enough.
import assert from 'node:assert/strict'
import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { assayCommand } from '../assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { offline } from './offline.ts'

const directory = temporaryDirectory()
const config = offline(directory, 'name_length')
const names = join(directory, 'names.txt')
writeFileSync(names, 'a.lab\nb.lab\nc.lab\n')

interface Ended {
  readonly code: number | null
  readonly err: string
}

async function assayTo(out: 'closed' | number, args: readonly string[]): Promise<Ended> {
  const stdio: StdioOptions = ['ignore', out === 'closed' ? 'pipe' : out, 'pipe']
  const child = spawn(process.execPath, [...assayCommand(), ...args], { stdio })
  child.stdout?.destroy()
  const [err, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'close')])
  return { code, err }
}

describe('a command whose output cannot be written', { timeout: 300_000 }, () => {
  const many = ['check', '--input', names, '--config', config, '--quiet']

  it('ends quietly when its reader closes the output', async () => {
    assert.deepEqual(await assayTo('closed', many), { code: 141, err: '' })
  })

  it('reports a full disk', async t => {
    const full = openSync('/dev/full', 'w')
    t.after(() => closeSync(full))
    const err = 'assay: cannot write the output: ENOSPC: no space left on device, write\n'
    assert.deepEqual(await assayTo(full, many), { code: 73, err })
  })

  it('continues when nobody reads standard error', async () => {
    const output = join(directory, 'results.ndjson')
    const args = ['check', '--input', names, '--config', config, '--output', output]
    const child = spawn(process.execPath, [...assayCommand(), ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.destroy()
    assert.deepEqual(await once(child, 'close'), [0, null])
  })
})
