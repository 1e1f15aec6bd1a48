import assert from 'node:assert/strict'
import { it } from 'node:test'
import { printNotices } from '../../src/cli/notices.ts'
import type { Config } from '../../src/config/config.ts'
import type { Registry } from '../../src/engine/registry.ts'
import './assay.ts'

const registry = { analyzers: [{ analyzer: { needs: ['green_hosting'] }, enabled: true }] } as unknown as Registry

/** What is printed of a fault and of who learns the names. */
function printed(host: string): string[] {
  const fault = 'The fault.'
  const config = { green_hosting: { enabled: true, endpoint: `https://${host}/` } } as Config
  const said: string[] = []
  const notices = [fault, `green_hosting: ${host} receives every checked name; disable with "enabled": false`]
  printNotices({ notices, config, registry }, text => said.push(text))
  return said.map(text => /The fault|[a-z]+\.example/.exec(text)?.[0] ?? text)
}

it('says once who learns the checked names, again for another one, and each time what is wrong', () => {
  assert.deepEqual(printed('one.example'), ['The fault', 'one.example'])
  assert.deepEqual(printed('one.example'), ['The fault'])
  assert.deepEqual(printed('two.example'), ['The fault', 'two.example'])
  assert.deepEqual(printed('one.example'), ['The fault'])
})

it('says it each time where nothing can be kept', () => {
  const kept = process.env['XDG_CONFIG_HOME']
  process.env['XDG_CONFIG_HOME'] = '/dev/null'
  try {
    assert.deepEqual([printed('one.example'), printed('one.example')].flat().length, 4)
  } finally {
    process.env['XDG_CONFIG_HOME'] = kept
  }
})
