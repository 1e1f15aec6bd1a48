import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { honestFront, kitPlaces, ownPlace, pathOf } from '../../../lab/evaluation/paths.ts'
import type { PageRecord } from '../../../lab/evaluation/records.ts'
import { openPageChecks } from '../../../src/testing/check_page.ts'

const recordOf = (parts: Partial<PageRecord>): PageRecord => ({
  id: 'a',
  file: 'a.html',
  label: 'phishing',
  kind: 'kit',
  content_type: 'text/html',
  hosts: { compromised: 'corner-bakery.de', random: 'xkcd-qq.de' },
  group: 'g',
  source: { repo: 'lab' },
  ...parts,
})

const sources: readonly (readonly [
  title: string,
  parts: Partial<PageRecord>,
  path: string | null,
  deployed: boolean | null,
])[] = [
  ['its own path', { path: '/wp-includes/x y/form.php' }, '/wp-includes/x%20y/form.php', true],
  [
    'the site and the archive',
    { source: { repo: 'lab', path: 'a/shop.example.com/wp-content/kit.zip', inner: 'kit/index.php' } },
    '/wp-content/kit/index.php',
    true,
  ],
  ['an address', { source: { repo: 'lab', path: 'a/93.184.216.34/x/form.php' } }, '/x/form.php', true],
  ['the archive', { source: { repo: 'lab', path: 'kits/bank.zip', inner: 'bank/form.php' } }, '/bank/form.php', false],
  ['a collection', { source: { repo: 'lab', path: 'sites/bank/form.php' } }, null, null],
  ['nothing', {}, null, null],
]

describe('pages under their paths', () => {
  for (const [title, parts, path, deployed] of sources) {
    it(`have ${path === null ? 'no path' : `the path ${path}`} by ${title}`, () => {
      assert.deepEqual(pathOf(recordOf(parts)), path === null ? null : { path, deployed })
    })
  }

  it('are served on the front page and under the path of a compromised host', () => {
    const [title, , ...rest] = kitPlaces(recordOf({ path: '/x/form.php' })).map(({ url, as_link }) => [url, as_link])
    assert.deepEqual([title, rest], [['https://corner-bakery.de/', false], []])
    assert.deepEqual(kitPlaces(recordOf({ path: '/x/form.php' }))[1], {
      host_kind: 'compromised',
      url: 'https://corner-bakery.de/x/form.php',
      as_link: true,
      place: 'path on the site it was found on',
    })
    assert.deepEqual(kitPlaces(recordOf({})), [])
    assert.deepEqual(kitPlaces(recordOf({ path: '/x', hosts: { compromised: null } })), [])
  })

  it('are honest under their canonical URL if that is theirs', async () => {
    const checks = await openPageChecks()
    const [front] = honestFront(recordOf({ hosts: { real: 'www.museum.nl' } }))
    assert.ok(front, 'there is a front page')
    const own = async (href: string) => {
      const html = `<!doctype html><title>A</title><link rel="canonical" href="${href}"><p>Text</p>`
      return ownPlace(front, await checks.check({ url: front.url, html }))?.url ?? null
    }
    assert.deepEqual(
      [
        await own('https://tickets.museum.nl/a?b=1'),
        await own('https://www.museum.nl/'),
        await own('https://elsewhere.com/a'),
        await own(''),
      ],
      ['https://tickets.museum.nl/a?b=1', null, null, null],
    )
    await checks.close()
  })

  it('are judged as links', async () => {
    const checks = await openPageChecks()
    const check = async (as_link: boolean) => {
      const url = 'https://corner-bakery.de/wp-includes/paypal/verify.php'
      return (await checks.check({ url, as_link, html: '<!doctype html><title>A</title><p>Text</p>' })).signals
    }
    assert.ok((await check(true)).includes('page_in_asset_folder'), 'the link is judged')
    assert.ok(!(await check(false)).includes('page_in_asset_folder'), 'only the host is judged')
    await checks.close()
  })
})
