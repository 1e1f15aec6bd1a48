// Watches on the page, in a real Chromium, against the whole service with the lab for the world.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { demoHosts, receiverHost } from '../../src/testing/demo/hosts.ts'
import { launch, withoutBrowser } from './chromium.ts'
import { type ServedPage, servePage } from './served.ts'
import { passAxeRules, type Visitor, visit } from './visitor.ts'

const NOTIFY = 'https://hooks.lab/secret-path'

describe('watches on the page', { skip: withoutBrowser }, () => {
  const received: string[] = []
  let browser: Browser
  let served: ServedPage
  let visitor: Visitor
  before(async () => {
    const hosts = [...demoHosts(new Date()), receiverHost(text => received.push(text))]
    ;[browser, served] = await Promise.all([launch(), servePage(hosts)])
    visitor = await visit(browser, served.url)
  })
  after(async () => {
    await visitor?.close()
    await Promise.all([browser?.close(), served?.close()])
  })

  it('are loaded when they are opened', async () => {
    const { page, requests } = visitor
    const loaded = () => requests.some(url => url.endsWith('/assets/watches.js'))
    assert.equal(loaded(), false)
    await page.fill('#target', 'healthy-shop.lab')
    await page.click('#watches summary')
    await page.waitForSelector('.watch-form')
    assert.equal(loaded(), true)
    assert.equal(await page.inputValue('#watch-target'), 'healthy-shop.lab')
  })

  it('ask for a key, and say what cannot be watched', async () => {
    const { page } = visitor
    await page.click('.watch-form button')
    await page.waitForSelector('#watches [role="alert"]:has-text("An API key is required")')
    await page.fill('#key', served.key)
    await page.fill('#watch-notify', 'https://10.0.0.1/')
    await page.click('.watch-form button')
    await page.waitForSelector('[role="alert"]:has-text("The receiver is not reachable from the public Internet.")')
  })

  it('are added by keyboard alone, with the secret shown once', async () => {
    const { page } = visitor
    await page.fill('#watch-notify', NOTIFY)
    await page.press('#watch-notify', 'Enter')
    await page.waitForSelector('.secret')
    assert.match((await page.textContent('.secret')) ?? '', /shown only now: whsec_\S+ Copy$/)
    assert.match(await page.evaluate('document.activeElement.className'), /secret/)
    const text = (await page.textContent('.watch-list')) ?? ''
    assert.match(text, /healthy-shop\.lab every 6h, to https:\/\/hooks\.lab\/… \(signed JSON\)/)
    assert.doesNotMatch(text, /whsec|secret-path/)
  })

  passAxeRules(() => visitor)

  it('send a test, and show what was sent', async () => {
    const { page } = visitor
    await page.click('.watch-list button:has-text("Test")')
    await page.waitForSelector('.watch-list:has-text("The receiver accepted the test.")')
    assert.match(received[0] ?? '', /^POST \/secret-path\nwebhook-id: msg_/)
    await page.click('.watch-list button:has-text("Deliveries")')
    await page.waitForSelector('.watch-list li li:has-text("test (delivered, 1 attempt)")')
    assert.deepEqual(await visitor.violations(), [])
  })

  it('do not report a matter until a date, and report it again', async () => {
    const { page } = visitor
    await page.click('.watch-list summary:has-text("Silence something")')
    await page.selectOption('.silence select', { label: 'an address in another network' })
    assert.deepEqual(await visitor.violations(), [])
    await page.click('.silence button')
    await page.waitForSelector('.watch-list:has-text("an address in another network. Report again")')
    assert.match((await page.textContent('.watch-list')) ?? '', /Not reported until \d+ \w+ \d{4}: an address/)
    await page.click('.watch-list button:has-text("Report again")')
    await page.waitForSelector('.watch-list:not(:has-text("Not reported until"))')
  })

  it('are added for several names at once, in the format that the receiver takes', async () => {
    const { page } = visitor
    await page.fill('#watch-target', 'kitchen-blog.lab\ntown-choir.lab')
    await page.fill('#watch-notify', 'https://discord.com/api/webhooks/1/x')
    assert.equal(await page.inputValue('#watch-format'), 'discord')
    await page.fill('#watch-notify', NOTIFY)
    await page.check('#watch-digest')
    await page.check('#watch-lookalikes')
    await page.press('#watch-notify', 'Enter')
    await page.waitForSelector('.watch-list > li:nth-child(3)')
    const text = (await page.textContent('.watch-list')) ?? ''
    assert.match(text, /kitchen-blog\.lab every 6h, to \S+ \(Discord message, once a day, with new look-alikes\)/)
    assert.equal(await page.locator('.secret').count(), 0)
    for (const name of ['kitchen-blog.lab', 'town-choir.lab']) {
      await page.click(`.watch-list button[aria-label="Remove the watch of ${name}"]`)
      await page.waitForSelector(`#status:has-text("${name} is no longer watched.")`, { state: 'attached' })
    }
  })

  it('are removed, and nothing was complained of', async () => {
    const { page } = visitor
    await page.click('.watch-list button:has-text("Remove")')
    await page.waitForSelector('#status:has-text("healthy-shop.lab is no longer watched.")', { state: 'attached' })
    assert.equal(await page.locator('.watch-list li').count(), 0)
    assert.deepEqual(visitor.complaints, [])
  })
})
