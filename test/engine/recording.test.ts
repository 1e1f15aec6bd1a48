import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Analysis } from '../../src/engine/analysis.ts'
import { parseRecording, RecordingSchema, record, replay } from '../../src/engine/recording.ts'
import { builtInEvidence } from '../../src/evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../../src/evidence/facts.ts'
import moon from '../fixtures/plugins/moon.js'
import { analyzerNamed, EXAMPLE, engineOf } from './engine_of.ts'

const PLUGINS = [moon, analyzerNamed('silent', { needs: ['silence'] }), analyzerNamed('absent', { needs: ['nothing'] })]

const LIVE = {
  silence: () => {
    throw new Unavailable('timeout')
  },
  nothing: () => {
    throw new NotApplicable('no_web')
  },
}

async function recorded() {
  const seen: Analysis[] = []
  let time = 0
  const clock = { now: () => Date.parse('2026-11-20T12:00:00.123Z'), monotonic: () => (time += 7) }
  const { result } = await engineOf(PLUGINS, { evidence: LIVE, clock }).check(EXAMPLE, { observe: a => seen.push(a) })
  const [analysis] = seen
  assert.ok(analysis)
  return { result, recording: record(analysis, 99) }
}

describe('a recorded check', () => {
  it('gives an identical result without its gatherers', async () => {
    const { result, recording } = await recorded()
    const { extension, clock } = replay(parseRecording(JSON.stringify(recording)))
    const fail = () => assert.fail('gathered')
    const evidence = { addresses: fail, silence: fail, nothing: fail }
    const engine = engineOf([...PLUGINS, extension], { evidence, clock })
    const again = await engine.check(recording.target)
    assert.equal(JSON.stringify(again.result), JSON.stringify(result))
  })

  it('contains every kind of evidence requested, with its outcome', async () => {
    const { recording } = await recorded()
    const statuses = Object.entries(recording.evidence).map(([name, { status }]) => [name, status])
    assert.deepEqual(statuses, [
      ['addresses', 'gathered'],
      ['nothing', 'not_applicable'],
      ['silence', 'unavailable'],
    ])
  })

  for (const [text, message] of [
    ['{}', /`format` must be 1/],
    ['null', /`format` must be 1/],
    ['{"format":1}', /"target" is missing/],
    ['{', /JSON/],
  ] as const) {
    it(`is rejected with a reason when it is ${text}`, () => {
      assert.throws(() => parseRecording(text), message)
    })
  }

  it('has a schema for every registered kind of evidence', () => {
    const { evidence } = RecordingSchema.properties
    assert.deepEqual(Object.keys(evidence.properties), [...builtInEvidence])
  })

  const unsound: readonly (readonly [change: object, message: string])[] = [
    [{ target: null }, 'target: must be an object'],
    [{ target: { ...EXAMPLE, kind: 'ip' } }, '`target` is not a domain name or an IP address'],
    [{ target: { ...EXAMPLE, domain: 'EXAMPLE.com' } }, '`target` is not a domain name or an IP address'],
    [{ target: { ...EXAMPLE, registered: null } }, '`target` is not a domain name or an IP address'],
    [{ target: { ...EXAMPLE, domain: null } }, '`target` is not a domain name or an IP address'],
    [{ checked_at: 5 }, 'checked_at: must be a string'],
    [{ checked_at: '2026-13-45' }, '`checked_at` is not a time'],
    [{ evidence: [] }, 'evidence: must be an object'],
    [
      { evidence: { dns: { status: 'seen' } } },
      'evidence.dns.status: must be one of: gathered, unavailable, not_applicable, failed',
    ],
    [{ evidence: { dns: { status: 'gathered' } } }, 'evidence.dns: "value" is missing'],
    [{ evidence: { dns: { status: 'gathered', value: null } } }, 'evidence.dns.value: must be an object'],
    [{ evidence: { dns: { status: 'gathered', value: 'x' } } }, 'evidence.dns.value: must be an object'],
    [{ evidence: { my_source: { status: 'gathered', value: null } } }, 'evidence.my_source: "value" is missing'],
    [{ evidence: { dns: { status: 'unavailable' } } }, 'evidence.dns: "reason" is missing'],
    [{ evidence: { dns: { status: 'not_applicable', reason: 'no dns' } } }, 'evidence.dns: "reason" is missing'],
    [{ durations: { check: -1, sections: {} } }, 'durations.check: must be at least 0'],
    [{ durations: { check: 5 } }, 'durations: "sections" is missing'],
  ]
  for (const [change, message] of unsound) {
    it(`is rejected with a reason when it has ${JSON.stringify(change)}`, async () => {
      const { recording } = await recorded()
      const text = JSON.stringify({ ...recording, ...change })
      assert.throws(() => parseRecording(text), { message: `Invalid recording: ${message}` })
    })
  }
})
