import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unseenPageSignals } from '../../plugins/reputation/unseen_page.ts'
import type { Document } from '../../src/evidence/document/facts.ts'
import type { Page } from '../../src/evidence/page/facts.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'

const none = { inline: 0, own: 0, foreign: 0 }
const drawn = { words: 0, fields: 0, buttons: 0, pictures: 0, scripts: { ...none, own: 1 }, frames: none }
const shell = documentOf({ drawn })
const paragraph = documentOf({ text: 'word '.repeat(60) })

interface Given {
  readonly asked?: Partial<Parameters<typeof parseTarget>[0]>
  readonly page?: Page
  readonly document?: Document | null
  readonly age?: number | null
  readonly rank?: number | null
}

function found({ asked = { domain: 'shop.com' }, page = pageOf({}), document = shell, age = null, rank }: Given) {
  const parsed = parseTarget({ domain: null, ip: null, ...asked }, unvetted)
  assert.ok(parsed.ok)
  const popularity = rank === undefined ? null : { domain: 'shop.com', rank, lists: [] }
  const served = describeServed(page, document)
  const known = { age, recent_days: 90, brands: [] }
  return unseenPageSignals({ page, served, document, popularity }, parsed.target, known).map(({ detail }) => detail)
}

const WRITTEN = 'The page is written by a script that was not run.'
const redirected = (...to: string[]) => pageOf({ url: 'https://shop.com/x', status: 302 }, ...to.map(url => ({ url })))
const link = { asked: { url: 'https://shop.com/x' }, page: pageOf({ url: 'https://shop.com/x' }), age: 2_922 }

describe('a page seen in part', () => {
  const cases: [title: string, given: Given, detail: string | null][] = [
    ['is reported under a name of unknown age', {}, WRITTEN],
    ['is reported under a name that is new', { age: 89 }, WRITTEN],
    ['is not reported under an old name', { age: 90 }, null],
    ['is not reported under a popular name', { rank: 500_000 }, null],
    ['is reported under a name that lists do not rank', { rank: null }, WRITTEN],
    [
      'is reported under a tenant’s name, however old the platform is',
      { asked: { domain: 'a.github.io' }, age: 5_000 },
      WRITTEN,
    ],
    ['is reported of a link as of a name', { ...link, age: null }, WRITTEN],
    ['is not reported of a link to an old name', link, null],
    [
      'is reported of a link that leads to another owner’s page',
      { ...link, page: redirected('https://other.com/') },
      WRITTEN,
    ],
    [
      'is not reported of a link that leads to a brand’s page',
      { ...link, page: redirected('https://www.paypal.com/') },
      null,
    ],
    ['is not reported of an address, which says nothing about a page', { asked: { ip: '192.0.2.1' } }, null],
    ['is reported of a link to an address', { asked: { url: 'http://193.0.14.1/' } }, WRITTEN],
    [
      'is reported behind a redirect that was not followed',
      { page: { ...pageOf({ status: 302 }), stopped: 'redirect_to_port' }, document: paragraph },
      'The page is behind a redirect that was not followed.',
    ],
    ['is not reported where the page was seen', { document: paragraph }, null],
    ['is not reported where nothing was seen, for confidence is low then', { document: null }, null],
  ]
  for (const [title, given, detail] of cases)
    it(title, () => assert.deepEqual(found(given), detail === null ? [] : [detail]))
})
