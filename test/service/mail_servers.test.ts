// A network that blocks port 25, as many clouds do: mail servers are unknown, and nothing else changes.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hostsNamed } from './hosts.ts'
import { type Lab, startLab } from './lab.ts'

const SHOP = 'healthy-shop.lab'
const BLOG = 'kitchen-blog.lab'
const MAIL = '193.0.14.11'

describe('a service whose network blocks port 25', () => {
  let lab: Lab
  before(async () => {
    lab = await startLab({
      hosts: hostsNamed(SHOP, BLOG),
      settings: { plugins: { mail_servers: true } },
      network: { limits: { connect_ms: 500 } },
    })
  })
  after(() => lab.close())

  for (const blocked of ['black_hole', 'refused'] as const) {
    it(`says so, accuses no mail server, and keeps its verdict (${blocked})`, async () => {
      const open = lab.internet.web.places.get(`${MAIL} 25`) ?? assert.fail('no mail server')
      lab.internet.web.place(MAIL, 25, blocked)
      const { result, class: kept } = await lab.check({ domain: SHOP })
      lab.internet.web.place(MAIL, 25, open)
      const { status, reason } = result.coverage.sections['mail_servers'] ?? {}
      assert.deepEqual([status, reason], ['completed', 'mail_servers_port_25_unproved'])
      assert.deepEqual([result.verdict, result['recommendation'], kept], ['safe', 'allow', 'withheld'])
      assert.deepEqual(
        result.signals.filter(id => id.startsWith('mail_')),
        [],
      )
    })
  }

  it('accuses a mail server once that of another domain has answered', async () => {
    await lab.check({ domain: BLOG })
    lab.internet.web.place(MAIL, 25, 'refused')
    const { result } = await lab.check({ domain: SHOP })
    assert.ok(result.signals.includes('mail_servers_unreachable'))
    assert.equal(result.coverage.sections['mail_servers']?.reason, null)
  })
})
