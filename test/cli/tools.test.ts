// What `npm run` offers tells what it takes.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { testProgram } from '../assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Where each has its command line. */
const tools = {
  bench: 'lab/bench/main.ts',
  crash: 'lab/bench/crash.ts',
  demo: 'src/testing/demo/main.ts',
  faults: 'test/faults/options.ts',
  fuzz: 'test/fuzz/main.ts',
  golden: 'test/golden/write.ts',
  soak: 'test/soak/main.ts',
  train: 'lab/training/main.ts',
}

/** One of them, run. */
const run = (tool: keyof typeof tools, ...args: readonly string[]) =>
  new Promise<{ code: number; out: string; err: string }>(resolve => {
    execFile(process.execPath, [...testProgram(join(ROOT, tools[tool])), ...args], { cwd: ROOT }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err })
    })
  })

describe('a tool that npm runs', { timeout: 300_000 }, () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const [name, file] of Object.entries(tools)) {
    it(`${name} documents its command line`, () => {
      assert.ok(name in scripts)
      assert.match(readFileSync(join(ROOT, file), 'utf8'), new RegExp(`createTool\\(\\s*'${name}',`))
    })
  }

  it('prints its options on standard output', async () => {
    const { code, out, err } = await run('fuzz', '--help')
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^Usage: npm run fuzz -- \[options\]\n/)
    for (const option of ['--requests <n>', '--responses <n>', '--seed <n>']) assert.ok(out.includes(option), option)
  })

  it('says what is wrong with its options and exits with 64', async () => {
    const { code, out, err } = await run('fuzz', '--request', '1')
    assert.deepEqual([code, out], [64, ''])
    assert.match(err, /^error: unknown option '--request'\n\(Did you mean --requests\?\)\n$/)
  })

  it('rejects an unknown list to hold back, and suggests the intended one', async () => {
    const directory = temporaryDirectory()
    const [benign, malicious] = [join(directory, 'benign.tsv'), join(directory, 'malicious.tsv')]
    writeFileSync(benign, 'garden.example\tpopular\n')
    writeFileSync(malicious, 'login-garden.example\tphishing\tfeed-of-one\n')
    const lists = ['--benign', benign, '--malicious', malicious]
    const { code, out, err } = await run('train', ...lists, '--hold', 'popular,feed-of-on')
    assert.deepEqual([code, out, err], [64, '', '--hold: no name is from "feed-of-on"; did you mean "feed-of-one"?\n'])
  })
})
