// action.yml: it parses, its inputs are options that exist, and its step runs.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { FAIL_ON } from '../../src/cli/result_options.ts'
import { withoutBuild } from '../assay.ts'
import { assay } from '../cli/assay.ts'
import { offline } from '../cli/offline.ts'
import { without } from '../needs.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

interface Step {
  readonly id?: string
  readonly shell: string
  readonly env: Readonly<Record<string, string>>
  readonly run: string
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

const ROOT = resolve(import.meta.dirname, '../..')
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action
const step = action.runs.steps.find(({ id }) => id === 'check')

describe('action.yml', () => {
  it('is a composite action whose inputs all reach the step, as variables only', () => {
    assert.equal(action.runs.using, 'composite')
    const used = Object.values(step?.env ?? {}).flatMap(
      value => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? [],
    )
    assert.deepEqual(used.sort(), Object.keys(action.inputs).sort())
    for (const { run, shell } of action.runs.steps) {
      assert.equal(shell, 'bash')
      assert.ok(!run.includes('${{'), 'an input in the text of a script could run commands')
    }
  })

  it('names only options and values of `assay check`', async () => {
    const { out: help } = await assay('check', '--help')
    const [text = ''] = /options=\([\s\S]*status=0/.exec(step?.run ?? '') ?? []
    const options = [...text.matchAll(/--[a-z-]+/g)].map(([name]) => name)
    assert.ok(options.length >= 9, options.join(' '))
    for (const option of options) assert.match(help, new RegExp(`^ +(?:-\\w, )?${option}\\b`, 'm'))
    const choices = [...(action.inputs['fail-on']?.description ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)
    assert.deepEqual(choices.sort(), [...FAIL_ON].sort())
  })

  describe('its step', { skip: withoutBuild || without('bash') }, () => {
    const directory = temporaryDirectory()
    const at = (name: string) => join(directory, name)
    const config = offline(directory, 'name_length')
    const LONG = 'a-name-that-goes-on-and-on-and-on.org'

    function runStep(name: string, given: Readonly<Record<string, string>>) {
      const inputs = { config, sarif: at(`${name}.sarif`), ...given }
      const value = (expression: string) =>
        expression.replace(/\$\{\{ (?:inputs\.([\w-]+)|github\.action_path) \}\}/g, (_, input?: string) =>
          input === undefined
            ? ROOT
            : ((inputs as Record<string, string>)[input] ?? action.inputs[input]?.default ?? ''),
        )
      const env = Object.fromEntries(Object.entries(step?.env ?? {}).map(([key, text]) => [key, value(text)]))
      const ran = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? ''], {
        cwd: directory,
        env: { ...process.env, ...env, GITHUB_OUTPUT: at(`${name}.output`) },
        encoding: 'utf8',
      })
      return { ...ran, output: readFileSync(at(`${name}.output`), 'utf8') }
    }
    const rulesIn = (file: string) => {
      const { runs } = JSON.parse(readFileSync(file, 'utf8')) as { runs: { results: { ruleId: string }[] }[] }
      return runs[0]?.results.map(({ ruleId }) => ruleId).sort()
    }

    it('prints a line for each target, writes SARIF, and fails the job', () => {
      const { status, stdout, output } = runStep('failing', { targets: `example.com\n  ${LONG} ` })
      assert.equal(status, 1)
      assert.deepEqual(stdout.match(/^\w+ +\d+ {2}[\w.-]+/gm)?.sort(), [
        `review    0  example.com`,
        `review   40  ${LONG}`,
      ])
      assert.equal(output, `sarif=${at('failing.sarif')}\nexit-code=1\n`)
      assert.deepEqual(rulesIn(at('failing.sarif')), ['long_name', 'recommendation/review', 'recommendation/review'])
    })

    it('reads a file, visits nothing and passes when told so', () => {
      writeFileSync(at('targets.txt'), `${LONG}\n`)
      const given = { input: at('targets.txt'), visit: 'false', 'fail-on': '', csv: at('passing.csv') }
      const { status, output } = runStep('passing', given)
      assert.deepEqual([status, output], [0, `sarif=${at('passing.sarif')}\nexit-code=0\n`])
      assert.match(readFileSync(at('passing.csv'), 'utf8'), /^1,a-name-/m)
    })

    it('runs nothing that a target contains', () => {
      const { status } = runStep('hostile', { targets: '$(touch hostile) `touch hostile` ;touch --help' })
      assert.deepEqual([status, existsSync(at('hostile'))], [65, false])
    })
  })
})
