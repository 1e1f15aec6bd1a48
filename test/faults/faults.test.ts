import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { testProgram } from '../assay.ts'
import { withoutAbility } from '../needs.ts'
import { cases } from './cases/index.ts'
import { chooseFaults } from './choose.ts'
import { readOptions } from './options.ts'
import { notProven, provenElsewhere, ROWS } from './rows.ts'
import { type Report, titleOf } from './run.ts'

const withoutNamespaces = withoutAbility('network namespaces')
/**
 * One case of some rows, the same each time: a run tells of the change at hand, and nothing else may make it fail. `npm run faults`
 * plays all of them.
 */
const SEED = process.env['FAULTS_SEED'] ?? '1'
const CHOICE = ['--seed', SEED, '--variants', '1', '--rows', '30', '--lanes', '4', '--untimed']
const options = readOptions(CHOICE)
const stage = withoutNamespaces ? 'loopback' : 'namespace'
const { played, left_out } = chooseFaults(options, stage)
const ROOT = resolve(import.meta.dirname, '../..')
/** Milliseconds: half a minute of work on a quiet machine. */
const PATIENCE_MS = 400_000

describe(`one service withstands, seed ${options.seed}`, { timeout: PATIENCE_MS }, () => {
  const reports = new Map<string, Report>()
  let summary: { readonly wrong: number; readonly forbidden: number } | undefined
  let run: ReturnType<typeof spawn>

  before(async () => {
    const main = join(import.meta.dirname, 'main.ts')
    const args = [...CHOICE, '--stage', stage, '--json']
    run = spawn(process.execPath, [...testProgram(main), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface({ input: run.stdout as NodeJS.ReadableStream })) {
      const told = JSON.parse(line)
      if (told.summary) summary = told.summary
      else reports.set(titleOf(told), told)
    }
  })
  after(() => run.kill())

  for (const { fault } of played) {
    it(titleOf(fault), () => {
      const report = reports.get(titleOf(fault))
      assert.ok(report, 'it was played')
      assert.equal(report.fault, null)
    })
  }

  it('without a packet to a forbidden address', () => {
    assert.equal(summary?.forbidden, 0)
  })

  it('also what needs a network namespace', { skip: withoutNamespaces }, () => {
    assert.deepEqual(left_out, [])
  })
})

describe('the table of faults', () => {
  it('has every row once: played, covered by another test, or declared as not covered', () => {
    const played = [...new Set(cases.map(({ row }) => row))].filter(row => ROWS.includes(row))
    const others = [...Object.keys(provenElsewhere), ...Object.keys(notProven)].map(Number)
    const all = [...played, ...others].sort((one, other) => one - other)
    assert.deepEqual(all, ROWS)
  })

  for (const [row, { file, says }] of Object.entries(provenElsewhere)) {
    it(`finds row ${row} in ${file}`, () => {
      assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(says), says)
    })
  }

  it('names each case once', () => {
    const titles = cases.map(titleOf)
    assert.equal(new Set(titles).size, titles.length, titles.filter((one, at) => titles.indexOf(one) !== at).join())
  })
})
