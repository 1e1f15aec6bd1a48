// What the operator hears of a resolver that sends names which are not there somewhere.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { serve } from './served.ts'

/** Milliseconds until a resolver of this machine has been asked, on a busy one. */
const PATIENCE_MS = 20_000

it('a resolver that rewrites NXDOMAIN is reported in /readyz, the metrics and the log, without addresses', {
  timeout: 300_000,
}, async t => {
  const [honest, inventor] = [
    await startLabDns({ zones: {} }),
    await startLabDns({ zones: {}, fault: () => ({ records: { A: ['198.51.100.80'] } }) }),
  ]
  const directory = temporaryDirectory()
  const config = join(directory, 'config.json')
  const settings = {
    network: { resolvers: [honest.address, inventor.address] },
    downloads: { enabled: false },
    metrics: { expose: 'service' },
    blocklists: { enabled: Object.fromEntries(knownLists.map(({ id }) => [id, false])) },
  }
  writeFileSync(config, JSON.stringify(settings))
  const service = serve([], { PORT: '0', ASSAY_CONFIG: config, ASSAY_DATA: join(directory, 'data') })
  t.after(async () => {
    service.signal('SIGKILL')
    await Promise.all([honest.close(), inventor.close()])
  })
  const url = await service.url
  const ready = async () => {
    const response = await fetch(`${url}/readyz`)
    return { status: response.status, text: await response.text() }
  }
  const until = performance.now() + PATIENCE_MS
  while (!(await ready()).text.includes('notes') && performance.now() < until) await pause(50)
  const { status, text } = await ready()
  const { status: said, notes } = JSON.parse(text)
  assert.deepEqual([status, said, notes], [200, 'ready', { resolvers: 'nxdomain-rewritten' }])
  assert.match(await (await fetch(`${url}/metrics`)).text(), /^assay_resolvers_inventing 1$/m)
  const lines = () =>
    service
      .stdout()
      .split('\n')
      .filter(line => line.includes('nxdomain-rewritten'))
  while (lines().length === 0 && performance.now() < until) await pause(50)
  const { instrument, fault } = JSON.parse(lines()[0] ?? '{}')
  assert.deepEqual([lines().length, instrument, fault], [1, 'resolver 2', 'nxdomain-rewritten'])
  for (const told of [text, service.stdout()]) assert.doesNotMatch(told, /198\.51\.100\.80/)
})
