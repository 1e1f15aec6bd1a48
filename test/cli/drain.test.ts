// How a running service ends: it tells balancers first.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryDirectory } from '../temporary_directory.ts'
import { operatorUrl, serve } from './served.ts'

const delay_ms = 500
/** Milliseconds after which the same signal is another one, and some. */
const ECHO_MS = 300

async function get(url: string, agent?: Agent): Promise<IncomingMessage & { text: string }> {
  const [response] = (await once(request(url, agent ? { agent } : { agent: false }).end(), 'response')) as [
    IncomingMessage,
  ]
  let text = ''
  for await (const chunk of response) text += chunk
  return Object.assign(response, { text })
}

it('SIGINT after SIGTERM makes the service exit at once with 130', async () => {
  const config = join(temporaryDirectory(), 'config.json')
  const settings = { server: { port: 0, drain_delay_ms: 60_000 }, data: 'data', downloads: { enabled: false } }
  writeFileSync(config, JSON.stringify(settings))
  const service = serve(['--config', config])
  const url = await service.url
  service.signal('SIGTERM')
  while ((await get(`${url}/readyz`)).statusCode === 200) await pause(10)
  await pause(ECHO_MS)
  service.signal('SIGINT')
  assert.equal(await service.ended, 130)
})

it('a shutdown shows at /readyz, closes connections after their answers, and only then stops accepting', async () => {
  const directory = temporaryDirectory()
  const config = join(directory, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      server: { port: 0, drain_delay_ms: delay_ms },
      data: 'data',
      green_hosting: { enabled: false },
    }),
  )
  const service = serve(['--config', config])
  const url = await service.url
  const agent = new Agent({ keepAlive: true })
  assert.equal((await get(`${url}/readyz`, agent)).statusCode, 200)
  assert.equal((await get(`${url}/metrics`)).statusCode, 404)
  service.signal('SIGTERM')
  // The clock of the machine, as the service has it.
  const began = process.hrtime.bigint()
  // It accepts connections until its delay is over: whoever asks for longer than that is refused, which ends the test.
  let kept = await get(`${url}/readyz`, agent)
  while (kept.statusCode === 200) {
    await pause(10)
    kept = await get(`${url}/readyz`, agent)
  }
  assert.deepEqual([kept.statusCode, kept.headers.connection], [503, 'close'])
  assert.deepEqual(JSON.parse(kept.text).faults, { serving: 'draining' })
  assert.equal((await get(`${url}/healthz`)).statusCode, 200)
  agent.destroy()
  assert.equal(await service.ended, 0)
  assert.ok(process.hrtime.bigint() - began >= BigInt(delay_ms * 1_000_000), 'it ended before the delay was over')
  await assert.rejects(get(`${url}/healthz`), { code: 'ECONNREFUSED' })
  assert.match(await operatorUrl(service), /^http:\/\/127\.0\.0\.1:\d+$/)
})
