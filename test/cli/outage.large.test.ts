// A service whose resolver goes silent: what it knew is served, marked, and what it did not know is unknown.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { builtInPlugins } from '../../plugins/index.ts'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { firstKey, serve } from './served.ts'

const limits = { dns_try_ms: 500, dns_phase_ms: 1_000 }
const plugins = Object.fromEntries(
  builtInPlugins.map(({ plugin }) => plugin.name).flatMap(name => (name === 'dns_security' ? [] : [[name, false]])),
)

it('a service whose resolver stops answering serves stale results, marks them, and recovers', {
  timeout: 300_000,
}, async t => {
  let silent = false
  const dns = await startLabDns({
    zones: { 'known.lab': { TXT: ['v=spf1 -all'] } },
    fault: () => (silent ? { silent: true } : undefined),
  })
  const directory = temporaryDirectory()
  const config = join(directory, 'config.json')
  const cache = { complete_seconds: 0.5, incomplete_seconds: 0.5 }
  const network = { resolvers: [dns.address], limits }
  writeFileSync(config, JSON.stringify({ network, plugins, cache, downloads: { enabled: false } }))
  const service = serve([], { PORT: '0', ASSAY_CONFIG: config, ASSAY_DATA: join(directory, 'data') })
  t.after(async () => {
    service.signal('SIGKILL')
    await dns.close()
  })
  const url = await service.url
  const headers = { 'X-API-Key': firstKey(service) ?? '' }
  const ask = async (domain: string) => {
    const response = await fetch(`${url}/api/v1/check?domain=${domain}`, { headers })
    const { cached, stale, code, dns_security, checked_at } = (await response.json()) as Record<string, unknown>
    return { status: response.status, cached, stale, code, dns_security, checked_at }
  }
  const seen = await ask('known.lab')
  assert.deepEqual([seen.status, seen.cached, seen.stale], [200, false, undefined])
  silent = true
  await pause(1_100)
  assert.deepEqual(await ask('known.lab'), { ...seen, cached: true, stale: true })
  const unknown = await ask('unknown.lab')
  assert.deepEqual([unknown.status, unknown.code], [503, 'analysis-unavailable'])
  silent = false
  const again = await ask('known.lab')
  assert.deepEqual([again.status, again.cached, again.stale], [200, false, undefined])
  assert.deepEqual(again.dns_security, seen.dns_security)
})
