// Clients that ignore Retry-After: each refusal causes three more requests.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { after, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { result, type Service, startService } from './service.ts'

const places = 8
/** Long compared with an iteration of the event loop, because everything runs in one process. */
const check_ms = 400
/** Checks per second that can be served, and first requests per second. */
const capacity = (places * 1_000) / check_ms
const offered = 2 * capacity
/** Milliseconds of load. */
const load_ms = 3_000

interface Load {
  answered: number
  refused: number
}

let names = 0
const agent = new Agent({ keepAlive: true })
after(() => agent.destroy())

async function ask(service: Service, load: Load): Promise<number> {
  const path = `/api/v1/check?domain=d${++names}.com`
  const sent = request({ host: '127.0.0.1', port: service.port, path, agent, headers: { 'X-API-Key': service.key } })
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers } = response.resume()
  await once(response, 'end')
  if (status === 200) load.answered += 1
  else {
    load.refused += 1
    assert.equal(status, 503)
    assert.match(headers['retry-after'] ?? '', /^[1-9]$/)
  }
  return status
}

/** Sends requests at a fixed rate, regardless of responses. */
async function bear(service: Service, retries: number): Promise<Load> {
  const load: Load = { answered: 0, refused: 0 }
  const under: Promise<unknown>[] = []
  const client = async () => {
    if ((await ask(service, load)) !== 503) return
    await Promise.all(Array.from({ length: retries }, () => ask(service, load)))
  }
  const began = performance.now()
  for (let passed = 0; passed < load_ms; passed = performance.now() - began) {
    while (under.length < (passed * offered) / 1_000) under.push(client())
    await pause(5)
  }
  await Promise.all(under)
  return load
}

it('clients that retry every refusal three times get as many results as those that do not', async (t: TestContext) => {
  let running = 0
  const service = await startService(t, {
    plans: { startup: { quota: 1_000_000, period: 'month' } },
    concurrency: places,
    perKey: 1e6,
    checker: {
      async check() {
        running += 1
        assert.ok(running <= places)
        await pause(check_ms)
        running -= 1
        return { result, class: 'complete' as const }
      },
    },
  })
  const calm = await bear(service, 0)
  const storm = await bear(service, 3)
  t.diagnostic(JSON.stringify({ calm, storm }))
  assert.ok(storm.refused > 2 * calm.refused, 'it is a storm')
  assert.ok(storm.answered >= 0.5 * calm.answered, `${storm.answered} answered, ${calm.answered} without retries`)
  const after: Load = { answered: 0, refused: 0 }
  assert.equal(await ask(service, after), 200)
})
