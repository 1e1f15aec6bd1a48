// Plans that keys hold and the configuration does not have.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { stores } from '../store/opened.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

const plans = { startup: { quota: 10, period: 'month' }, busines: { quota: 20, period: 'month' } }
const advice = 'change the plan of each account: `npx assay keys plan ACCOUNT PLAN`'

/** A store with keys of two plans, and a way to configure it. */
async function storeOf(store: string | null) {
  const directory = temporaryDirectory()
  const configured = (settings: object) => {
    const file = join(directory, `config-${Math.random()}.json`)
    writeFileSync(file, JSON.stringify({ store, data: 'data', server: { port: 0 }, ...settings }))
    return file
  }
  const whole = configured({})
  const create = async (...args: readonly string[]) => {
    const { out, err } = await assay('keys', 'create', '--config', whole, '--json', ...args)
    assert.equal(err, '')
    return JSON.parse(out) as { id: string; account: string }
  }
  const { account } = await create('--plan', 'business')
  await create('--account', account)
  await create('--plan', 'startup')
  const { id } = await create('--plan', 'startup')
  await assay('keys', 'revoke', id, '--config', whole)
  return { configured, account }
}

describe('a configuration without a plan that valid keys have', () => {
  for (const { name, url } of stores) {
    it(`is reported with all other errors by ${name}, and works once the account has another plan`, async () => {
      const { configured, account } = await storeOf(await url())
      const missing = configured({ plans })
      const first = await assay('serve', '--config', missing)
      const fault = `  plans.business: missing, but 1 account with 2 valid keys has this plan; did you mean "busines"? Add it, or ${advice}\n`
      assert.deepEqual([first.code, first.err], [78, `assay: The configuration has 1 error:\n${fault}`])
      const both = await assay('serve', '--config', configured({ plans, scoring: { groups: { hygeine: 5 } } }))
      assert.deepEqual(
        [both.code, both.err],
        [
          78,
          'assay: The configuration has 2 errors:\n' +
            '  scoring.groups.hygeine: unknown group: no signal uses it; did you mean "hygiene"?\n' +
            fault,
        ],
      )
      const { code } = await assay('keys', 'plan', account, 'startup', '--config', missing)
      assert.equal(code, 0)
      const unlike = { pluginz: {} }
      const last = await assay('serve', '--config', configured({ plans, ...unlike }))
      assert.equal(last.err, 'assay: The configuration has 1 error:\n  pluginz: unknown key; did you mean "plugins"?\n')
    })
  }

  it('that has other errors creates no store', async () => {
    const directory = temporaryDirectory()
    const file = join(directory, 'config.json')
    writeFileSync(file, JSON.stringify({ data: 'data', pluginz: {} }))
    assert.equal((await assay('serve', '--config', file)).code, 78)
    assert.equal(existsSync(join(directory, 'data')), false)
  })
})
