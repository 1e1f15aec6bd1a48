import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Entrance } from '../../src/evidence/entrances/facts.ts'
import { counterpart } from '../../src/evidence/entrances/gather.ts'
import type { Target } from '../../src/targets/target.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { type LabHandler, type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'
import { domainTarget, ipTarget } from './lab_check.ts'
import { outcome, startVisit } from './lab_visit.ts'

const here = '93.184.216.34'
const there = '93.184.216.35'
const closed = '93.184.216.36'
const odd = '93.184.216.37'
const to =
  (Location: string): LabHandler =>
  () => ({ status: 301, headers: [['Location', Location]] })

describe('the entrances of a site', () => {
  let web: LabWeb
  let dns: LabDns
  before(async () => {
    const answers: LabHandler = ({ host }) =>
      host === 'shop.example' ? { status: 301, headers: [['Location', 'https://shop.example/']] } : { body: 'a shop' }
    web = await startLabWeb([
      { host: 'shop.example', addresses: [here], http: answers },
      { host: 'vague.example', addresses: [odd], http: to('') },
      { host: 'plain.example', addresses: [there], http: to('http://www.plain.example/') },
      { host: 'www.plain.example', addresses: [here], http: answers },
      { host: 'inside.example', addresses: [there], http: to('http://169.254.169.254/') },
    ])
    dns = await startLabDns({
      zones: {
        'shop.example': { A: [here] },
        'www.shop.example': { A: [here] },
        'plain.example': { A: [there] },
        'www.plain.example': { A: [here] },
        'inside.example': { A: [there] },
        'www.inside.example': { A: ['10.0.0.1'] },
        'vague.example': { A: [odd] },
        'closed.example': { A: [closed] },
        'deep.closed.example': { A: [closed] },
        'private.example': { A: ['10.0.0.1'] },
        'www.private.example': { A: [here] },
      },
    })
  })
  after(async () => {
    await web.close()
    await dns.close()
  })

  async function see(target: Target): Promise<unknown> {
    const check = startVisit(web, dns, target)
    const seen = await outcome(check.gather('entrances'))
    check.end()
    if (typeof seen === 'string') return seen
    const shown = ({ status, failure, location }: Entrance) => status ?? failure ?? location
    return [shown(seen.http), seen.http.location, seen.www && shown(seen.www), seen.www?.url ?? null]
  }

  it('are followed while they lead to plain HTTP', async () => {
    const check = startVisit(web, dns, domainTarget('plain.example'))
    const seen = await outcome(check.gather('entrances'))
    check.end()
    const { http } = seen as { http: Entrance }
    assert.deepEqual(http.followed, [{ url: 'http://www.plain.example/', status: 200, location: null }])
  })

  const table: [title: string, target: Target, seen: unknown][] = [
    [
      'are plain HTTP and the name with www.',
      domainTarget('shop.example'),
      [301, 'https://shop.example/', 200, 'http://www.shop.example/'],
    ],
    [
      'are the name without www. for one that has it',
      domainTarget('www.shop.example', 'shop.example'),
      [200, null, 301, 'http://shop.example/'],
    ],
    [
      'are not entered where they lead inside',
      domainTarget('inside.example'),
      [301, 'http://169.254.169.254/', 'not_public', 'http://www.inside.example/'],
    ],
    [
      'lead nowhere by an empty Location',
      domainTarget('vague.example'),
      [301, null, 'not_found', 'http://www.vague.example/'],
    ],
    [
      'may be closed, and the other name may not exist',
      domainTarget('closed.example'),
      ['refused', null, 'not_found', 'http://www.closed.example/'],
    ],
    ['are one for a deeper name', domainTarget('deep.closed.example', 'closed.example'), ['refused', null, null, null]],
    ['are one for an address', ipTarget(here), [200, null, null, null]],
    [
      'are not asked for where there is nowhere to go',
      domainTarget('private.example'),
      'NotApplicable: resolves_to_private_address',
    ],
  ]
  for (const [title, target, seen] of table) it(title, async () => assert.deepEqual(await see(target), seen))

  it('pair the registrable domain with its www. name', () => {
    assert.deepEqual(
      ['a.example', 'www.a.example', 'b.a.example', 'www.b.a.example'].map(name => counterpart(name, 'a.example')),
      ['www.a.example', 'a.example', null, null],
    )
  })
})
