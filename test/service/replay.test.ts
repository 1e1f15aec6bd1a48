import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parseRecording, type Recording, replay } from '../../src/engine/recording.ts'
import type { Dial } from '../../src/network/network.ts'
import { tier } from '../tiers.ts'
import { cases } from './cases.ts'
import { COOKIE_CANARY, digBlackHoles, LAB_LIMITS, MARKUP_CANARY, serviceHosts, zoneFaults } from './hosts.ts'
import { type Checked, type Lab, type Result, serviceFor, startLab } from './lab.ts'

/** In the small tier one of each kind: with a certificate at fault, at an address, with a cookie, as a link, and none at all. */
const SMALL: ReadonlySet<string> = new Set([
  'an expired certificate',
  'a name at one of its addresses',
  'a page with a session cookie',
  'the same page without a visit',
  'a name that does not exist',
])
const taken = tier === 'all' ? cases : cases.filter(({ of }) => SMALL.has(of))

let lab: Lab
const checks = new Map<string, Checked>()
before(async () => {
  lab = await startLab({ hosts: serviceHosts, dns: { fault: zoneFaults }, network: { limits: LAB_LIMITS } })
  digBlackHoles(lab.internet)
  for (const { of, asked } of taken) checks.set(of, await lab.check(asked))
})
after(() => lab.close())

function checkOf(of: string): Checked {
  const checked = checks.get(of)
  assert.ok(checked)
  return checked
}

/** Twice, without datasets and with a network that must not be used: asking the lab's DNS would be seen, dialling throws. */
async function analyseAgain(recording: Recording, settings: object = {}): Promise<[Result, Result]> {
  const { extension, clock } = replay(recording)
  const dial: Dial = () => assert.fail('dialled')
  const resolvers = [lab.internet.dns.address]
  const service = await serviceFor(
    { network: { resolvers }, ...settings },
    { dial, clock, extensions: [extension], replayed: true },
  )
  const again = async () => {
    const { result } = await service.engine.check(recording.target)
    return { ...result, process_time_ms: 0, cached: false } as unknown as Result
  }
  const results: [Result, Result] = [await again(), await again()]
  await service.close()
  return results
}

for (const { of } of taken) {
  describe(`a recorded check of ${of}`, () => {
    it('is plain JSON', () => {
      const { recording } = checkOf(of)
      assert.deepEqual(JSON.parse(JSON.stringify(recording)), recording)
    })

    it('gives the same bytes again, twice, without a network', async () => {
      const { recording, result } = checkOf(of)
      const asked = lab.internet.dns.queries.length
      const again = await analyseAgain(parseRecording(JSON.stringify(recording)))
      assert.deepEqual(
        again.map(one => JSON.stringify(one)),
        [JSON.stringify(result), JSON.stringify(result)],
      )
      assert.equal(lab.internet.dns.queries.length, asked)
    })

    it('holds no cookie’s value and no markup, and neither does its result', () => {
      const { recording, result } = checkOf(of)
      const kept = JSON.stringify([recording, result])
      assert.ok(!kept.includes(COOKIE_CANARY) && !kept.includes(MARKUP_CANARY))
    })
  })
}

describe('a recorded check', () => {
  const healthy = cases.find(({ of }) => of === 'a name at one of its addresses')?.of ?? ''

  it('shows what other weights would have made of it', async () => {
    const settings = { plugins: { ssl_info: { weights: { expired_certificate: 30 } } } }
    const { recording, result } = checkOf('an expired certificate')
    const [tuned] = await analyseAgain(recording, settings)
    assert.ok(tuned.risk_score > result.risk_score)
    assert.notEqual(tuned['scoring_policy'], result['scoring_policy'])
  })

  it('gathers nothing that it does not hold', async () => {
    const { recording } = checkOf(healthy)
    const { page: _, ...evidence } = recording.evidence
    const asked = lab.internet.dns.queries.length
    const [{ coverage }] = await analyseAgain({ ...recording, evidence })
    const { sections } = coverage
    assert.deepEqual(
      { ...sections['security_headers'], duration_ms: 0 },
      { status: 'unavailable', reason: 'not_recorded', duration_ms: 0 },
    )
    assert.equal(sections['ssl_info']?.status, 'completed')
    assert.equal(lab.internet.dns.queries.length, asked)
  })
})
