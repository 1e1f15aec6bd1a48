// What look-alikes share with the original, and which comes first.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inOrder, type RankedName, type Site, sharedOf } from '../../../src/results/lookalikes/shared.ts'

interface Page {
  readonly url?: string
  readonly title?: string | null
  readonly forms?: readonly string[]
  readonly servers?: readonly string[]
  readonly icon?: string | null
}

const site = (name: string, { url, title, forms, servers, icon = null }: Page): Site => ({
  name,
  result: {
    content_analysis:
      url === undefined
        ? null
        : {
            evaluated_url: url,
            title,
            icon: icon && { sha256: icon },
            forms: { items: (forms ?? []).map(action => ({ action })) },
          },
    dns_security: servers === undefined ? null : { name_servers: servers },
  },
})

const original = site('example.com', {
  url: 'https://www.example.com/',
  title: 'Example  Bank',
  forms: ['https://pay.example.net/'],
  servers: ['ns1.example.com'],
  icon: 'a',
})
const nothing = {
  title: null,
  icon: null,
  form_target: null,
  redirects_to: null,
  redirected_from: false,
  name_servers: null,
}

describe('what a look-alike shares', () => {
  const rows: readonly (readonly [string, Page, object])[] = [
    ['nothing that is known, where nothing was seen', {}, nothing],
    [
      'title and icon of a copy',
      { url: 'https://examp1e.com/', title: 'example bank', icon: 'a' },
      { ...nothing, title: true, icon: true, form_target: false, redirects_to: false },
    ],
    [
      'a form that sends to the original',
      { url: 'https://examp1e.com/', title: 'x', forms: ['https://login.example.com/in'] },
      { ...nothing, title: false, form_target: true, redirects_to: false },
    ],
    [
      'a form that sends where forms of the original send',
      { url: 'https://examp1e.com/', title: 'x', forms: ['https://example.net/'] },
      { ...nothing, title: false, form_target: true, redirects_to: false },
    ],
    [
      'a name of the same owner, which leads to the original',
      { url: 'https://www.example.com/', title: 'Example Bank', servers: ['ns1.example.com'] },
      { title: true, icon: null, form_target: false, redirects_to: true, redirected_from: false, name_servers: true },
    ],
  ]
  for (const [what, page, shared] of rows)
    it(what, () => assert.deepEqual(sharedOf(original, site('examp1e.com', page)), shared))

  it('an original that leads to it', () => {
    const moved = site('example.com', { url: 'https://examp1e.com/', title: 'x' })
    assert.equal(sharedOf(moved, site('examp1e.com', {})).redirected_from, true)
  })
})

describe('the order of look-alikes', () => {
  it('is by recommendation, then by what they share, then by score; those of the owner last among equals', () => {
    const one = (name: string, recommendation: string | null, risk_score = 0, shared: object = {}): RankedName => ({
      name,
      mail: null,
      shared: { ...nothing, ...shared },
      result: recommendation === null ? null : { recommendation, risk_score },
    })
    const all = [
      one('not judged', null),
      { ...one('receives mail', null), mail: true },
      one('allowed', 'allow', 3),
      one('the owner’s', 'allow', 3, { redirects_to: true }),
      one('review', 'review', 40),
      one('review of a copy', 'review', 20, { title: true }),
      one('block', 'block', 80),
    ]
    assert.deepEqual(
      inOrder(all).map(({ name }) => name),
      ['block', 'review of a copy', 'review', 'allowed', 'receives mail', 'not judged', 'the owner’s'],
    )
  })
})
