// Plugins of others, and what the rest of the process shares with them.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readSettings } from '../../src/config/config.ts'
import { loadRegistry } from '../../src/engine/plugins.ts'
import { refuseHolding, snapshotSharedObjects } from '../../src/engine/supervised.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const directory = temporaryDirectory()

/** Loads modules of these texts; the faults, and what else became of shared objects, which is nothing. */
async function load(...texts: readonly string[]): Promise<readonly (readonly [path: string, message: string])[]> {
  const before = snapshotSharedObjects()
  const named = texts.map((text, at) => {
    const name = `./${texts.length}-${at}-${Math.random().toString(36).slice(2)}.mjs`
    writeFileSync(join(directory, name), text)
    return name
  })
  const { config, base } = readSettings({ load: named }, directory, {})
  const { faults } = await loadRegistry([], config, base)
  assert.deepEqual(before.restore(), [])
  return faults.map(({ path, message }) => [path, message.replace(/^cannot load "[^"]*": /, '')])
}

const sound = `export default { name: 'sound', description: '', apply() {} }`

describe('shared objects', () => {
  it('are restored when a module changes them, and the module is named', async () => {
    const faults = await load(
      'Array.prototype.push = () => 0; String.prototype.shout = () => ""; export default {}',
      sound,
      'delete Object.prototype.valueOf; JSON.parse = null; export default {}',
    )
    assert.deepEqual(faults, [
      ['load.0', 'changes Array.prototype.push, String.prototype.shout, which all code shares'],
      ['load.2', 'changes JSON.parse, Object.prototype.valueOf, which all code shares'],
    ])
  })

  it('are not affected by a module that adds a global', async () => {
    assert.deepEqual(await load(`globalThis.ofItsOwn = 1; ${sound}`), [])
    Reflect.deleteProperty(globalThis, 'ofItsOwn')
  })

  it('are unchanged when no plugin changed them', () => {
    assert.deepEqual(snapshotSharedObjects().restore(), [])
  })
})

describe('the time of a plugin', () => {
  const cases: readonly (readonly [what: string, passed: number, used: number, held: boolean])[] = [
    ['more than a second of computing', 1_500, 1_400, true],
    ['a second of waiting for a busy machine', 1_500, 300, false],
    ['a second of others’ computing', 300, 1_500, false],
    ['a moment', 3, 3, false],
  ]
  for (const [what, passed, used, held] of cases) {
    it(`is ${held ? 'too long' : 'acceptable'}: ${what}`, () => {
      const refuse = () => refuseHolding(passed, { user: used * 1_000, system: 0 })
      if (held) assert.throws(refuse, /^Error: held the service for 1400 ms$/)
      else refuse()
    })
  }
})
