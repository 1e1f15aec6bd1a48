// What operators read about a plugin that broke: which plugin, at which stage, for which target.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defectLines } from '../../src/cli/defects.ts'
import type { Extension, Hooks } from '../../src/engine/plugin.ts'
import { defectLog } from '../../src/service/instance.ts'
import { analyzerNamed, EXAMPLE, engineOf } from '../engine/engine_of.ts'

const boom = () => {
  throw new Error('boom')
}

const breaking = (apply: (hooks: Hooks) => void): Extension => ({
  name: 'breaking',
  description: 'For tests.',
  apply,
})

const stages: readonly (readonly [stage: string, plugin: string, plugins: readonly object[], evidence: object])[] = [
  ['gather', 'tls', [analyzerNamed('one', { needs: ['tls'] }), analyzerNamed('other')], { tls: boom }],
  ['analyze', 'one', [analyzerNamed('one', { analyze: boom }), analyzerNamed('other')], {}],
  ['score', 'breaking', [analyzerNamed('one'), breaking(hooks => hooks.score.tap('x', boom))], {}],
  ['compose', 'breaking', [analyzerNamed('one'), breaking(hooks => hooks.compose.tap('x', boom))], {}],
]

/** Checks twice with the observer beside the plugins. */
async function checkTwice(plugins: readonly object[], evidence: object, observer: Extension): Promise<void> {
  const engine = engineOf([...plugins, observer], { evidence: { ...evidence } })
  for (let time = 0; time < 2; time += 1) await engine.check(EXAMPLE)
}

describe('a defect', () => {
  for (const [stage, plugin, plugins, evidence] of stages) {
    it(`at ${stage} is logged with its stage, once per check`, async () => {
      const lines: object[] = []
      const log = { info: boom, warn: boom, error: (line: object) => lines.push(line) }
      await checkTwice(plugins, evidence, defectLog(log as never))
      const logged = lines.map(line => {
        const { error, ...rest } = line as { error: { message?: string } }
        return { ...rest, error: error.message }
      })
      const expected = { plugin, stage, target: 'example.com', error: 'boom' }
      assert.deepEqual(logged, [expected, expected])
    })

    it(`at ${stage} is printed with its stage, once per run`, async () => {
      const lines: string[] = []
      await checkTwice(
        plugins,
        evidence,
        defectLines(line => lines.push(line)),
      )
      assert.equal(lines.length, 1)
      assert.match(lines[0] ?? '', new RegExp(`^assay: ${plugin} failed at ${stage} of example\\.com: .*boom`))
    })
  }
})
