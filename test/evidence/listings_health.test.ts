import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Clock } from '../../src/base/clock.ts'
import { createBreaker } from '../../src/evidence/listings/breaker.ts'
import { createListHealth } from '../../src/evidence/listings/list_health.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import { type LabFault, type LabQuestion, type LabZones, startLabDns } from '../../src/testing/lab_dns.ts'
import { farDeadline } from '../patience.ts'
import { mirrored } from './listings_lab.ts'

const START = Date.parse('2026-11-20T12:00:00Z')

function clockAt() {
  let now = 0
  const clock: Clock = { now: () => START + now, monotonic: () => now }
  const pass = (ms: number) => {
    now += ms
  }
  return { clock, pass }
}

const lists = ['nordspam_dbl', 'psbl', 'blocklist_de'].map(mirrored)
const good: LabZones = {
  'test.nordspam-dbl.test': { A: ['127.0.0.2'] },
  '2.0.0.127.psbl.test': { A: ['127.0.0.2'] },
  '2.0.0.127.blocklist-de.test': { A: ['127.0.0.15'] },
}

/** The health of lists with a lab DNS whose zones and faults the test may change. */
async function withHealth(run: (lab: Lab) => Promise<void>) {
  const { clock, pass } = clockAt()
  const zones: LabZones = structuredClone(good)
  const faults: { current?: (question: LabQuestion) => LabFault | undefined } = {}
  const dns = await startLabDns({ zones, fault: question => faults.current?.(question) })
  const limits = { dns_try_ms: 1_000, dns_phase_ms: 1_500 }
  const network = createNetwork({ resolvers: [dns.address], guard: createGuard({ own: () => [] }), limits })
  const open = (signal: AbortSignal) => network.open({ signal, deadline: farDeadline() }).resolver
  const health = createListHealth({ lists, open, clock })
  const states = () => Object.fromEntries(health.report().map(({ id, state }) => [id, state]))
  let seen = 0
  const asked = () => {
    const names = dns.queries.slice(seen).map(({ name }) => name)
    seen = dns.queries.length
    return names
  }
  try {
    await run({ health, zones, faults, states, pass, asked })
  } finally {
    health.stop()
    await network.close()
    await dns.close()
  }
}
interface Lab {
  readonly health: ReturnType<typeof createListHealth>
  readonly zones: LabZones
  readonly faults: { current?: (question: LabQuestion) => LabFault | undefined }
  readonly states: () => Record<string, string>
  readonly pass: (ms: number) => void
  readonly asked: () => string[]
}

const healthy = { nordspam_dbl: 'healthy', psbl: 'healthy', blocklist_de: 'healthy' }

describe('the health of lists', () => {
  it('is unproven before the start, and then tested by two test points per list', async () => {
    await withHealth(async ({ health, states, asked }) => {
      assert.deepEqual(states(), { nordspam_dbl: 'unproven', psbl: 'unproven', blocklist_de: 'unproven' })
      assert.equal(health.isHealthy('psbl'), false)
      await health.start()
      assert.deepEqual(states(), healthy)
      assert.equal(health.isHealthy('psbl'), true)
      // A busy machine may ask twice, and prove its resolver.
      const names = new Set(asked().filter(name => name.endsWith('.test')))
      assert.deepEqual([...names].sort(), [
        '1.0.0.127.blocklist-de.test',
        '1.0.0.127.psbl.test',
        '2.0.0.127.blocklist-de.test',
        '2.0.0.127.psbl.test',
        'invalid.nordspam-dbl.test',
        'test.nordspam-dbl.test',
      ])
      assert.deepEqual(health.report()[1], { id: 'psbl', state: 'healthy', proven_at: START })
    })
  })

  it('is lost after one round for a list that lists everything', async () => {
    await withHealth(async ({ health, faults, states }) => {
      faults.current = ({ name }) => (name.endsWith('psbl.test') ? { records: { A: ['127.0.0.2'] } } : undefined)
      await health.start()
      assert.deepEqual(states(), { ...healthy, psbl: 'lists_everything' })
      assert.equal(health.isHealthy('psbl'), false)
    })
  })

  it('is tested again after ten minutes and no sooner', async () => {
    await withHealth(async ({ health, zones, states, pass, asked }) => {
      await health.start()
      asked()
      zones['1.0.0.127.psbl.test'] = { A: ['127.0.0.2'] }
      pass(599_000)
      await health.prove()
      assert.deepEqual([asked(), states()], [[], healthy])
      pass(1_000)
      await health.prove()
      assert.deepEqual(states(), { ...healthy, psbl: 'lists_everything' })
      delete zones['1.0.0.127.psbl.test']
      pass(600_000)
      await health.prove()
      assert.deepEqual(states(), healthy)
    })
  })

  it('is unknown for a silent list, which is tested again after a minute; a proven list keeps its state', async () => {
    await withHealth(async ({ health, faults, states, pass }) => {
      faults.current = ({ name }) => (name.endsWith('psbl.test') ? { silent: true } : undefined)
      await health.start()
      assert.deepEqual(states(), { ...healthy, psbl: 'unproven' })
      faults.current = undefined
      pass(60_000)
      await health.prove()
      assert.deepEqual(states(), healthy)
      faults.current = () => ({ silent: true })
      pass(600_000)
      await health.prove()
      assert.deepEqual(states(), healthy)
    })
  })

  it('is lost by a flag until the next test', async () => {
    await withHealth(async ({ health, states }) => {
      await health.start()
      health.flag('psbl', 'foreign_answer')
      assert.deepEqual([states()['psbl'], health.isHealthy('psbl')], ['foreign_answer', false])
      await health.prove()
      assert.deepEqual(states(), healthy)
    })
  })

  it('is false for an unknown list', async () => {
    await withHealth(async ({ health }) => {
      health.flag('nobody', 'foreign_answer')
      assert.equal(health.isHealthy('nobody'), false)
      assert.equal(health.report().length, 3)
    })
  })

  it('is waited for no longer than two seconds; a stop ends the round', async () => {
    await withHealth(async ({ health, faults, states }) => {
      faults.current = () => ({ silent: true })
      const round = health.start()
      health.stop()
      await round
      assert.equal(states()['psbl'], 'unproven')
    })
  })
})

describe('the breaker of a list', () => {
  const one = (daily: number | null = null) => {
    const { clock, pass } = clockAt()
    return { breaker: createBreaker({ lists: [{ id: 'a', daily }], clock }), pass }
  }

  it('allows no more queries per UTC day than the list does', () => {
    const { breaker, pass } = one(2)
    assert.deepEqual([breaker.admit('a'), breaker.admit('a'), breaker.admit('a')], [null, null, 'allowance_spent'])
    pass(12 * 3_600_000 - 1)
    assert.equal(breaker.admit('a'), 'allowance_spent')
    pass(1)
    assert.equal(breaker.admit('a'), null)
  })

  it('pauses a list for half a minute after six consecutive unanswered queries', () => {
    const { breaker, pass } = one()
    for (let turn = 0; turn < 5; turn++) breaker.settle('a', 'silent')
    assert.equal(breaker.admit('a'), null)
    breaker.settle('a', 'silent')
    assert.equal(breaker.admit('a'), 'list_paused')
    pass(30_000)
    assert.deepEqual([breaker.admit('a'), breaker.admit('a')], [null, 'list_paused'])
    breaker.settle('a', 'answered')
    assert.equal(breaker.admit('a'), null)
  })

  it('resets the count after an answer', () => {
    const { breaker } = one()
    for (let turn = 0; turn < 5; turn++) breaker.settle('a', 'silent')
    breaker.settle('a', 'answered')
    for (let turn = 0; turn < 5; turn++) breaker.settle('a', 'silent')
    assert.equal(breaker.admit('a'), null)
  })

  it('pauses a list for ten minutes after a refusal', () => {
    const { breaker, pass } = one()
    breaker.settle('a', 'refused')
    pass(599_999)
    assert.equal(breaker.admit('a'), 'list_paused')
    pass(1)
    assert.equal(breaker.admit('a'), null)
  })
})
