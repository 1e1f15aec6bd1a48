import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { SignalDetail } from '../../src/engine/analysis.ts'
import { AnalysisUnavailable } from '../../src/engine/outcome.ts'
import { chooseLists } from '../../src/evidence/listings/lists.ts'
import type { LabFault, LabQuestion } from '../../src/testing/lab_dns.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import { startGoldenLab } from '../golden/lab.ts'
import type { Lab, Result } from '../service/lab.ts'

const only = ['shop', 'phishing']

const zones = chooseLists().map(({ zone }) => zone)
const isOfList = ({ name }: LabQuestion): boolean => zones.some(zone => name.endsWith(`.${zone}`))

const inLists =
  (fault: LabFault) =>
  (question: LabQuestion): LabFault | undefined =>
    isOfList(question) ? fault : undefined

const breaking =
  (...names: string[]) =>
  (host: LabHost): LabHost =>
    names.includes(host.name) ? { ...host, https: () => ({ status: 500 }) } : host

type Faults = NonNullable<Parameters<typeof startGoldenLab>[0]>

/** What is broken, and which signals of the phishing site that takes with it. */
const cases: readonly (readonly [title: string, faults: Faults, lost: readonly string[]])[] = [
  ['every blocklist is silent', { dns: { fault: inLists({ silent: true }) } }, ['listed_for_abuse']],
  [
    'every blocklist lists the world',
    { dns: { fault: inLists({ records: { A: ['127.0.0.2'] } }) } },
    ['listed_for_abuse'],
  ],
  ['the registry breaks', { alter: breaking('registry.lab') }, ['newly_registered_domain']],
  [
    'all of them break together',
    { dns: { fault: inLists({ rcode: 'REFUSED' }) }, alter: breaking('registry.lab', 'green-directory.lab') },
    ['listed_for_abuse', 'newly_registered_domain'],
  ],
]

const detailsOf = (result: Result) => result['signal_details'] as readonly SignalDetail[]
const idsOf = (result: Result) =>
  detailsOf(result)
    .map(({ id }) => id)
    .sort()

async function resultsOf(lab: Lab): Promise<readonly [shop: Result, phishing: Result]> {
  const shop = await lab.check({ domain: 'shop.lab' })
  return [shop.result, (await lab.check({ domain: 'microsoft-mailbox-verify.lab' })).result]
}

describe('a check whose outside sources break', () => {
  let clean: readonly [shop: Result, phishing: Result]
  before(async () => {
    const lab = await startGoldenLab({ only })
    clean = await resultsOf(lab)
    await lab.close()
  })

  for (const [title, faults, lost] of cases) {
    describe(`because ${title}`, () => {
      let faulted: readonly [shop: Result, phishing: Result]
      before(async () => {
        const lab = await startGoldenLab({ ...faults, only })
        faulted = await resultsOf(lab)
        await lab.close()
      })

      it('scores an honest site as before, and says that less was seen', () => {
        const [was, is] = [clean[0], faulted[0]]
        assert.deepEqual([is.risk_score, is.verdict, idsOf(is)], [was.risk_score, was.verdict, idsOf(was)])
        assert.ok(is.coverage.ratio < was.coverage.ratio && !is.coverage.complete)
      })

      it('scores a bad site by what else is known of it', () => {
        const [was, is] = [clean[1], faulted[1]]
        assert.deepEqual(
          idsOf(is),
          idsOf(was).filter(id => !lost.includes(id)),
        )
        const points = detailsOf(is).reduce((sum, { points }) => sum + Math.round(points * 10), 0)
        assert.equal(is.risk_score, Math.min(100, Math.round(points / 10)))
        assert.ok(is.risk_score <= was.risk_score)
      })
    })
  }
})

/** Where packets vanish. */
const UNSEEN = '193.0.14.250'

describe('a check that can see nothing', () => {
  let lab: Lab
  before(async () => {
    lab = await startGoldenLab({ only, dns: { fault: () => ({ silent: true }) } })
    for (const port of [80, 443]) lab.internet.web.place(UNSEEN, port, 'black_hole')
  })
  after(() => lab.close())

  for (const asked of [{ domain: 'shop.lab' }, { ip: UNSEEN }]) {
    it(`has no result for ${asked.domain ?? asked.ip}, least of all a safe one`, async () => {
      await assert.rejects(lab.check(asked), AnalysisUnavailable)
    })
  }
})
