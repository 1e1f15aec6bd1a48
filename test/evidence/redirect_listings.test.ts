// Which hosts of a redirect chain are looked up in feeds.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { Unavailable } from '../../src/evidence/facts.ts'
import type { Feed } from '../../src/evidence/feeds/gather.ts'
import createGatherer from '../../src/evidence/redirect_listings/gather.ts'
import { domainTarget } from './lab_check.ts'
import { outcome } from './lab_visit.ts'

const feed = (about: Feed['about'], entries: readonly string[]): Feed => {
  const match = (text: string) => entries.find(entry => text === entry || text.endsWith(`.${entry}`)) ?? null
  return {
    id: about,
    name: about,
    about,
    category: 'phishing',
    strength: 'strong',
    terms: 'free',
    lookup: {
      name: (name, registrable) => (name.endsWith(registrable) ? match(name) : null),
      pages: () => null,
      address: match,
    },
    reason: null,
    age_hours: 1,
  }
}

const feeds = [
  feed('names', ['bad.com', '8.8.8.8']),
  feed('addresses', ['8.8.8.8', '2606:4700::1111', 'bad.com']),
  { ...feed('both', []), lookup: null, reason: 'not_loaded' },
]

async function look(urls: readonly string[], stopped_at: string | null = null): Promise<unknown> {
  const gather = createGatherer({ feeds: () => feeds })
  const page = { exchanges: urls.map(url => ({ url })), stopped_at }
  const context = { target: domainTarget('short.com'), gather: async () => page } as unknown as GatherContext
  const { hosts } = await gather(context)
  return hosts.map(({ host, lists }) => [host, ...lists.map(({ id, matched, kind }) => `${id} ${kind} ${matched}`)])
}

describe('the hosts that redirects lead to', () => {
  it('are looked up once each, without the target', async () => {
    const urls = [
      'https://short.com/x',
      'https://www.bad.com/a',
      'http://www.bad.com/b',
      'https://good.com/',
      'https://short.com/',
    ]
    assert.deepEqual(await look(urls), [['www.bad.com', 'names domain bad.com'], ['good.com']])
  })

  it('are looked up as addresses where they are addresses', async () => {
    assert.deepEqual(await look(['https://8.8.8.8/', 'https://[2606:4700::1111]/']), [
      ['8.8.8.8', 'addresses ip 8.8.8.8'],
      ['2606:4700::1111', 'addresses ip 2606:4700::1111'],
    ])
  })

  for (const [at, hosts] of [
    ['http://bad.com:25/', [['bad.com', 'names domain bad.com']]],
    ['mailto:someone@bad.com', []],
    ['//[', []],
  ] as const) {
    it(`include that of a redirect that was not followed to ${at}: ${hosts.length}`, async () => {
      assert.deepEqual(await look(['https://short.com/'], at), hosts)
    })
  }

  it('do not exist without a page', async () => {
    const gather = createGatherer({ feeds: () => feeds })
    const context = {
      target: domainTarget('short.com'),
      gather: () => Promise.reject(new Unavailable('timeout')),
    } as unknown as GatherContext
    assert.equal(await outcome(gather(context)), 'NotApplicable: no_page')
  })
})
