// Pages that a browser draws differently, under names of every age and standing: what is recommended, how sure, and why.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type GivenPage, openPageChecks, type PageChecks } from '../../../src/testing/check_page.ts'

const shell = '<title>App</title><div id=root></div><script src=/app.js></script>'

const pages: readonly [what: string, page: Pick<GivenPage, 'html' | 'status'>, why: string][] = [
  ['a frame of its own site', { html: '<iframe src="/in"></iframe>' }, 'is drawn by a frame that was not seen'],
  ['a frame of another site', { html: '<iframe src="https://other.org/">' }, 'is drawn by a frame that was not seen'],
  ['a picture', { html: '<body><img src="/a.png">' }, 'is only a picture'],
  ['a shell', { html: shell }, 'is written by a script that was not run'],
  ['a script', { html: '<script>draw()</script>' }, 'is written by a script that was not run'],
  [
    'a refresh',
    { html: '<meta http-equiv=refresh content="0; url=/home">' },
    'sends visitors to a page that was not seen',
  ],
  [
    'a script that leads on',
    { html: '<script>location="/home"</script>' },
    'sends visitors to a page that was not seen',
  ],
  ['nothing', { html: '' }, 'shows nothing'],
  ['an empty page', { html: '<html><body></body></html>' }, 'shows nothing'],
  ['404', { html: '<h1>Not found</h1>', status: 404 }, 'is an error page'],
  ['404 without a body', { html: '', status: 404 }, 'is an error page'],
  ['500', { html: shell, status: 500 }, 'is an error page'],
]

const [OWN, TENANT, BRAND] = ['orchard-notes.org', 'orchard.github.io', 'paypal.com']
const POPULAR = { rank: 4_000 }

const names: readonly [which: string, recommendation: 'allow' | 'review', host: string, known: Partial<GivenPage>][] = [
  ['of 3 days', 'review', OWN, { age_days: 3 }],
  ['of 40 days', 'review', OWN, { age_days: 40 }],
  ['of 90 days', 'allow', OWN, { age_days: 90 }],
  ['of 8 years', 'allow', OWN, {}],
  ['of unknown age', 'review', OWN, { age_days: null }],
  ['of unknown age that is popular', 'allow', OWN, { age_days: null, ...POPULAR }],
  ['of unknown age with a rank that is cheap to buy', 'review', OWN, { age_days: null, rank: 700_000 }],
  ['of 3 days that is popular', 'review', OWN, { age_days: 3, ...POPULAR }],
  ['of a tenant', 'review', TENANT, {}],
  ['of a tenant that is popular', 'allow', TENANT, POPULAR],
  ['of unknown age that is a brand’s own', 'allow', BRAND, { age_days: null }],
]

describe('a page that was seen only in part', () => {
  let checks: PageChecks
  before(async () => {
    checks = await openPageChecks()
  })
  after(() => checks.close())

  const told = async (page: GivenPage) => {
    const { verdict, recommendation, confidence, recommendation_reason } = await checks.check(page)
    return { verdict, recommendation, confidence, recommendation_reason }
  }

  const forwarding = {
    verdict: 'suspicious',
    why: 'The domain is new, and it forwards visitors or serves disposable mail.',
  }

  for (const [what, page, why] of pages) {
    for (const [which, recommendation, host, known] of names) {
      // As any other way to hand visitors on at once.
      const isForwarding = what === 'a frame of another site' && known.age_days === 3
      it(`is ${what}: ${recommendation} under a name ${which}`, async () => {
        const reason =
          recommendation === 'review'
            ? `The page ${why}.`
            : `No serious risk was found, but the page was seen only in part: it ${why}.`
        assert.deepEqual(await told({ url: `https://${host}/`, ...page, ...known }), {
          verdict: isForwarding ? forwarding.verdict : 'safe',
          recommendation,
          confidence: 'medium',
          recommendation_reason: isForwarding ? forwarding.why : reason,
        })
      })
    }
  }

  it('is reviewed as a link to an address, whose owner is not known', async () => {
    const { recommendation } = await told({ url: 'https://193.0.14.9/app', as_link: true, html: shell, age_days: null })
    assert.equal(recommendation, 'review')
  })

  const seen: readonly [what: string, page: Omit<GivenPage, 'url'>][] = [
    [
      'words and scripts',
      { html: `<h1>Apples</h1>${'<p>Notes on growing apples.'.repeat(15)}<script src=/a.js></script>` },
    ],
    ['a log-in', { html: '<form><input name=user><input type=search></form><script src=/a.js></script>' }],
    ['few words and nothing else', { html: '<h1>Apples</h1>' }],
    ['a placeholder', { html: '<title>Domain for sale</title><script src=/a.js></script>' }],
    ['an error page with much of the site', { html: '<p>Notes on growing apples.'.repeat(15), status: 404 }],
  ]
  for (const [what, page] of seen) {
    it(`is not a page with ${what}, whatever the age of the name`, async () => {
      for (const age_days of [3, null, 2_922]) {
        const { recommendation, confidence } = await told({ url: `https://${OWN}/`, ...page, age_days })
        assert.deepEqual([recommendation, confidence], ['allow', 'high'], `${age_days}`)
      }
    })
  }
})
