// Answers that are not, or not wholly, the service's own, as the page tells of them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { openWeb } from '../../src/api/web.ts'
import { VERDICT_FROM } from '../../src/scoring/verdict.ts'
import { launch, withoutBrowser } from './chromium.ts'
import { visit } from './visitor.ts'

const pages = openWeb({ verdicts: VERDICT_FROM, ceilings: {} })

type Answer = (res: ServerResponse) => void

const begun = (res: ServerResponse) =>
  res
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .write('event: sections\ndata: {"sections":["dns_security"]}\n\n')

/** After what the page is to have read by then. */
const later = (then: () => void) => void setTimeout(then, 100)

/** Of a site that keeps its page from us, and has no fault that was seen. */
const withheld = readFileSync(join(import.meta.dirname, '../golden/results/block_page.json'))

const refusal =
  (body: string): Answer =>
  res =>
    res.writeHead(502, { 'content-type': 'application/json' }).end(body)

const cases: readonly (readonly [what: string, answer: Answer, title: string])[] = [
  ['a connection that is closed unanswered', res => res.destroy(), 'The service cannot be reached'],
  ['a stream that is cut', res => begun(res) && later(() => res.destroy()), 'The answer broke off'],
  ['a stream that ends too soon', res => begun(res) && later(() => res.end()), 'The answer broke off'],
  [
    'a stream that somebody changed',
    res => begun(res) && later(() => res.end('event: section\ndata: <p>\n\n')),
    'The answer cannot be read',
  ],
  ['a refusal of somebody between', refusal('{"message":"Bad gateway"}'), 'The answer cannot be read'],
  ['a refusal in HTML', refusal('<h1>Bad gateway</h1>'), 'The answer cannot be read'],
  ['a refusal that says nothing', refusal('null'), 'The answer cannot be read'],
]

describe('the page', { skip: withoutBrowser }, () => {
  let browser: Browser
  let answer: Answer = res => res.destroy()
  const server = createServer(({ url }, res) => {
    const page = pages.get(url ?? '')
    if (page === undefined) answer(res)
    else res.writeHead(200, { 'content-type': page.type }).end(page.body)
  })
  before(async () => {
    browser = await launch()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
  })

  const asked = async (answers: Answer) => {
    answer = answers
    const { port } = server.address() as AddressInfo
    const visitor = await visit(browser, `http://127.0.0.1:${port}/`)
    await visitor.page.fill('#target', 'example.com')
    await visitor.page.fill('#key', 'assay_key')
    await visitor.page.press('#key', 'Enter')
    return visitor
  }

  for (const [what, answers, title] of cases) {
    it(`tells ${what} for what it is`, async () => {
      const { page, close } = await asked(answers)
      await page.waitForSelector('#problem:not([hidden])')
      assert.equal(await page.textContent('#problem-title'), title)
      assert.doesNotMatch((await page.textContent('#problem-text')) ?? '', /undefined/)
      await close()
    })
  }

  it('calls no section good of which a part was not seen', async () => {
    const { page, close } = await asked(res => res.writeHead(200, { 'content-type': 'application/json' }).end(withheld))
    await page.waitForSelector('#report:not([hidden])')
    assert.deepEqual(await page.locator('.card.good h4').allTextContents(), [
      'Encryption and certificate',
      'Place and network',
      'Reputation',
    ])
    assert.equal(await page.locator('.card.unknown .standing', { hasText: 'Seen in part' }).count(), 6)
    await close()
  })
})
