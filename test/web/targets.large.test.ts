// My targets, and the history of one of them, in a real Chromium against the whole service with the lab for the world.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { demoHosts, receiverHost } from '../../src/testing/demo/hosts.ts'
import { goodMail, phishingPage, plainPage } from '../../src/testing/demo/pages.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import { launch, withoutBrowser } from './chromium.ts'
import { type ServedPage, servePage } from './served.ts'
import { passAxeRules, type Visitor, visit } from './visitor.ts'

let isHacked = false
const changing: LabHost = {
  name: 'changing.lab',
  addresses: ['193.0.14.94'],
  ...goodMail('changing.lab', '193.0.14.95'),
  https: () => ({ body: isHacked ? phishingPage : plainPage('Club of model railways') }),
}

const LIST = 'changing.lab\nHealthy-Shop.lab https://kitchen-blog.lab/about; 7'
const card = (name: string) => `.target-card[data-loaded]:has(h3:has-text("${name}"))`

describe('my targets on the page', { skip: withoutBrowser }, () => {
  let browser: Browser
  let served: ServedPage
  let visitor: Visitor
  before(async () => {
    const hosts = [...demoHosts(new Date()), changing, receiverHost(() => {})]
    ;[browser, served] = await Promise.all([launch(), servePage(hosts)])
    for (const hacked of [false, false, true]) {
      isHacked = hacked
      // The history has results of one second in any order.
      await new Promise(resolve => setTimeout(resolve, 1_100))
      await asked('/api/v1/check?domain=changing.lab&fresh=true')
    }
    await asked('/api/v1/check?domain=healthy-shop.lab')
    const watch = { target: 'healthy-shop.lab', every: '7d', notify: 'https://hooks.lab/x', format: 'json' }
    await asked('/api/v1/watches', { method: 'POST', body: JSON.stringify(watch) })
    // The watch checks at once, in its own time.
    while (JSON.stringify(await asked('/api/v1/watches')).includes('"last_result":null'))
      await new Promise(resolve => setTimeout(resolve, 50))
    visitor = await visit(browser, served.url)
  })
  after(async () => {
    await visitor?.close()
    await Promise.all([browser?.close(), served?.close()])
  })

  async function asked(path: string, options: RequestInit = {}): Promise<Record<string, unknown>> {
    const response = await fetch(`${served.url}${path}`, { ...options, headers: { 'X-API-Key': served.key } })
    assert.ok(response.ok)
    return (await response.json()) as Record<string, unknown>
  }

  it('are loaded when they are opened, and ask for a key', async () => {
    const { page, requests } = visitor
    assert.equal(
      requests.some(url => url.endsWith('/assets/targets.js')),
      false,
    )
    await page.click('#my-targets-link')
    await page.waitForSelector('.targets:has-text("Enter your API key above")')
    assert.equal(await page.evaluate('document.activeElement.id'), 'targets-title')
  })

  it('are the watched names, once there is a key', async () => {
    const { page } = visitor
    await page.fill('#key', served.key)
    await page.click('text="Load again"')
    await page.waitForSelector(card('healthy-shop.lab'))
    assert.deepEqual(await page.locator('.target-card h3').allTextContents(), ['healthy-shop.lab'])
    assert.match((await page.textContent(card('healthy-shop.lab'))) ?? '', /Certificate\d+ days left.*In: Watched$/)
  })

  it('are those of a list that was pasted, by keyboard alone, which only this browser keeps', async () => {
    const { page } = visitor
    await page.locator('.lists summary').press('Enter')
    await page.fill('#list-name', 'Suppliers')
    await page.fill('#list-names', LIST)
    await page.press('#list-names', 'Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.lists:has-text("3 in the list “Suppliers”. Left out: 7.")')
    await page.waitForSelector(card('kitchen-blog.lab'))
    await page.waitForSelector('.targets:has-text("3 targets, all shown.")')
    assert.deepEqual(await page.locator('.target-card h3').allTextContents(), [
      'changing.lab',
      'healthy-shop.lab',
      'kitchen-blog.lab',
    ])
    assert.match((await page.textContent(card('healthy-shop.lab'))) ?? '', /In: Watched, Suppliers$/)
    assert.match((await page.textContent(card('kitchen-blog.lab'))) ?? '', /Not checked by your account yet\./)
    const stored = await page.evaluate('JSON.stringify([Object.entries(localStorage), sessionStorage.length])')
    const kept = JSON.stringify([
      { name: 'Suppliers', targets: ['changing.lab', 'healthy-shop.lab', 'kitchen-blog.lab'] },
    ])
    assert.equal(stored, JSON.stringify([[['assay-lists', kept]], 0]))
  })

  it('say what changed last, and have their scores as a line with words', async () => {
    const text = (await visitor.page.textContent(card('changing.lab'))) ?? ''
    assert.match(text, /Last change\d+ \w+ \d{4}: Recommendation: \w+ → \w+, and \d+ more/)
    const spark = await visitor.page.getAttribute(`${card('changing.lab')} .spark`, 'aria-label')
    assert.match(spark ?? '', /^Risk scores, oldest first: (\d+), \1, \d+$/)
  })

  it('ask for what is kept alone, a few times for each target, and not again', async () => {
    const { page, requests } = visitor
    const about = () => requests.map(url => new URL(url)).filter(({ pathname }) => pathname.startsWith('/api/'))
    const kinds = (urls: readonly URL[]) => urls.map(({ pathname }) => pathname.split('/')[3]).sort()
    assert.deepEqual(kinds(about()), ['compare', 'history', 'history', 'history', 'results', 'results', 'watches'])
    const before = about().length
    await page.click('text="Load again"')
    await page.waitForSelector('.targets:has-text("3 targets, all shown.")')
    assert.deepEqual(kinds(about().slice(before)), ['history', 'history', 'history', 'watches'])
  })

  it('are filtered and sorted', async () => {
    const { page } = visitor
    const names = () => page.locator('.target-card h3').allTextContents()
    await page.fill('#targets-text', 'shop')
    assert.deepEqual(await names(), ['healthy-shop.lab'])
    await page.fill('#targets-text', '')
    await page.selectOption('#targets-state', 'changed')
    assert.deepEqual(await names(), ['changing.lab'])
    await page.selectOption('#targets-state', 'all')
    await page.selectOption('#targets-group', 'Watched')
    assert.deepEqual(await names(), ['healthy-shop.lab'])
    await page.selectOption('#targets-group', '')
    await page.selectOption('#targets-order', 'score')
    assert.deepEqual(await names(), ['changing.lab', 'healthy-shop.lab', 'kitchen-blog.lab'])
  })

  it('are exported without asking the service', async () => {
    const { page, requests } = visitor
    const before = requests.length
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text="Export as CSV"')])
    const lines = readFileSync((await download.path()) ?? '', 'utf8').split('\r\n')
    assert.equal(download.suggestedFilename(), 'assay-targets.csv')
    assert.match(lines[0] ?? '', /^target,lists,checked_at,recommendation,/)
    assert.deepEqual(
      lines.slice(1).map(line => line.split(',')[0]),
      ['changing.lab', 'healthy-shop.lab', 'kitchen-blog.lab', ''],
    )
    assert.deepEqual(
      requests.slice(before).filter(url => !url.startsWith('blob:')),
      [],
    )
  })

  passAxeRules(() => visitor)

  it('lead to the report, whose history says by keyboard and in a table what changed', async () => {
    const { page } = visitor
    await page.setViewportSize({ width: 1180, height: 900 })
    await page.click(`${card('changing.lab')} a`)
    await page.waitForSelector('#report-title:has-text("changing.lab")')
    await page.waitForSelector('.history .sharing')
    await page.locator('.score-chart').scrollIntoViewIfNeeded()
    await page.waitForSelector('.pin', { state: 'attached' })
    await page.locator('.pin[tabindex="0"]').focus()
    assert.match(await page.evaluate('document.activeElement.getAttribute("aria-label")'), /: Recommendation: .+ more$/)
    assert.match((await page.textContent('.pinned')) ?? '', /(?:weakened|changed) Recommendation: \w+ → \w+/)
    const column = await page.locator('.earlier-results tbody tr td:nth-child(5)').allTextContents()
    assert.match(column[0] ?? '', /^(?:weakened|changed) Recommendation/)
    assert.deepEqual(column.slice(1), ['nothing', ''])
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await visitor.violations(), [])
    }
    await page.goBack()
    await page.waitForSelector('#targets-title:visible')
  })

  it('are forgotten with their list, and nothing was complained of', async () => {
    const { page, complaints } = visitor
    await page.click('text="Remove"')
    await page.waitForSelector('.targets:has-text("1 target, all shown.")')
    assert.equal(await page.evaluate('localStorage.length'), 0)
    assert.deepEqual(complaints, [])
  })
})
