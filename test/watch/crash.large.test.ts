// Really killed: a process that checks and delivers loses no event, and sends none twice without saying so.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openWatches } from '../../src/store/open_backend.ts'
import { nothingChecked, type Watch, type WatchStore } from '../../src/store/watches.ts'
import { newSecret } from '../../src/watch/signature.ts'
import { eventually } from '../api/service.ts'
import { testProgram } from '../assay.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { freshDirectory } from '../store/fresh_directory.ts'
import { type Received, startReceiver } from './receiver.ts'

let redis: RedisServer
before(async () => {
  if (!withoutRedis) redis = await startRedis()
})
after(() => redis?.stop())

const PROGRAM = join(import.meta.dirname, 'runner_process.ts')
const WATCH = 'watch_aaaaaaaaaaaaaaaa'

interface Stage {
  readonly store: WatchStore
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>
  /** Starts a runner. */
  run(mode?: 'deliver'): ChildProcess
}

async function stage(t: TestContext, where: string): Promise<Stage> {
  const data = freshDirectory(t)
  const url = where === 'redis' ? redis.url : null
  const receiver = await startReceiver()
  const store = await openWatches({ store: url, data }, () => {})
  const now = Date.now()
  const watch: Watch = {
    ...{ id: WATCH, account: 'acc_a', key: 'key_a', target: 'shop.example', every_ms: 40, format: 'json' },
    ...{ notify: receiver.url, secret: newSecret(), created: now, next_at: now, state: nothingChecked },
  }
  await store.add(watch, 1)
  const children: ChildProcess[] = []
  t.after(async () => {
    for (const child of children) child.kill('SIGKILL')
    receiver.close()
    await store.remove('acc_a', WATCH)
    await store.close()
  })
  return {
    store,
    receiver,
    run(mode) {
      const [command = '', ...args] = [process.execPath, ...testProgram(PROGRAM)]
      const child = spawn(command, [...args, url ?? 'embedded', data, '200', mode ?? ''], { stdio: 'inherit' })
      children.push(child)
      return child
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const idOf = ({ headers }: Received) => String(headers['webhook-id'])
const attemptOf = ({ headers }: Received) => Number(headers['webhook-attempt'])
const scoreOf = ({ body }: Received): number => JSON.parse(body).data.result.risk_score

for (const where of ['embedded', 'redis']) {
  describe(`kill -9 with the ${where} store`, { skip: where === 'redis' && withoutRedis }, () => {
    it('in the middle of a delivery sends the event again under its ID, with the next number', async t => {
      const { store, receiver, run } = await stage(t, where)
      // It has received the event, and the sender never learns that.
      receiver.answer(() => {})
      const first = run()
      await eventually(() => receiver.received.length > 0)
      await kill(first)
      const [before] = receiver.received.splice(0) as [Received]
      receiver.answer(response => response.writeHead(204).end())
      run('deliver')
      await eventually(() => receiver.received.some(one => idOf(one) === idOf(before)))
      const again = receiver.received.filter(one => idOf(one) === idOf(before))
      assert.deepEqual([again.map(attemptOf), again.map(({ body }) => body)], [[attemptOf(before) + 1], [before.body]])
      await eventuallyAsync(async () => (await store.delivery(idOf(before)))?.state === 'delivered')
    })

    it('at any moment loses no event', async t => {
      const { store, receiver, run } = await stage(t, where)
      for (let round = 0; round < 4; round++) {
        const count = receiver.received.length
        const child = run()
        await eventually(() => receiver.received.length > count + 2)
        await pause(Math.random() * 150)
        await kill(child)
      }
      const last = (await store.get(WATCH))?.state.last?.risk_score ?? 0
      run('deliver')
      await eventually(() => new Set(receiver.received.map(scoreOf)).size >= last - 1)
      // The first check has nothing to compare with; every later one found a change.
      const scores = [...new Set(receiver.received.map(scoreOf))].sort((a, b) => a - b)
      assert.deepEqual(
        scores,
        Array.from({ length: last - 1 }, (_, at) => at + 2),
      )
      const marks = receiver.received.map(one => `${idOf(one)} ${attemptOf(one)}`)
      assert.equal(new Set(marks).size, marks.length, 'no attempt was sent twice')
      assert.equal(new Set(receiver.received.map(idOf)).size, scores.length, 'each event has one ID')
    })
  })
}

async function eventuallyAsync(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('not so within a minute')
    await pause(20)
  }
}
