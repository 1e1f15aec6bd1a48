import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { AnalysisUnavailable } from '../../src/engine/analysis.ts'
import type { Log } from '../../src/service/api/log.ts'
import { instrumentConditions, logInstruments } from '../../src/service/readiness.ts'
import type { CheckService } from '../../src/service/service.ts'
import type { LabFault, LabQuestion } from '../../src/testing/lab_dns.ts'
import { startLabInternet } from '../../src/testing/lab_internet.ts'
import { sampled } from '../sample.ts'
import { hostsNamed, serviceHosts } from './hosts.ts'
import { type Lab, startLab } from './lab.ts'

/** Milliseconds that a proof counts as new. */
const TRY_MS = 300

/** Where a site stands that would pass: whoever believes the resolver sees a decent page. */
const AD = '193.0.14.75'

/** The name that is asked for, whatever is asked about it, blocklists' zones included; and names that mean nothing. */
const isGone = (name: string) => name.includes('no-such-name.lab') || /^[0-9a-f]{24}\.(?:com|net|org)$/.test(name)
const invented: LabFault = { records: { A: [AD] } }

/** What is wrong with the answers to questions about names that are not there. */
const inventors: Readonly<Record<string, (question: LabQuestion) => LabFault | undefined>> = {
  'for addresses alone': ({ name, type }) => (type === 'A' && isGone(name) ? invented : undefined),
  'and denies no name': ({ name }) => (isGone(name) ? invented : undefined),
}

/** What readiness and the log say of resolvers. */
function told(service: CheckService) {
  const resolvers = instrumentConditions(service).find(({ name }) => name === 'resolvers')
  const warned: object[] = []
  const log: Log = { info: () => {}, warn: event => warned.push(event), error: () => {} }
  logInstruments(service, log)()
  return [[resolvers?.outage?.(), resolvers?.note?.()], warned]
}

describe('a resolver that sends names which are not there to an ad server', () => {
  for (const [kind, fault] of sampled(Object.entries(inventors), 1)) {
    it(`${kind}, makes none of them a site, and is told to the operator`, async t => {
      const lab = await startLab({ hosts: serviceHosts, dns: { fault } })
      t.after(() => lab.close())
      const gone = await lab.check({ domain: 'no-such-name.lab' })
      assert.deepEqual(
        [gone.result.verdict, gone.class, gone.result.signals, gone.result.ip, gone.connections],
        ['suspicious', 'not_found', ['domain_not_found'], null, []],
      )
      const real = await lab.check({ domain: 'healthy-shop.lab' })
      assert.deepEqual([real.result.verdict, real.result.ip], ['safe', '2a10:3781:1::10'])
      assert.deepEqual(told(lab.service), [
        [null, 'nxdomain-rewritten'],
        [{ instrument: 'resolver 1', fault: 'nxdomain-rewritten' }],
      ])
    })
  }

  it('is not suspected where resolvers are honest', async t => {
    const lab = await startLab({ hosts: hostsNamed('healthy-shop.lab') })
    t.after(() => lab.close())
    assert.deepEqual(told(lab.service), [[null, null], []])
  })
})

/** A denial with neither answer nor authority. */
const bare = (rcode: 'NXDOMAIN' | 'NOERROR'): LabFault => ({
  ...(rcode === 'NXDOMAIN' ? { rcode } : { records: {} }),
  raw: reply => {
    const message = Buffer.from(reply)
    message.writeUInt16BE(0, 6)
    message.writeUInt16BE(0, 8)
    return [message]
  },
})

const SITE = 'healthy-shop.lab'
const isCached = ({ name, type }: LabQuestion) => name === SITE && (type === 'A' || type === 'AAAA')

/** What a resolver does from some moment on; before, it was proved. */
const lies: Readonly<Record<string, (question: LabQuestion) => LabFault | undefined>> = {
  'denies every name': () => ({ rcode: 'NXDOMAIN' }),
  'has no record of anything': () => ({ records: {} }),
  'answers from its cache, and denies every other name': question =>
    isCached(question) ? undefined : bare('NXDOMAIN'),
  'answers from its cache, and has no record of anything else': question =>
    isCached(question) ? undefined : bare('NOERROR'),
}

/** How a check of a healthy site ends. */
async function ended(lab: Lab): Promise<string> {
  try {
    return (await lab.check({ domain: SITE })).result.verdict
  } catch (error) {
    if (!(error instanceof AnalysisUnavailable)) throw error
    return error.reason
  }
}

describe('a resolver that begins to lie after it was proved', () => {
  const all = Object.entries(lies).flatMap(([what, lie]) => [true, false].map(isAlone => ({ what, lie, isAlone })))
  for (const { what, lie, isAlone } of sampled(all, 3)) {
    it(`and ${what} takes the verdict away, ${isAlone ? 'alone' : 'in front of an honest one'}`, async t => {
      let isLying = false
      const first = await startLabInternet(serviceHosts, { fault: question => (isLying ? lie(question) : undefined) })
      t.after(() => first.close())
      const honest = await startLabInternet(serviceHosts)
      t.after(() => honest.close())
      const resolvers = [first, ...(isAlone ? [] : [honest])].map(({ dns }) => dns.address)
      const network = { resolvers, limits: { dns_try_ms: TRY_MS } }
      const lab = await startLab({ hosts: serviceHosts, network })
      t.after(() => lab.close())
      assert.equal(await ended(lab), 'safe')
      await setTimeout(TRY_MS)
      isLying = true
      assert.equal(await ended(lab), 'resolver_denies_what_exists')
      // What was found false in the same millisecond counts against the next check too.
      await setTimeout(5)
      assert.equal(await ended(lab), isAlone ? 'resolver_denies_what_exists' : 'safe')
    })
  }
})
