// How keys that check one domain affect each other, over HTTP.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { CheckResult } from '../../../src/engine/engine.ts'
import { eventually, type Parts, result, startService } from './service.ts'

/** Checks that run until they are released. */
function held() {
  const ends: (() => void)[] = []
  let most = 0
  const check = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<CheckResult>((resolve, reject) => {
      const end = () => {
        ends.splice(ends.indexOf(end), 1)
        resolve({ result, class: 'complete' })
      }
      signal.addEventListener('abort', () => reject(signal.reason))
      ends.push(end)
      most = Math.max(most, ends.length)
    })
  const endAll = () => {
    for (const end of [...ends]) end()
  }
  return { checker: { check }, ends, endAll, most: () => most }
}

async function start(t: TestContext, parts: Parts = {}) {
  const service = await startService(t, parts)
  const { text } = await service.store.keys.create({ plan: 'startup', label: 'other' })
  const as =
    (key: string) =>
    async (domain: string, headers: Record<string, string> = {}) => {
      const response = await service.get(`/api/v1/check?domain=${domain}`, {
        headers: { 'X-API-Key': key, ...headers },
      })
      const text = await response.text()
      const code = response.status === 200 ? '200' : (JSON.parse(text) as { code: string }).code
      return { code, text, retry_after: response.headers.get('retry-after') }
    }
  return { service, other: text, askA: as(service.key), askB: as(text) }
}

const victim = (n: number) => `s${n}.victim.com`

describe('a key that loops over names of one domain', () => {
  it('does not keep other keys from that domain', async t => {
    let running = 0
    let most = 0
    const check = async (): Promise<CheckResult> => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 10))
      running -= 1
      return { result, class: 'complete' }
    }
    const { askA, askB } = await start(t, { checker: { check }, claimLimits: { at_once: 2 } })
    let names = 0
    let loops = true
    const loop = async () => {
      while (loops) await askA(victim(names++))
    }
    const looping = Array.from({ length: 12 }, loop)
    const codes: string[] = []
    for (let n = 0; n < 12; n++) codes.push((await askB(`b${n}.victim.com`)).code)
    loops = false
    await Promise.all(looping)
    assert.deepEqual(codes, Array(12).fill('200'))
    assert.equal(most, 2)
  })

  it('has at most five checks per second and two at once, while other domains are unaffected', async t => {
    const { checker, ends, endAll, most } = held()
    const { service, askA } = await start(t, {
      checker,
      monotonic: () => 0,
      target_wait_ms: 2_000,
      claimLimits: { key_at_once: 1_000, at_once: 2, per_second: 5 },
    })
    const answers = Array.from({ length: 300 }, (_, n) => askA(victim(n)))
    for (const begun of [2, 4, 5]) {
      await eventually(() => service.checked.length === begun)
      endAll()
    }
    const other = askA('bystander.com')
    await eventually(() => ends.length === 1)
    endAll()
    assert.equal((await other).code, '200')
    const codes = (await Promise.all(answers)).map(({ code }) => code)
    assert.deepEqual(
      [codes.filter(code => code === '200').length, codes.filter(code => code === 'target-busy').length],
      [5, 295],
    )
    assert.deepEqual([service.checked.length, most()], [6, 2])
  })
})

describe('a check of a busy target', () => {
  it('waits for its turn, also with an event stream', async t => {
    const { checker, ends, endAll } = held()
    const { service, askA, askB } = await start(t, { checker, claimLimits: { at_once: 1 } })
    const answers = [askA(victim(0))]
    await eventually(() => ends.length === 1)
    answers.push(askA(victim(1)), askB(victim(2), { Accept: 'text/event-stream' }))
    await eventually(() => service.waiting() === 2)
    for (let n = 1; n <= 3; n++) {
      await eventually(() => service.checked.length === n && ends.length === 1)
      endAll()
    }
    const [, , streamed] = await Promise.all(answers)
    assert.match(streamed?.text ?? '', /^event: result$/m)
    assert.deepEqual(
      (await Promise.all(answers)).map(({ code }) => code),
      ['200', '200', '200'],
    )
  })

  it('is refused after waiting, with an explanation and a retry time', async t => {
    const { checker, ends, endAll } = held()
    const { askA, askB } = await start(t, { checker, claimLimits: { at_once: 1 }, target_wait_ms: 20 })
    const running = askA(victim(0))
    await eventually(() => ends.length === 1)
    for (const accept of ['application/json', 'text/event-stream']) {
      const { code, text, retry_after } = await askB(victim(1), { Accept: accept })
      assert.equal(code, 'target-busy')
      assert.match(retry_after ?? '', /^[1-9]$/)
      assert.equal(JSON.parse(text).detail, 'Too many concurrent checks of this domain. Retry later.')
    }
    endAll()
    assert.equal((await running).code, '200')
  })
})

describe('a short deadline', () => {
  it('leaves time for a check', async t => {
    const { askA } = await start(t, { deadline_ms: 500 })
    assert.equal((await askA('example.com')).code, '200')
  })
})

describe('a check', () => {
  it('uses the CPU time of the key that asks', async t => {
    const clients: (string | undefined)[] = []
    const check = async (_: unknown, { client }: { client?: string }): Promise<CheckResult> => {
      clients.push(client)
      return { result, class: 'complete' }
    }
    const { service, askA, askB } = await start(t, { checker: { check } })
    await askA('a.com')
    await askB('b.com')
    const keys = await service.store.keys.list()
    assert.deepEqual(
      clients,
      ['test', 'other'].map(label => keys.find(key => key.label === label)?.id),
    )
  })
})
