import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resolverHonesty, resolverWarning } from '../../src/cli/resolver_honesty.ts'
import type { LabFault, LabQuestion } from '../../src/testing/lab_dns.ts'
import { hostsNamed, serviceHosts } from './hosts.ts'
import { startLab } from './lab.ts'

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

describe('a resolver that sends names which are not there to an ad server', () => {
  for (const [kind, fault] of Object.entries(inventors)) {
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
      const { fault: unready, note } = resolverHonesty(lab.service)
      assert.deepEqual([unready(), note?.()], [null, 'nxdomain-rewritten'])
      assert.deepEqual(resolverWarning(lab.service), { resolvers: 'nxdomain-rewritten', which: [1], of: 1 })
    })
  }

  it('is not suspected where resolvers are honest', async t => {
    const lab = await startLab({ hosts: hostsNamed('healthy-shop.lab') })
    t.after(() => lab.close())
    assert.deepEqual([resolverHonesty(lab.service).note?.(), resolverWarning(lab.service)], [null, null])
  })
})
