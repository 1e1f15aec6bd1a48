// Pictures of a page in its report and in comparisons, in a real Chromium. Those of the service are stood in for: the browser that
// draws them is tested for itself.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { demoHosts } from '../../src/testing/demo/hosts.ts'
import { launch, withoutBrowser } from './chromium.ts'
import { type ServedPage, servePage } from './served.ts'
import { type Visitor, visit } from './visitor.ts'

/** A pixel that is not transparent. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const screenshot = (kind: string) => ({ kind, width: 1, height: 1, media_type: 'image/webp', sha256: '', octets: 1 })

/** As the section says of two pictures. */
const rendered = (domain: string) => ({
  url: `https://${domain}/`,
  title: 'Drawn',
  screenshots: [screenshot('desktop'), screenshot('phone')],
})

/** Looks at a picture until it is drawn, and milliseconds between two. */
const LOOKS = 600
const LOOK_MS = 50

const report = '#report:not([hidden])'

describe('pictures of a page', { skip: withoutBrowser }, () => {
  let browser: Browser
  let served: ServedPage
  let visitor: Visitor
  before(async () => {
    ;[browser, served] = await Promise.all([launch(), servePage(demoHosts(new Date()))])
    visitor = await visit(browser, served.url)
    const { page } = visitor
    await page.route('**/screenshots/*', route => route.fulfill({ contentType: 'image/png', body: PIXEL }))
    await page.route('**/api/v1/check?*', async route => {
      const response = await route.fetch()
      const domain = new URL(route.request().url()).searchParams.get('domain') ?? ''
      const member = `"rendered":${JSON.stringify(rendered(domain))},"domain":`
      await route.fulfill({ response, body: (await response.text()).replace(/"domain":/g, member) })
    })
    await page.fill('#target', 'healthy-shop.lab')
    await page.fill('#key', served.key)
    await page.press('#key', 'Enter')
    await page.waitForSelector(`${report} .pictures canvas`)
  })
  after(async () => {
    await visitor?.close()
    await Promise.all([browser?.close(), served?.close()])
  })

  it('come after what to do, with words for who does not see them', async () => {
    const { page } = visitor
    const order = await page.evaluate(
      "[...document.querySelectorAll('#report > .before, #report > .pictures, #report > .why')].map(one => one.className)",
    )
    assert.deepEqual(order, ['before', 'pictures', 'why'])
    assert.deepEqual(await page.locator('.pictures canvas').evaluateAll(all => all.map(one => one.ariaLabel)), [
      'The page of healthy-shop.lab on a desktop, with the title “Drawn”. Recommendation: allow.',
      'The page of healthy-shop.lab on a phone, with the title “Drawn”. Recommendation: allow.',
    ])
    const isDrawn = () =>
      page.evaluate<boolean>(
        "document.querySelector('.pictures canvas').getContext('2d').getImageData(0, 0, 1, 1).data[3] > 0",
      )
    for (let look = 0; !(await isDrawn()); look++) {
      assert.ok(look < LOOKS)
      await page.waitForTimeout(LOOK_MS)
    }
  })

  it('stand side by side where another name is compared, each below its name', async () => {
    const { page } = visitor
    await page.click('.compare summary')
    await page.fill('#other', 'kitchen-blog.lab')
    await page.press('#other', 'Enter')
    await page.waitForSelector('.beside canvas')
    assert.deepEqual(await page.locator('.beside .name').allTextContents(), ['healthy-shop.lab', 'kitchen-blog.lab'])
    assert.equal(await page.locator('.beside canvas').count(), 4)
    assert.deepEqual(await visitor.violations(), [])
    assert.deepEqual(visitor.complaints, [])
  })
})
