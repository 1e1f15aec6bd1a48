// A service on a fifth of a core and 256 MiB, asked for more than it can do.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { createCgroup } from './cgroup.ts'
import { firstKey, serve } from './served.ts'

const MIB = 1024 * 1024
const CORES = 0.2
const MEMORY = 256 * MIB
const CLIENTS = 100
const LOAD_MS = 5_000
/** What a client is told under load, besides its answer. */
const SHED = [429, 503]

it('a service with a fifth of a core and 256 MiB sheds excess load, is not killed, and continues to serve', {
  timeout: 300_000,
}, async t => {
  const group = createCgroup(`assay-test-${process.pid}`, MEMORY, CORES)
  if (group === null) {
    // Said rather than failed: nothing else can be shown of it here.
    t.diagnostic('left out: control groups cannot be made here; run as root')
    return
  }
  const dns = await startLabDns({ zones: { '*.lab': { A: ['10.0.0.5'] } } })
  const directory = temporaryDirectory()
  const config = join(directory, 'config.json')
  const settings = {
    server: { port: 0, drain_delay_ms: 0 },
    data: 'data',
    network: { resolvers: [dns.address] },
    downloads: { enabled: false },
    green_hosting: { enabled: false },
    check: { per_key: 10_000, per_key_per_second: 1_000_000 },
  }
  writeFileSync(config, JSON.stringify(settings))
  const service = serve(['--config', config], {}, group.through)
  t.after(async () => {
    service.signal('SIGKILL')
    await service.ended
    await dns.close()
    for (let tries = 0; tries < 50; tries++) {
      try {
        group.remove()
        break
      } catch {
        await pause(100)
      }
    }
  })
  const url = await service.url
  const key = firstKey(service) ?? ''
  group.limitCpu(service.pid)

  const agent = new Agent({ keepAlive: true })
  const check = (name: string) =>
    new Promise<number>(resolve => {
      const headers = { 'X-API-Key': key }
      request(`${url}/api/v1/check?domain=${name}.lab`, { agent, headers }, response => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
      })
        .once('error', () => resolve(0))
        .end()
    })
  const ends = new Map<number, number>()
  const until = performance.now() + LOAD_MS
  const client = async (id: number) => {
    for (let n = 0; performance.now() < until; n++) {
      const end = await check(`name-${id}-${n}`)
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, id) => client(id)))
  assert.equal(group.oom_kills(), 0)
  assert.ok(
    SHED.some(status => ends.has(status)),
    'the rest is told so',
  )
  assert.deepEqual(
    [...ends.keys()].filter(end => end !== 200 && !SHED.includes(end)),
    [],
  )

  let last = await check('afterwards')
  for (let tries = 0; last !== 200 && tries < 100; tries++) {
    await pause(200)
    last = await check(`afterwards-${tries}`)
  }
  assert.equal(last, 200)
  agent.destroy()
})
