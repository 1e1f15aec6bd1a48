import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressesOf, runPlugin } from 'assay/testing'
import plugin from './index.js'

const LONG = 'a-name-that-goes-on-and-on-and-on.com'

describe('my_section', () => {
  it('counts the characters of the name and its addresses', async () => {
    const addresses = addressesOf('93.184.216.34', '2606:2800:220:1::1')
    const evidence = { addresses }
    const { status, section, signals, shown } = await runPlugin(plugin, { target: 'example.com', evidence })
    assert.deepEqual([status, section, signals], ['completed', { characters: 11, addresses: 2 }, []])
    assert.deepEqual(shown, { summary: ['The name has 11 characters.'], facts: [['Addresses', 2]] })
  })

  for (const [title, plugins, ids] of [
    ['costs points when the name is long', {}, ['my_section_long_name']],
    ['reads the length from the options', { my_section: { options: { long: 60 } } }, []],
  ]) {
    it(title, async () => {
      const { signals } = await runPlugin(plugin, { target: LONG, plugins })
      assert.deepEqual(
        signals.map(({ id }) => id),
        ids,
      )
    })
  }
})
