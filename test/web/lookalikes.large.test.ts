// Look-alikes on the page, in a real Chromium, against the whole service with the lab for the world.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { demoHosts } from '../../src/testing/demo/hosts.ts'
import { launch, withoutBrowser } from './chromium.ts'
import { type ServedPage, servePage } from './served.ts'
import { passAxeRules, type Visitor, visit } from './visitor.ts'

/** Milliseconds: a search asks for every name, and judges those that exist. */
const SEARCH_MS = 60_000

describe('look-alikes on the page', { skip: withoutBrowser }, () => {
  let browser: Browser
  let served: ServedPage
  let visitor: Visitor
  before(async () => {
    ;[browser, served] = await Promise.all([launch(), servePage(demoHosts(new Date()))])
    visitor = await visit(browser, served.url)
  })
  after(async () => {
    await visitor?.close()
    await Promise.all([browser?.close(), served?.close()])
  })

  it('are searched for the name in the form, when they are opened', async () => {
    const { page } = visitor
    await page.fill('#target', 'healthy-shop.lab')
    await page.click('#lookalikes summary')
    await page.waitForSelector('#lookalikes-domain')
    assert.equal(await page.inputValue('#lookalikes-domain'), 'healthy-shop.lab')
  })

  it('ask for a key', async () => {
    const { page } = visitor
    await page.press('#lookalikes-domain', 'Enter')
    await page.waitForSelector('#lookalikes [role="alert"]:has-text("An API key is required")')
  })

  it('are listed as they are judged, and ranked at the end', async () => {
    const { page } = visitor
    await page.fill('#key', served.key)
    await page.press('#lookalikes-domain', 'Enter')
    await page.waitForSelector('#lookalikes-counts:has-text("judged.")', { timeout: SEARCH_MS })
    await page.waitForSelector('#lookalikes button[type="submit"]:not([disabled])', { timeout: SEARCH_MS })
    const names = await page.locator('#lookalikes li strong').allTextContents()
    assert.ok(names.includes('healthy-sh0p.lab'), `${names}`)
    assert.equal(await page.textContent('#lookalikes [role="alert"]'), '')
  })

  passAxeRules(() => visitor)

  it('are no cause of a complaint by the browser', () => {
    assert.deepEqual(visitor.complaints, [])
  })
})
