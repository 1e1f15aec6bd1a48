// The gate fails a run in which something is missing: real runs of Node's test runner over small suites.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { LeftOut } from './gate.ts'
import { temporaryDirectory } from './temporary_directory.ts'

/** The files that every run below is to have run. */
const FILES = ['a.test.ts', 'b.test.ts']
const NEEDS_NGINX = "{ skip: 'needs nginx: apt-get install nginx' }"
const passing = (file: string, options = '{}') => `describe('${file}', () => { it('works', ${options}, () => {}) })`

interface Run {
  /** The text of the suite. */
  readonly suite: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly expected?: LeftOut
  readonly status: 0 | 1
  /** What the gate prints. */
  readonly says: readonly string[]
}

const runs: Readonly<Record<string, Run>> = {
  'passes when each file has a test that ran': { suite: FILES.map(file => passing(file)), status: 0, says: [] },
  'fails when a file is not there': {
    suite: [passing('a.test.ts')],
    status: 1,
    says: ['GATE: no test of b.test.ts ran'],
  },
  'fails when a file has no test': {
    suite: [passing('a.test.ts'), "describe('b.test.ts', () => { describe('of nothing', () => {}) })"],
    status: 1,
    says: ['GATE: no test of b.test.ts ran'],
  },
  'says what was left out outside of CI, once for each thing that is missing': {
    suite: [
      passing('a.test.ts', NEEDS_NGINX),
      `describe('b.test.ts', () => { describe('x', ${NEEDS_NGINX}, () => {}) })`,
    ],
    status: 0,
    says: ['Left out: 2 suites and tests in a.test.ts, b.test.ts: needs nginx: apt-get install nginx'],
  },
  'fails under CI when a suite is left out for want of a program': {
    suite: [
      passing('a.test.ts'),
      `describe('b.test.ts', () => { it('y', () => {}); describe('x', ${NEEDS_NGINX}, () => {}) })`,
    ],
    env: { CI: 'true' },
    status: 1,
    says: [
      'Left out: x in b.test.ts: needs nginx: apt-get install nginx',
      'GATE: left out in b.test.ts: x (needs nginx: apt-get install nginx)',
    ],
  },
  'fails under CI when a test is left out for any other reason': {
    suite: [passing('a.test.ts'), "describe('b.test.ts', () => { it('y', () => {}); it.todo('x') })"],
    env: { CI: 'true' },
    status: 1,
    says: ['Left out: x in b.test.ts: true', 'GATE: left out in b.test.ts: x (true)'],
  },
  'passes without the programs when what is left out is what was expected': {
    suite: [passing('a.test.ts'), passing('b.test.ts', NEEDS_NGINX)],
    env: { CI: 'true', BARE: '1' },
    expected: { nginx: ['b.test.ts'] },
    status: 0,
    says: ['Left out: works in b.test.ts: needs nginx: apt-get install nginx'],
  },
  'fails without the programs when more or less is left out than was expected': {
    suite: [passing('a.test.ts', NEEDS_NGINX), passing('b.test.ts')],
    env: { CI: 'true', BARE: '1' },
    expected: { nginx: ['b.test.ts'] },
    status: 1,
    says: [
      'Left out: works in a.test.ts: needs nginx: apt-get install nginx',
      'GATE: left out, but not expected to be: a.test.ts for nginx',
      'GATE: expected to be left out, but was not: b.test.ts for nginx',
    ],
  },
}

describe('the gate of the suite', () => {
  for (const [title, { suite, env = {}, expected = {}, status, says }] of Object.entries(runs)) {
    it(title, () => {
      const directory = temporaryDirectory()
      const at = (name: string) => join(directory, name)
      const own = (file: string) => pathToFileURL(join(import.meta.dirname, file)).href
      writeFileSync(at('suite.mjs'), `import { describe, it } from 'node:test'\n${suite.join('\n')}`)
      writeFileSync(
        at('reporter.mjs'),
        `import { register } from '${import.meta.resolve('tsx/esm/api')}'
register()
const { createGate, modeOf } = await import('${own('gate.ts')}')
export default createGate({ files: ${JSON.stringify(FILES)}, mode: modeOf(process.env), expected: ${JSON.stringify(expected)} })`,
      )
      const { CI, BARE, NODE_TEST_CONTEXT, ...inherited } = process.env
      const run = spawnSync(
        process.execPath,
        ['--test', `--test-reporter=${at('reporter.mjs')}`, '--test-reporter-destination=stderr', at('suite.mjs')],
        { encoding: 'utf8', env: { ...inherited, ...env } },
      )
      assert.deepEqual([run.stderr.split('\n').filter(line => line !== ''), run.status], [says, status])
    })
  }
})
