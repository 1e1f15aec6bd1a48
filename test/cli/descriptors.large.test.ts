// A service that may open fewer files than its clients hold.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { firstKey, type Served, serve } from './served.ts'

const DESCRIPTORS = 256
/** Connections that are held open, and opened again when they are closed. */
const CLIENTS = 400
const LOAD_MS = 3_000

let service: Served | undefined
after(() => service?.signal('SIGKILL'))

/** Holds connections without a request until told to let go; yields how many were closed on it. */
function crowd(port: number): () => number {
  const sockets = new Set<Socket>()
  let held = true
  let refused = 0
  const open = () => {
    if (!held) return
    const socket = connect(port, '127.0.0.1')
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      sockets.delete(socket)
      if (held) refused += 1
      setTimeout(open, 200)
    })
  }
  for (let n = 0; n < CLIENTS; n++) open()
  return () => {
    held = false
    for (const socket of sockets) socket.destroy()
    return refused
  }
}

it('a service with too few descriptors refuses excess load, and recovers when the load ends', {
  timeout: 300_000,
}, async () => {
  const dns = await startLabDns({ zones: {} })
  const directory = temporaryDirectory()
  const config = join(directory, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      server: { port: 0, drain_delay_ms: 0 },
      data: 'data',
      network: { resolvers: [dns.address] },
      downloads: { enabled: false },
      green_hosting: { enabled: false },
    }),
  )
  service = serve(['--config', config], {}, ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`])
  const url = await service.url
  const key = firstKey(service) ?? ''
  let names = 0
  /** The status of a check of a name that was never asked for, or the code of what became of the connection. */
  const check = (agent: Agent | false) =>
    new Promise<number | string>(resolve => {
      names += 1
      const headers = { 'X-API-Key': key }
      const asked = request(`${url}/api/v1/check?domain=name-${names}.lab`, { agent, headers }, response => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
      })
      asked.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end()
    })

  const kept = new Agent({ keepAlive: true, maxSockets: 1 })
  assert.deepEqual([await check(kept), await check(false)], [200, 200])

  const release = crowd(Number(new URL(url).port))
  const seen = new Set<number | string>()
  for (const end = performance.now() + LOAD_MS; performance.now() < end; ) {
    for (const agent of [kept, false] as const) seen.add(await check(agent))
    await pause(20)
  }
  const refused = release()
  assert.ok(refused > 0, 'connections on top were refused')
  const expected = [200, 503, 'ECONNRESET', 'ECONNREFUSED', 'EPIPE']
  assert.deepEqual(
    [...seen].filter(end => !expected.includes(end)),
    [],
  )
  assert.ok(seen.has(503) || seen.has('ECONNRESET'), `the load was felt: ${[...seen]}`)

  const until = performance.now() + 15_000
  let last = await check(false)
  while (last !== 200 && performance.now() < until) {
    await pause(50)
    last = await check(false)
  }
  assert.equal(last, 200)
  service.signal('SIGTERM')
  assert.equal(await service.ended, 0)
  kept.destroy()
  await dns.close()
})
