// What other targets share with a result, on the page, in a real Chromium, against the whole service with the lab for the world.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { demoHosts } from '../../src/testing/demo/hosts.ts'
import { launch, withoutBrowser } from './chromium.ts'
import { type ServedPage, servePage } from './served.ts'
import { type Visitor, visit } from './visitor.ts'

describe('what others show, on the page', { skip: withoutBrowser }, () => {
  let browser: Browser
  let served: ServedPage
  let visitor: Visitor
  before(async () => {
    ;[browser, served] = await Promise.all([launch(), servePage(demoHosts(new Date()))])
    visitor = await visit(browser, served.url)
    await visitor.page.fill('#key', served.key)
  })
  after(async () => {
    await visitor?.close()
    await Promise.all([browser?.close(), served?.close()])
  })

  const check = async (name: string) => {
    const { page } = visitor
    await page.fill('#target', name)
    await page.press('#target', 'Enter')
    await page.waitForSelector(`#report-title .target:has-text("${name}")`)
  }

  it('is counted for each fact, once others were checked', async () => {
    const { page } = visitor
    await check('healthy-shop.lab')
    await page.waitForSelector('.report .sharing')
    assert.equal(await page.locator('.others').count(), 0)
    await page.click('.brand')
    await page.fill('#key', served.key)
    await check('expired-certificate.lab')
    await page.waitForSelector('.others')
    await page.click('.others summary')
    await page.waitForSelector('.others li:has-text("1 other with the same network: 64496")')
  })

  it('is listed after a click, and leads to the result', async () => {
    const { page } = visitor
    const button = page.locator('.others li:has-text("the same network") button')
    await button.click()
    const link = page.locator('.others li li a')
    await link.waitFor()
    assert.equal(await link.textContent(), 'healthy-shop.lab')
    assert.equal(await button.getAttribute('aria-expanded'), 'true')
    assert.deepEqual(await visitor.violations(), [])
    await link.click()
    await page.waitForSelector('#report-title .target:has-text("healthy-shop.lab")')
  })

  it('is no cause of a complaint by the browser', () => assert.deepEqual(visitor.complaints, []))
})
