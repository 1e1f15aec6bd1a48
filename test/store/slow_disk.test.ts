// A disk that is slow, hangs or fails, seen from the interface: no answer that is not counted, and none that is waited for too long.
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createQuota, type Entry, type Ledger } from '../../src/store/embedded/quota.ts'
import { boundLedger } from '../../src/store/embedded/quota_table.ts'
import type { Counts } from '../../src/store/quota_rule.ts'
import { startService } from '../api/service.ts'

const quota = 10_000
const together = 40
/** Milliseconds that a write may take here. */
const most_ms = 400
/** Milliseconds that a busy machine may add to anything. */
const slack_ms = 5_000

/** What the disk does with each write, in turn; `write` makes it durable. */
type Disk = (write: () => void, turn: number) => Promise<void>

/** A ledger on such a disk, and what is durable on it. */
function ledgerOn(disk: Disk): Ledger & { readonly used: number; readonly writes: number } {
  const rows = new Map<string, Counts>()
  let writes = 0
  const made = ({ account, before, after }: Entry) => {
    if (rows.get(account)?.month[1] !== before?.month[1]) return false
    rows.set(account, after)
    return true
  }
  return {
    read: account => rows.get(account) ?? null,
    async record(entries) {
      let results: boolean[] = []
      await disk(() => {
        results = entries.map(made)
      }, ++writes)
      return results
    },
    get used() {
      return [...rows.values()].reduce((sum, { month }) => sum + (month[1] ?? 0), 0)
    },
    get writes() {
      return writes
    },
  }
}

async function setUp(t: TestContext, disk: Disk) {
  const ledger = ledgerOn(disk)
  const service = await startService(t, {
    plans: { startup: { quota, period: 'month' } },
    store: store => ({ ...store, quota: createQuota(boundLedger(ledger, most_ms), Date.now) }),
  })
  let answered = 0
  const check = async () => {
    const response = await service.get('/api/v1/check?domain=example.com')
    const { code = null } = (await response.json()) as { code?: string }
    if (response.status === 200) answered += 1
    assert.ok(ledger.used >= answered, `${answered} answered, ${ledger.used} counted`)
    assert.deepEqual([response.status, code], code === null ? [200, null] : [503, 'store-unavailable'])
    return response.status
  }
  const checks = (count = together) => Promise.all(Array.from({ length: count }, check))
  return { ledger, check, checks, answered: () => answered }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const failure = () => Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })

describe('a disk that syncs slowly', () => {
  it('delays answers, and counts simultaneous ones together', async t => {
    const { ledger, checks, answered } = await setUp(t, async write => {
      await pause(most_ms / 2)
      write()
    })
    await checks()
    assert.deepEqual([answered(), ledger.used], [together, together])
    assert.ok(ledger.writes < together / 4, `${ledger.writes} writes`)
  })
})

describe('a disk that hangs', () => {
  it('fails waiting requests in time and others at once, and recovers', async t => {
    let goOn = () => {}
    const { ledger, check, checks, answered } = await setUp(t, async (write, turn) => {
      if (turn === 2) await new Promise<void>(resolve => (goOn = resolve))
      write()
    })
    assert.equal(await check(), 200)
    const waited = await msOf(async () => assert.ok((await checks()).every(status => status === 503)))
    assert.ok(waited < most_ms + slack_ms, `${waited} ms`)
    const refused = await msOf(async () => assert.ok((await checks()).every(status => status === 503)))
    assert.ok(refused < slack_ms, `${refused} ms`)
    assert.deepEqual([ledger.writes, ledger.used], [2, 1])
    goOn()
    await pause(0)
    const late = ledger.used - 1
    assert.ok(late >= 1 && late <= together, `${late} counted of what was not answered`)
    assert.ok((await checks()).every(status => status === 200))
    assert.deepEqual([answered(), ledger.used], [1 + together, 1 + together + late])
  })
})

describe('a disk that fails', () => {
  const failing: Readonly<Record<string, Disk>> = {
    'before it has written': async (write, turn) => {
      if (turn % 3 === 0) throw failure()
      write()
    },
    'after it has written': async (write, turn) => {
      write()
      if (turn % 3 === 0) throw failure()
    },
  }
  for (const [when, disk] of Object.entries(failing)) {
    it(`occasionally, ${when}, never allows an uncounted answer, and the store continues`, async t => {
      const { ledger, check, checks, answered } = await setUp(t, disk)
      let refused = 0
      for (let round = 0; round < 12; round++) {
        refused += (await checks(5)).filter(status => status === 503).length
      }
      assert.ok(refused > 0 && answered() > 0)
      assert.ok(answered() <= ledger.used && ledger.used <= answered() + refused)
      const healed = [await check(), await check(), await check()]
      assert.ok(healed.includes(200), String(healed))
    })
  }
})

describe('a blocked event loop', () => {
  it('is not blamed on the disk', async () => {
    const disk: Disk = async write => {
      await stat(import.meta.filename)
      write()
    }
    const quota = createQuota(boundLedger(ledgerOn(disk), most_ms), Date.now)
    const grant = await quota.reserve('acc_1', { quota: 10, period: 'month' })
    assert.ok(grant.allowed)
    const committed = grant.commit()
    // The write has begun, and its end waits to be heard.
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
    const end = performance.now() + 2 * most_ms
    while (performance.now() < end);
    assert.equal((await committed).used, 1)
  })
})
