// Answers that are not, or not wholly, the service's own, as the page tells of them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { VERDICT_FROM } from '../../src/engine/scoring/verdict.ts'
import { reportEvent, resultEvent } from '../../src/service/api/progress.ts'
import { openWeb } from '../../src/service/api/web.ts'
import { reportOf } from '../engine/report/shipped.ts'
import { sampled } from '../sample.ts'
import { launch, withoutBrowser } from './chromium.ts'
import { type Visitor, visit } from './visitor.ts'

const pages = openWeb({ verdicts: VERDICT_FROM, titles: {} })

type Answer = (res: ServerResponse) => void

const begun = (res: ServerResponse) =>
  res
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .write('event: sections\ndata: {"sections":["dns_security"]}\n\n')

/** After what the page is to have read by then. */
const later = (then: () => void) => void setTimeout(then, 100)

/** Of a site that keeps its page from us, and has no fault that was seen. */
const withheld = readFileSync(join(import.meta.dirname, '../golden/results/block_page.json'), 'utf8')

const answered =
  (fields: object): Answer =>
  res => {
    const result = { ...JSON.parse(withheld), ...fields }
    res
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(reportEvent(JSON.stringify(reportOf(result))) + resultEvent(JSON.stringify(result)))
  }

const unavailable =
  (code: string, detail: string): Answer =>
  res =>
    res.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '5' }).end(
      JSON.stringify({
        type: `/docs/reference#problem-${code}`,
        title: 't',
        status: 503,
        detail,
        code,
        request_id: 'r',
      }),
    )

const refusal =
  (body: string): Answer =>
  res =>
    res.writeHead(502, { 'content-type': 'application/json' }).end(body)

const cases: readonly (readonly [what: string, answer: Answer, title: string])[] = [
  ['a connection that is closed unanswered', res => res.destroy(), 'The service cannot be reached'],
  ['a stream that is cut', res => begun(res) && later(() => res.destroy()), 'The answer was cut off'],
  ['a stream that ends too soon', res => begun(res) && later(() => res.end()), 'The answer was cut off'],
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
  let visitor: Visitor
  let answer: Answer = res => res.destroy()
  const server = createServer(({ url }, res) => {
    const page = pages.get(url ?? '')
    if (page === undefined) answer(res)
    else res.writeHead(200, { 'content-type': page.type }).end(page.body)
  })
  before(async () => {
    browser = await launch()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    visitor = await visit(browser, 'about:blank')
  })
  after(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
  })

  const asked = async (answers: Answer) => {
    answer = answers
    const { port } = server.address() as AddressInfo
    const { page } = visitor
    // From elsewhere, for a URL that differs from the page's only by its fragment would load nothing.
    await page.goto('about:blank')
    await page.goto(`http://127.0.0.1:${port}/`)
    await page.fill('#target', 'example.com')
    await page.fill('#key', 'assay_key')
    await page.press('#key', 'Enter')
    return page
  }

  for (const [what, answers, title] of sampled(cases, 3)) {
    it(`describes ${what} correctly`, async () => {
      const page = await asked(answers)
      await page.waitForSelector('#problem:not([hidden])')
      assert.equal(await page.textContent('#problem-title'), title)
      assert.doesNotMatch((await page.textContent('#problem-text')) ?? '', /undefined/)
    })
  }

  it('does not call a partly unknown section good', async () => {
    const page = await asked(answered({}))
    await page.waitForSelector('#report:not([hidden])')
    assert.deepEqual(await page.locator('.card.good h4').allTextContents(), [
      'Reputation',
      'Encryption and certificate',
    ])
    assert.equal(await page.locator('.card.unknown .standing', { hasText: 'Seen in part' }).count(), 4)
  })

  for (const [recommendation, confidence, tone] of [
    ['allow', 'medium', 'unknown'],
    ['allow', 'high', 'good'],
  ] as const) {
    it(`has the headline ${recommendation}, ${tone} at ${confidence} confidence, with its reason`, async () => {
      const verdict = 'safe'
      const recommendation_reason = 'The <b>one</b> reason.'
      const page = await asked(answered({ recommendation, confidence, verdict, recommendation_reason }))
      await page.waitForSelector(`.verdict.${tone}`)
      assert.equal((await page.textContent('.recommendation'))?.toLowerCase(), recommendation)
      assert.equal(await page.textContent('.reason'), recommendation_reason)
      const words = (await page.textContent('.words')) ?? ''
      assert.match(words, new RegExp(`Verdict${verdict}Confidence${confidence}:`))
      const [green, colour] = await page.evaluate<string[]>(
        `['.card.good .standing', '.recommendation'].map(one => getComputedStyle(document.querySelector(one)).color)`,
      )
      assert.equal(colour === green, tone === 'good')
    })
  }

  it('draws the place of the address on a map', async () => {
    const { geo_location } = JSON.parse(withheld)
    const victoria = { country_name: 'Seychelles', city: 'Victoria', latitude: -4.62, longitude: 55.45 }
    const page = await asked(answered({ geo_location: { ...geo_location, ...victoria } }))
    await page.waitForSelector('.place .land', { state: 'attached' })
    assert.equal(await page.textContent('.place figcaption'), 'Victoria, Seychelles (about 5° S, 55° E)')
    const circle = page.locator('.place .here')
    assert.deepEqual([await circle.getAttribute('cx'), await circle.getAttribute('cy')], ['235.45', '88.62'])
  })

  it('names the kinds of threat, and none where none is known', async () => {
    const threatened = await asked(answered({ threat_types: ['phishing', 'spam'] }))
    await threatened.waitForSelector('#report:not([hidden])')
    assert.match((await threatened.textContent('.circumstances')) ?? '', /Kind of threatphishing, spam/)
    const unknown = await asked(answered({ threat_types: [] }))
    await unknown.waitForSelector('#report:not([hidden])')
    assert.doesNotMatch((await unknown.textContent('.circumstances')) ?? '', /Kind of threat/)
  })

  it('says that a result is old because nothing can be checked now', async () => {
    const page = await asked(answered({ stale: true, checked_at: '2026-11-20T12:00:00Z' }))
    await page.waitForSelector('#report:not([hidden])')
    assert.match(
      (await page.textContent('.words .partly')) ?? '',
      /^Old result\. The check cannot run now, .* is from 20 November 2026 at 12:00 UTC and may be outdated\.$/,
    )
  })

  for (const [code, title, says] of [
    [
      'analysis-unavailable',
      'The check could not run',
      /This says nothing about the target\. Try again in 5 seconds\./,
    ],
    [
      'target-busy',
      'This name is being checked too often',
      /This says nothing about the name\. Try again in 5 seconds\./,
    ],
  ] as const) {
    it(`shows ${code} as a fault of the service, with what it says of itself`, async () => {
      const detail = 'The DNS resolver is down since 2026-11-23T19:00:00Z: it does not answer.'
      const page = await asked(unavailable(code, detail))
      await page.waitForSelector('#problem:not([hidden])')
      assert.equal(await page.textContent('#problem-title'), title)
      const text = (await page.textContent('#problem-text')) ?? ''
      assert.match(text, says)
      assert.ok(text.includes(`The service says: ${detail}`))
    })
  }
})
