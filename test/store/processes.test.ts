import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseKey } from '../../src/store/api_key.ts'
import { openStore } from '../../src/store/embedded/embedded_store.ts'
import { totalOf } from '../../src/store/usage_days.ts'
import { testProgram } from '../assay.ts'
import { freshDirectory } from './fresh_directory.ts'

const script = fileURLToPath(new URL('./other_process.ts', import.meta.url))
const run = promisify(execFile)
const plan = { quota: 1e9, period: 'month' } as const
const clients = 50

async function inOtherProcess(...command: string[]) {
  const { stdout } = await run(process.execPath, [...testProgram(script), ...command])
  return JSON.parse(stdout)
}

function charger(t: TestContext, directory: string, log: string, how = 'charge'): ChildProcess {
  const child = spawn(process.execPath, [...testProgram(script), how, directory, log], { stdio: 'inherit' })
  t.after(() => child.kill('SIGKILL'))
  return child
}

/** Octets in the log: answers delivered. */
function delivered(log: string): number {
  return statSync(log, { throwIfNoEntry: false })?.size ?? 0
}

async function until(condition: () => unknown, what: string): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await condition())) {
    if (performance.now() > deadline) assert.fail(`still waiting until ${what}`)
    await sleep(5)
  }
}

async function counted(directory: string): Promise<number> {
  const store = await openStore({ directory })
  const { used } = await store.quota.usage('acc_killed', plan)
  await store.close()
  return used
}

/** Lets another process count, kills it at a moment of chance, and compares what it answered with what was counted. */
async function killOnce(t: TestContext, directory: string, log: string): Promise<void> {
  const before = { answered: delivered(log), used: await counted(directory) }
  const child = charger(t, directory, log)
  await until(() => delivered(log) > before.answered, 'the other process answers')
  await sleep(Math.random() * 60)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const answered = delivered(log) - before.answered
  const used = (await counted(directory)) - before.used
  assert.ok(answered <= used && used <= answered + clients, `${answered} answered, ${used} counted`)
}

describe('after kill -9 under load, every answer is counted, plus at most those in flight', {
  concurrency: 2,
}, () => {
  for (const lane of [1, 2]) {
    test(`in four rounds on one directory (${lane} of 2)`, async t => {
      const directory = freshDirectory(t)
      for (let round = 1; round <= 4; round++) await killOnce(t, directory, `${directory}.log`)
    })
  }
})

test('after kill -9 between midnights, each counted answer is on one day', async t => {
  const directory = freshDirectory(t)
  const log = `${directory}.log`
  for (let round = 1; round <= 3; round++) {
    const [before, wanted] = [delivered(log), 500 + Math.random() * 300]
    const child = charger(t, directory, log, 'charge-days')
    await until(() => delivered(log) > before + wanted, 'midnight passes twice')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const store = await openStore({ directory, now: () => Date.UTC(2026, 10, 30) })
    const { used } = await store.quota.usage('acc_killed', plan)
    const month = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 30) }
    const days = (await store.keys.usageByDay(['acc_killed'], month)).get('acc_killed') ?? []
    await store.close()
    assert.equal(totalOf(days), used)
    assert.ok(days.length >= 3, JSON.stringify(days))
    for (const { answers } of days.slice(0, -2)) assert.ok(answers >= 200 && answers <= 200 + 4 * clients, `${answers}`)
  }
})

test('a second process is refused at once, and admitted after kill -9 of the first', async t => {
  const directory = freshDirectory(t)
  const log = `${directory}.log`
  const child = charger(t, directory, log)
  await until(() => delivered(log) > 0, 'the first process answers')
  assert.deepEqual(await inOtherProcess('serve', directory), { code: 'store_in_use', name: 'StoreError' })
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(await inOtherProcess('serve', directory), 'serving')
})

test('a key created or revoked by another process is known to the server within five seconds', async t => {
  const directory = freshDirectory(t)
  const { keys, close } = await openStore({ directory })
  t.after(close)
  const { key, text } = await inOtherProcess('create', directory, 'from elsewhere')
  const hash = parseKey(text) ?? assert.fail('the key is malformed')
  assert.equal((await keys.find(hash))?.label, 'from elsewhere')
  await inOtherProcess('revoke', directory, key.id)
  await until(async () => (await keys.find(hash)) === null, 'the key is gone')
})
