// Which hosts and pages of a redirect chain are looked up in feeds.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { Unavailable } from '../../src/evidence/facts.ts'
import { type ListKind, readEntry } from '../../src/evidence/operator_lists/entries.ts'
import { createOperatorLists } from '../../src/evidence/operator_lists/lookup.ts'
import createGatherer from '../../src/evidence/redirect_listings/gather.ts'
import type { Feed } from '../../src/knowledge/datasets/held.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { documentOf, exchangeOf, pageOf } from '../../src/testing/page_of.ts'
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
      pages: (host, _, page) => {
        const listed = entries.filter(entry => entry.startsWith(`${host}/`)).map(entry => entry.slice(host.length))
        if (listed.length === 0) return null
        return { host, count: listed.length, listed: listed.some(one => page?.includes(one)) }
      },
      address: match,
    },
    reason: null,
    age_hours: 1,
  }
}

const feeds = [
  feed('names', ['bad.com', '8.8.8.8', 'short.com/z', 'bakery.com/login.php', 'bakery.com/2']),
  feed('addresses', ['8.8.8.8', '2606:4700::1111', 'bad.com']),
  { ...feed('both', []), lookup: null, reason: 'not_loaded' },
]

const listsOf = (...written: readonly string[]) =>
  createOperatorLists(
    written.map(line => {
      const [list, entry = ''] = line.split(' ')
      const read = readEntry(list as ListKind, entry)
      assert.ok(read.ok)
      return read.entry
    }),
  )
const noLists = listsOf()
const now = new Date('2026-11-25T00:00:00Z')

async function look(
  urls: readonly string[],
  stopped_at: string | null = null,
  target = domainTarget('short.com'),
  refresh = '',
): Promise<unknown> {
  const gather = createGatherer({ feeds: () => feeds, operator_lists: () => noLists })
  const page = { exchanges: urls.map(url => ({ url, address: '198.51.100.1' })), stopped_at }
  const document = { url: urls.at(-1) ?? '', base: null, metas: [{ name: 'refresh', content: refresh }] }
  const evidence = { page, document }
  const context = {
    target,
    now,
    gather: async (name: 'page' | 'document') => evidence[name],
  } as unknown as GatherContext
  const { hosts } = await gather(context)
  return hosts.map(({ host, lists }) => [
    host,
    ...lists.map(({ id, matched, kind, covers }) => `${id} ${kind} ${matched}${covers === 'site' ? '' : ` ${covers}`}`),
  ])
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

  for (const [what, refresh, ...hosts] of [
    ['elsewhere', '0; url=https://www.bad.com/a', ['www.bad.com', 'names domain bad.com']],
    ['elsewhere, later', "9,URL='//bad.com'", ['bad.com', 'names domain bad.com']],
    ['to a listed page of the target', '0; url=/z', ['short.com', 'names domain short.com page']],
    ['to itself', '0'],
    ['to another scheme', '0; url=mailto:someone@bad.com'],
  ] as const) {
    it(`include that of a refresh ${what}, which visitors follow like a redirect`, async () => {
      assert.deepEqual(await look(['https://short.com/x'], null, domainTarget('short.com'), refresh), hosts)
    })
  }

  it('include those of a frame that fills the page, and of a script that leads on', async () => {
    const gather = createGatherer({ feeds: () => feeds, operator_lists: () => noLists })
    const exchange = (url: string) => ({ ...exchangeOf({ url }), address: '198.51.100.1' })
    const handover = {
      by: 'frame',
      seconds: null,
      alone: true,
      at: 0,
      frame: [exchange('https://www.bad.com/kit')],
    } as const
    const page = { ...pageOf({ url: 'https://short.com/' }), handover }
    const leaves = [{ written: 'https://good.com/', isCertain: true, seconds: 0 }]
    const written = { read: [], unread: [], destinations: [], leaves }
    const document = documentOf({ url: 'https://short.com/', written })
    const gathered = async (name: string) => (name === 'page' ? page : document)
    const context = { target: domainTarget('short.com'), now, gather: gathered } as unknown as GatherContext
    assert.deepEqual(
      (await gather(context)).hosts.map(({ host, lists }) => [host, lists.length]),
      [
        ['www.bad.com', 1],
        ['good.com', 0],
      ],
    )
  })

  it('are those of redirects alone where the page could not be read', async () => {
    const gather = createGatherer({ feeds: () => feeds, operator_lists: () => noLists })
    const page = { exchanges: [{ url: 'https://bad.com/', address: '198.51.100.1' }], stopped_at: null }
    const gathered = async (name: string) => {
      if (name === 'page') return page
      throw new Unavailable('timeout')
    }
    const context = { target: domainTarget('short.com'), now, gather: gathered } as unknown as GatherContext
    assert.deepEqual(
      (await gather(context)).hosts.map(({ host }) => host),
      ['bad.com'],
    )
  })

  it('are looked up as pages, of which one that is listed is reported before its neighbours', async () => {
    const urls = ['https://short.com/', 'https://bakery.com/', 'https://bakery.com/login.php?id=7']
    assert.deepEqual(await look(urls), [['bakery.com', 'names domain bakery.com page']])
    assert.deepEqual(await look(['https://bakery.com/']), [['bakery.com', 'names domain bakery.com other_pages']])
  })

  it('include other pages of the target itself, if they are listed', async () => {
    const listed = [['short.com', 'names domain short.com page']]
    assert.deepEqual(await look(['https://short.com/', 'https://short.com/z']), listed)
    assert.deepEqual(await look(['https://short.com/', 'https://short.com/y']), [])
    const parsed = parseTarget({ domain: null, ip: null, url: 'https://short.com/z' }, unvetted)
    assert.ok(parsed.ok && parsed.target.kind === 'domain')
    const target = parsed.target
    assert.deepEqual(await look(['http://short.com/z', 'https://short.com/z'], null, target), [])
    assert.deepEqual(await look(['https://short.com/z', 'https://short.com/z?2'], null, target), listed)
  })

  const hop = 'https://hop.com/x'
  const operatorCases: readonly [title: string, lists: readonly string[], stopped: string | null, named: string[]][] = [
    ['their names', ['block hop.com'], null, ['hop.com block hop.com']],
    ['names above them', ['block com'], null, ['hop.com block com']],
    ['the address that answered', ['block 198.51.100.0/24'], null, ['hop.com block 198.51.100.0/24']],
    ['a redirect that was not followed', ['block bad.com'], 'https://www.bad.com:25/', ['www.bad.com block bad.com']],
    ['an address that a redirect leads to', ['block 8.8.8.0/24'], 'http://8.8.8.8:25/', ['8.8.8.8 block 8.8.8.0/24']],
    ['an allowed host', ['allow hop.com', 'block com'], null, ['hop.com allow hop.com']],
    ['not the target, which has a listing of its own', ['block short.com'], null, []],
    ['no allowed address, which anybody may point a name at', ['allow 198.51.100.0/24'], null, []],
  ]
  for (const [title, lists, stopped_at, named] of operatorCases) {
    it(`are looked up in the operator’s lists: ${title}`, async () => {
      const gather = createGatherer({ feeds: () => [], operator_lists: () => listsOf(...lists) })
      const exchanges = [
        { url: 'https://short.com/', address: '198.51.100.7' },
        { url: hop, address: '198.51.100.8' },
      ]
      const gathered = async (name: string) => {
        if (name === 'page') return { exchanges, stopped_at }
        throw new Unavailable('timeout')
      }
      const context = { target: domainTarget('short.com'), now, gather: gathered } as unknown as GatherContext
      const { hosts } = await gather(context)
      const found = hosts.flatMap(({ host, operator }) =>
        operator ? [`${host} ${operator.list} ${operator.entry}`] : [],
      )
      assert.deepEqual(found, named)
    })
  }

  it('do not exist without a page', async () => {
    const gather = createGatherer({ feeds: () => feeds, operator_lists: () => noLists })
    const context = {
      target: domainTarget('short.com'),
      gather: () => Promise.reject(new Unavailable('timeout')),
    } as unknown as GatherContext
    assert.equal(await outcome(gather(context)), 'NotApplicable: no_page')
  })
})
