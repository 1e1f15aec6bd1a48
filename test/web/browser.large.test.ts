// The page and the reference in a real Chromium, against the whole service with the lab for the world.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { demoHosts } from '../../src/testing/demo/hosts.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import { eventually } from '../service/api/service.ts'
import { launch, withoutBrowser } from './chromium.ts'
import { type ServedPage, servePage } from './served.ts'
import { type Visitor, visit } from './visitor.ts'

const hostilePage = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>&lt;img src=x onerror=alert(1)&gt;&#x202e;gnp.exe</title>
<meta name="description" content="&lt;script&gt;alert(3)&lt;/script&gt; javascript:alert(4)">
</head><body><a href="https://www.instagram.com/&quot;&gt;&lt;svg onload=alert(5)&gt;">x</a></body></html>`

/** Text from right to left, with a number at its end, which would move to the other side of what follows. */
const RTL = 'ברוכים הבאים אל الخدمة 2026'
const rightToLeft = `<!doctype html><html lang="he" dir="rtl"><head><meta charset="utf-8"><title>${RTL}</title>
<meta name="description" content="${RTL}"></head><body><h1>${RTL}</h1><h2>1 ${RTL}</h2><p>${RTL}</p></body></html>`

/** Answers when it is let go. */
let letGo = () => {}
const held = new Promise<void>(resolve => {
  letGo = resolve
})

const hosts: readonly LabHost[] = [
  ...demoHosts(new Date()),
  { name: 'hostile.lab', addresses: ['193.0.14.81'], https: () => ({ body: hostilePage }) },
  { name: 'held.lab', addresses: ['193.0.14.82'], https: async () => held.then(() => ({ body: hostilePage })) },
  { name: 'rtl.lab', addresses: ['193.0.14.84'], https: () => ({ body: rightToLeft }) },
  { name: 'endless.lab', addresses: ['193.0.14.83'], https: () => new Promise(() => {}) },
]

const demoNames = demoHosts(new Date()).flatMap(({ name }) => (/^[a-z-]+\.lab$/.test(name) ? [name] : []))

interface Part {
  readonly text: string
  /** Pixels from the top of the page. */
  readonly bottom: number
}

/** The recommendation, its reason and the first three things to do, with the place where each ends. */
const firstScreen = `[...document.querySelectorAll('.recommendation, .reason'),
  ...[...document.querySelectorAll('.before li > div')].slice(0, 3)]
  .map(one => ({ text: one.textContent, bottom: one.getBoundingClientRect().bottom + scrollY }))`

/** The parts of the summary of the page's content, and where each begins and ends. */
const places = `[...document.querySelector('#card-content_analysis + .summary').childNodes].map(node => {
  const range = document.createRange()
  range.selectNodeContents(node)
  const { left, right } = range.getBoundingClientRect()
  return [node.textContent, left, right]
})`

const report = '#report:not([hidden])'
const problem = '#problem:not([hidden])'
/** The rules of axe that depend on colours and sizes; the others were applied to the same page before. */
const LOOKS = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size']

const focused = (page: Page) => page.evaluate<string | undefined>('document.activeElement?.id')
const fold = (open: boolean) => `for (const one of document.querySelectorAll('details')) one.open = ${open}`
const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

describe('in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser
  let served: ServedPage
  before(async () => {
    ;[browser, served] = await Promise.all([launch(), servePage(hosts)])
  })
  after(() => Promise.all([browser?.close(), served?.close()]))

  const ask = async ({ page }: Visitor, target: string, key = served.key) => {
    await page.fill('#target', target)
    await page.fill('#key', key)
    await page.press('#key', 'Enter')
  }

  describe('the page', () => {
    let visitor: Visitor
    before(async () => {
      visitor = await visit(browser, served.url)
    })
    after(() => visitor.close())

    it('passes the axe rules', async () => assert.deepEqual(await visitor.violations(), []))

    it('works by keyboard alone, shows progress, and moves the focus to the report', async () => {
      const { page } = visitor
      const passed: (string | undefined)[] = []
      for (let i = 0; i < 7; i += 1) {
        await page.keyboard.press('Tab')
        passed.push(await focused(page))
        if (passed.at(-1) === 'target') await page.keyboard.type('held.lab')
        if (passed.at(-1) === 'key') await page.keyboard.type(served.key)
      }
      assert.deepEqual(passed.slice(4), ['target', 'key', 'show-key'])
      await page.keyboard.press('Tab')
      assert.equal(await focused(page), 'keep-key')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.waitForSelector('#steps .done')
      assert.equal(await page.locator('#steps li').count(), 12)
      assert.equal(await page.isVisible('#waiting'), false)
      assert.match((await page.textContent('#clock')) ?? '', /^\d+ s$/)
      assert.ok((await page.locator('#steps .waiting').count()) > 0)
      letGo()
      await page.waitForSelector(report)
      assert.equal(await focused(page), 'report-title')
      assert.match(
        (await page.textContent('#status')) ?? '',
        /^held\.lab: (Allow|Review)\. .+\. Verdict safe, risk score \d+ of 100\.$/,
      )
      assert.match(await page.title(), /^(Allow|Review) \(safe, \d+\): held\.lab – assay$/)
      assert.equal(new URL(page.url()).hash, '#held.lab')
    })

    for (const name of demoNames) {
      it(`says on the first screen what to do about ${name}, and why`, async () => {
        const { page } = visitor
        await page.setViewportSize({ width: 1280, height: 800 })
        await ask(visitor, name)
        await page.waitForSelector(`#report-title:has-text("${name}")`)
        const [recommendation, reason, ...todo] = await page.evaluate<readonly Part[]>(firstScreen)
        assert.match(recommendation?.text ?? '', /^(?:Allow|Review|Block)$/)
        assert.match(reason?.text ?? '', /\.$/)
        const wanted = Math.min(3, await page.locator('.before li').count())
        assert.deepEqual(
          [recommendation, reason, ...todo.slice(0, wanted)].filter(part => (part?.bottom ?? Infinity) > 800),
          [],
        )
        assert.equal(todo.length, wanted)
        assert.equal(new Set(todo.map(({ text }) => text)).size, wanted)
      })
    }

    it('adds the points up to the score, in the table, in the gauge and in the JSON', async () => {
      const { page } = visitor
      await ask(visitor, 'secure-paypal-login.lab')
      await page.waitForSelector('#report-title:has-text("paypal")')
      const points = await page.locator('.waterfall tbody .points').allTextContents()
      const sum = points.reduce((total, text) => total + Number(text.replace('−', '-')), 0)
      const score = Number(await page.textContent('.waterfall tfoot .sum'))
      assert.deepEqual([sum, score], [score, Number(await page.getAttribute('.gauge', 'aria-valuenow'))])
      assert.equal(score, JSON.parse((await page.textContent('.raw pre')) ?? '').risk_score)
      assert.match((await page.getAttribute('.gauge', 'aria-valuetext')) ?? '', /^\d+ of 100: \w+$/)
      assert.deepEqual(
        await page
          .locator('.card h4')
          .allTextContents()
          .then(all => all.slice(0, 2)),
        ['Reputation', 'Page content'],
      )
    })

    for (const [what, media, width, rules] of [
      ['in the light', { colorScheme: 'light' }, 1180, undefined],
      ['in the dark', { colorScheme: 'dark' }, 1180, LOOKS],
      ['on a phone', { colorScheme: 'light' }, 360, undefined],
    ] as const) {
      it(`has a report that passes the axe rules ${what}`, async () => {
        const { page } = visitor
        await page.emulateMedia(media)
        await page.setViewportSize({ width, height: 800 })
        await page.evaluate(fold(true))
        await page.waitForSelector('.requests tbody tr')
        assert.deepEqual(await visitor.violations(rules), [])
        assert.equal(await overflow(page), 0)
      })
    }

    it('shows each request to the site, what its time went to, and when it began', async () => {
      const { page } = visitor
      const { requests } = JSON.parse((await page.textContent('.raw pre')) ?? '')
      const rows = await page.locator('.requests tbody tr').allTextContents()
      assert.equal(rows.length, requests.length)
      assert.match(rows[0] ?? '', /^page \d{3} https?:\/\/\S+?connect \d+.*wait \d+ body \d+\d+ ms\d+ ms$/)
    })

    it('draws whom the target depends on', async () => {
      const { page } = visitor
      assert.match((await page.textContent('.dependencies dl')) ?? '', /Hosted byOffshore Servers Ltd/)
      const parties = await page.locator('.dependencies dd').allTextContents()
      assert.equal(await page.locator('.dependencies .party').count(), new Set(parties).size)
    })

    it('offers the original result to copy and download', async () => {
      const { page } = visitor
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click('.raw button:has-text("Download")'),
      ])
      const kept = readFileSync(await download.path(), 'utf8')
      assert.equal(download.suggestedFilename(), 'assay-secure-paypal-login.lab.json')
      await page.click('.raw button:has-text("Copy")')
      await page.waitForSelector('#status:has-text("Copied.")', { state: 'attached' })
      assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), kept)
      assert.deepEqual(JSON.parse(kept), JSON.parse((await page.textContent('.raw pre')) ?? ''))
    })

    it('prints without the form, with all that is to be done, and of the details those that are open', async () => {
      const { page } = visitor
      await page.evaluate(`${fold(false)}; dispatchEvent(new Event('beforeprint'))`)
      await page.emulateMedia({ media: 'print' })
      assert.equal(await page.isVisible('#form'), false)
      assert.equal(await page.locator('.owner details[open]').count(), 1)
      assert.equal(await page.isVisible('.owner h3'), true)
      assert.equal(await page.isVisible('.card dl'), false)
      await page.evaluate(fold(true))
      assert.equal(await page.isVisible('.card dl'), true)
      // A foot of a table would be repeated on each page of paper.
      const foot = await page.evaluate<string>("getComputedStyle(document.querySelector('.waterfall tfoot')).display")
      assert.equal(foot, 'table-row-group')
      await page.emulateMedia({ media: null })
    })

    it('shows untrusted text as text, and reveals hidden characters', async () => {
      const { page } = visitor
      await page.setViewportSize({ width: 1180, height: 800 })
      await ask(visitor, 'hostile.lab')
      await page.waitForSelector('#report-title:has-text("hostile.lab")')
      const text = (await page.textContent('#report')) ?? ''
      assert.ok(text.includes('<img src=x onerror=alert(1)>') && text.includes('<script>alert(3)</script>'))
      assert.ok(!text.includes('\u202e'))
      assert.equal(
        await page.locator('#report img, #report script, #report a:not(.sources a), #report iframe').count(),
        0,
      )
    })

    it('keeps our own words in their places around text from right to left', async () => {
      const reader = await visit(browser, served.url)
      const { page } = reader
      await ask(reader, 'rtl.lab')
      await page.waitForSelector('#report-title:has-text("rtl.lab")')
      await page.evaluate(fold(true))
      const parts = await page.evaluate<readonly (readonly [text: string, left: number, right: number])[]>(places)
      const [before, title, ...after] = parts
      assert.deepEqual([before?.[0], title?.[0]], ['The page title is “', RTL])
      assert.match(after.map(([text]) => text).join(''), /^”\. It has \d+ words\.$/)
      const edges = parts.flatMap(([, left, right]) => [Math.round(left), Math.round(right)])
      assert.deepEqual(
        edges,
        edges.toSorted((a, b) => a - b),
        'one after the other from left to right',
      )
      const isolated = await page.locator(`#report bdi:has-text("${RTL}")`).count()
      assert.ok(isolated >= 4, `${isolated} places are isolated`)
      assert.equal(await overflow(page), 0)
      await reader.close()
    })

    it('shows the report of its URL on Back and Forward, without another check', async () => {
      const { page, requests } = visitor
      const at = async () => [
        new URL(page.url()).hash,
        await page.textContent('#report-title .target'),
        await page.title(),
      ]
      const inStep = async (name: string) => {
        await page.waitForSelector(`#report:not([hidden]) #report-title:has-text("${name}")`)
        const [hash, target, title] = await at()
        assert.deepEqual([hash, target?.trim()], [`#${name}`, name])
        assert.ok(title?.includes(name), title ?? '')
        assert.equal(await page.inputValue('#target'), name)
      }
      await ask(visitor, 'points-inside.lab')
      await inStep('points-inside.lab')
      await ask(visitor, 'no-such-name.lab')
      await inStep('no-such-name.lab')
      const asked = requests.length
      await page.goBack()
      await inStep('points-inside.lab')
      await page.goBack()
      await inStep('hostile.lab')
      await page.goForward()
      await page.goForward()
      await inStep('no-such-name.lab')
      await page.evaluate("location.hash = '#never-checked.lab'")
      await page.waitForSelector('#about:not([hidden])')
      assert.equal(await page.isVisible('#report'), false)
      assert.equal(await page.inputValue('#target'), 'never-checked.lab')
      await page.goBack()
      await inStep('no-such-name.lab')
      assert.deepEqual(
        requests.slice(asked).filter(url => url.includes('/api/v1/check')),
        [],
      )
    })

    it('keeps the report when a link leads to a part of the page, and on Back', async () => {
      const { page } = visitor
      await page.focus('.skip')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/#main')
      assert.equal(await page.isVisible('#report'), true)
      await ask(visitor, 'points-inside.lab')
      await page.waitForSelector('#report-title:has-text("points-inside.lab")')
      await page.goBack()
      await page.waitForSelector('#report-title:has-text("no-such-name.lab")')
      assert.equal(new URL(page.url()).hash, '#main')
    })

    it('keeps the key for the tab when asked to, until it is forgotten', async () => {
      const { page } = visitor
      const stored = () => page.evaluate<string>('JSON.stringify({ ...sessionStorage })')
      await page.focus('#key')
      await page.check('#keep-key')
      assert.equal(await stored(), JSON.stringify({ 'assay-key': served.key }))
      await page.reload()
      assert.deepEqual([await page.inputValue('#key'), await page.isChecked('#keep-key')], [served.key, true])
      await page.click('#forget-key')
      assert.deepEqual([await page.inputValue('#key'), await page.isVisible('#forget-key')], ['', false])
      assert.equal(await stored(), '{}')
      await page.reload()
      assert.equal(await page.inputValue('#key'), '')
      await page.fill('#key', served.key)
    })

    it('keeps the key only in memory otherwise', async () => {
      const { page } = visitor
      const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
      assert.equal(kept, '[{},{},""]')
      assert.ok(![page.url(), ...visitor.requests].some(url => url.includes(served.key)))
      await page.reload()
      assert.equal(await page.inputValue('#key'), '')
    })

    it('fills in the target of a link, and sends nothing until the button is pressed', async () => {
      const { page, requests } = visitor
      const [used, asked] = [await served.used(), requests.length]
      await page.goto(`${served.url}/#2001:db8::1`)
      await page.reload()
      assert.equal(await page.inputValue('#target'), '2001:db8::1')
      assert.deepEqual(
        requests.slice(asked).filter(url => url.includes('/api/')),
        [],
      )
      assert.equal(await served.used(), used)
    })

    it('keeps the input when the skip link is used', async () => {
      const { page } = visitor
      await page.goto(served.url)
      await page.fill('#target', 'typed.lab')
      await page.focus('.skip')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/#main')
      assert.equal(await focused(page), 'main')
      assert.equal(await page.inputValue('#target'), 'typed.lab')
      await page.reload()
      assert.equal(await page.inputValue('#target'), '')
    })

    describe('with a link', () => {
      const kit = 'https://corner-bakery.lab/wp-content/uploads/2026/mailbox/verify.php?user=hidden-name'
      const inStep = (text: string) => visitor.page.waitForSelector(`${report} #report-title:has-text("${text}")`)
      const shown = async () => [visitor.page.url(), await visitor.page.title()].join(' ')

      it('says what it will do and offers the host, and passes the axe rules', async () => {
        const { page } = visitor
        await page.goto(served.url)
        assert.equal(await page.isVisible('#link'), false)
        await page.fill('#target', kit)
        assert.match(
          (await page.textContent('#link')) ?? '',
          /opens it once.*links that work only once.*Check only corner-bakery\.lab/s,
        )
        assert.match((await page.textContent('#status')) ?? '', /opens it once/)
        assert.deepEqual(await visitor.violations(), [])
        await page.click('#link-host')
        assert.deepEqual(
          [await page.inputValue('#target'), await page.isVisible('#link')],
          ['corner-bakery.lab', false],
        )
      })

      it('reports on its page, and keeps it out of the address and the title', async () => {
        await ask(visitor, kit)
        await inStep('verify.php')
        const text = (await visitor.page.textContent(`${report} .verdict`)) ?? ''
        assert.match(text, /Host\s*corner-bakery\.lab/)
        assert.ok(text.includes(kit))
        assert.match(await shown(), /#link-1 \w+ \(\w+, \d+\): corner-bakery\.lab\/… – assay$/)
        assert.equal(await visitor.page.locator('button:has-text("Copy link")').count(), 0)
        assert.deepEqual(await visitor.violations(), [])
        assert.doesNotMatch(JSON.stringify(served.lines()), /hidden-name|verify\.php/)
      })

      it('reports on where a shortener leads', async () => {
        await ask(visitor, 'https://short-link.lab/mail')
        await inStep('short-link.lab/mail')
        assert.match(
          (await visitor.page.textContent(`${report} .circumstances`)) ?? '',
          /Leads to\s*https:\/\/corner-bakery\.lab\/wp-content/,
        )
      })

      it('judges it without a visit when asked to', async () => {
        const { page, requests } = visitor
        await page.fill('#target', kit)
        await page.check('#no-visit')
        await ask(visitor, kit)
        await inStep('verify.php')
        assert.match(requests.findLast(url => url.includes('/api/')) ?? '', /&visit=false$/)
        assert.match((await page.textContent(`${report} .coverage`)) ?? '', /Page content.*: not checked/)
        await page.fill('#target', 'healthy-shop.lab')
        await page.fill('#target', kit)
        assert.equal(await page.isChecked('#no-visit'), false)
      })

      it('shows it again on Back, and forgets it on reload', async () => {
        const { page, requests } = visitor
        const asked = requests.length
        await page.goBack()
        await inStep('short-link.lab/mail')
        assert.equal(await page.inputValue('#target'), 'https://short-link.lab/mail')
        await page.goBack()
        await inStep('verify.php')
        await page.reload()
        assert.deepEqual([await page.inputValue('#target'), await page.isVisible(report)], ['', false])
        assert.deepEqual(
          requests.slice(asked).filter(url => url.includes('/api/')),
          [],
        )
      })
    })

    describe('earlier results', () => {
      const history = `${report} .history`
      const shared = /#shared=[\w-]{22}$/
      let link = ''

      it('are listed with what changed since, and checked again on request', async () => {
        const { page } = visitor
        // The first result of all says that it is the first.
        await fetch(`${served.url}/api/v1/check?domain=points-inside.lab&fresh=true`, {
          headers: { 'X-API-Key': served.key },
        })
        await ask(visitor, 'points-inside.lab')
        await page.waitForSelector(`${history} .sharing`)
        await page.click('text="Check again"')
        await page.waitForSelector(`${history} button:has-text("Compare")`)
        await page.click(`${history} button:has-text("Compare")`)
        await page.waitForSelector(`${history} .changes h4`)
        assert.match((await page.textContent(`${history} .changes`)) ?? '', /Nothing changed\./)
        assert.match(
          (await page.textContent(`${history} .compared`)) ?? '',
          /^Both reports say the same\.\d+ rows are equal/,
        )
        assert.deepEqual(await visitor.violations(), [])
      })

      it('stand beside those of another name, which is checked on request', async () => {
        const { page } = visitor
        await page.click(`${report} .compare summary`)
        await page.fill('#other', 'secure-paypal-login.lab')
        await page.press('#other', 'Enter')
        await page.waitForSelector('.compare .compared')
        const rows = await page.locator('.compare .compared tbody').first().locator('tr').allTextContents()
        assert.match(rows[0] ?? '', /^Recommendation(?:Review|Allow)Block$/)
        assert.ok(rows.some(row => row.startsWith('Reputation')))
        const certificate = rows.find(row => row.startsWith('Encryption and certificate')) ?? ''
        assert.match(certificate, /does not apply: the name resolves to a non-public address/)
        assert.deepEqual(await visitor.violations(), [])
      })

      it('are shared by a link that needs no key, until it is revoked', async () => {
        const { page } = visitor
        await page.click(`${history} .sharing summary`)
        await page.click('text="Create a link"')
        link = (await page.textContent(`${history} .sharing .link`)) ?? ''
        assert.match(link, shared)
        const other = await visit(browser, link)
        await other.page.waitForSelector(`${report} #report-title:has-text("points-inside.lab")`)
        assert.deepEqual([await other.page.isVisible(history), other.complaints], [false, []])
        await page.click(`${history} .sharing >> text="Revoke"`)
        await page.waitForSelector(`${history} .sharing .link`, { state: 'detached' })
        await other.page.reload()
        await other.page.waitForSelector(problem)
        assert.match((await other.page.textContent(problem)) ?? '', /Result not found/)
        await other.close()
      })

      it('have links of their own, for which a key is needed', async () => {
        const { page } = visitor
        const permalink = (await page.textContent(`${report} .actions .link`)) ?? ''
        const other = await visit(browser, permalink)
        await other.page.waitForSelector(problem)
        await other.page.fill('#key', served.key)
        await other.page.press('#key', 'Enter')
        await other.page.waitForSelector(`${report} #report-title:has-text("points-inside.lab")`)
        assert.deepEqual([await other.page.inputValue('#target'), other.complaints], ['points-inside.lab', []])
        await other.close()
      })
    })

    it('contacts only its own service, and violates no policy', () => {
      assert.deepEqual(
        visitor.requests.filter(url => !url.startsWith(`${served.url}/`)),
        [],
      )
      assert.deepEqual(visitor.complaints, [])
    })
  })

  describe('an e-mail address', () => {
    it('is checked by what follows the @, which is all that is sent and shown', async () => {
      const visitor = await visit(browser, served.url)
      const { page, requests } = visitor
      await ask(visitor, 'jane.doe@parked-name.lab')
      await page.waitForSelector(report)
      assert.equal(await page.inputValue('#target'), '@parked-name.lab')
      assert.equal(new URL(page.url()).hash, '#%40parked-name.lab')
      assert.match((await page.textContent('.circumstances')) ?? '', /Receives mailno.*Free mail providerno/s)
      assert.match((await page.textContent('.before')) ?? '', /Ask for another e-mail address/)
      assert.deepEqual(
        requests.filter(url => /jane/i.test(url)),
        [],
      )
      assert.deepEqual(visitor.complaints, [])
      await visitor.close()
    })
  })

  describe('a failed or cancelled check', () => {
    let visitor: Visitor
    before(async () => {
      visitor = await visit(browser, served.url)
    })
    after(() => visitor.close())

    const told: readonly (readonly [
      what: string,
      target: string,
      key: (one: ServedPage) => string,
      title: string,
      says: RegExp,
    ])[] = [
      [
        'a link with a password',
        'https://me:secret@healthy-shop.lab/a',
        ({ key }) => key,
        'This link cannot be checked as it is written',
        /user information.*Check healthy-shop\.lab/s,
      ],
      ['no key', 'healthy-shop.lab', () => '', 'An API key is required', /assay keys create/],
      [
        'an unknown key',
        'healthy-shop.lab',
        () => 'assay_x',
        'This key is not accepted',
        /unknown, revoked or expired/,
      ],
      [
        'a key that no header can hold',
        'healthy-shop.lab',
        () => 'schlüssel',
        'This key is not accepted',
        /no spaces or special characters/,
      ],
    ]
    for (const [what, target, key, title, says] of told) {
      it(`is explained for ${what}`, async () => {
        const { page } = visitor
        await ask(visitor, target, key(served))
        await page.waitForSelector(`#problem-title:has-text("${title}")`)
        assert.match((await page.textContent(problem)) ?? '', says)
        assert.equal(await focused(page), 'problem-title')
        assert.equal(await page.locator('[aria-invalid]').count(), 1)
      })
    }

    it('is explained for a used-up quota, with its end', async () => {
      const { page } = visitor
      await ask(visitor, 'no-such-name.lab', served.pauper)
      await page.waitForSelector(report)
      await ask(visitor, 'no-such-name.lab', served.pauper)
      await page.waitForSelector(problem)
      assert.match(
        (await page.textContent(problem)) ?? '',
        /Your quota is used up.*It resets on 1 \w+ \d{4}.* from now\./s,
      )
    })

    it('passes the axe rules', async () => assert.deepEqual(await visitor.violations(), []))

    it('is explained when there is no network', async () => {
      const { page } = visitor
      await page.context().setOffline(true)
      await ask(visitor, 'healthy-shop.lab')
      await page.waitForSelector('#problem-title:has-text("The service cannot be reached")')
      await page.context().setOffline(false)
    })

    it('does not show the report of another URL', async () => {
      const { page } = visitor
      await ask(visitor, 'points-inside.lab')
      await page.waitForSelector(report)
      await ask(visitor, '10.0.0.1')
      await page.waitForSelector(problem)
      assert.equal(new URL(page.url()).hash, '#10.0.0.1')
      await page.goBack()
      await page.waitForSelector(`${report} #report-title:has-text("points-inside.lab")`)
      await page.goForward()
      await page.waitForSelector('#about:not([hidden])')
      assert.equal(await page.isVisible(report), false)
      assert.equal(await page.inputValue('#target'), '10.0.0.1')
    })

    /** Checks of endless.lab whose client left. */
    const closed = () =>
      served.lines().filter(({ target, code }) => target === 'endless.lab' && code === 'client-closed').length

    it('is cancelled by Back', async () => {
      const { page } = visitor
      await ask(visitor, 'endless.lab')
      await page.waitForSelector('#steps .done')
      await page.goBack()
      await page.waitForSelector('#progress', { state: 'hidden' })
      await eventually(() => closed() === 1)
    })

    it('is cancelled by the stop button', async () => {
      const { page } = visitor
      await ask(visitor, 'endless.lab')
      await page.waitForSelector('#steps .done')
      await page.click('#stop')
      assert.equal(await focused(page), 'target')
      await eventually(() => closed() === 2)
    })

    it('violates no policy', () => assert.deepEqual(visitor.complaints, []))
  })

  describe('the reference', () => {
    it('passes the axe rules, and opens the field of a link', async () => {
      const visitor = await visit(browser, `${served.url}/docs/reference#result-ssl_info-protocol`)
      assert.equal(await visitor.page.isVisible('#result-ssl_info-protocol'), true)
      assert.deepEqual(await visitor.violations(), [])
      assert.deepEqual(visitor.complaints, [])
      assert.deepEqual(
        visitor.requests.filter(url => !url.startsWith(`${served.url}/`)),
        [],
      )
      await visitor.close()
    })

    it('passes the axe rules in dark mode on a phone', async () => {
      const options = { colorScheme: 'dark', viewport: { width: 360, height: 800 } } as const
      const visitor = await visit(browser, `${served.url}/docs/reference`, options)
      assert.deepEqual(await visitor.violations(LOOKS), [])
      assert.equal(await overflow(visitor.page), 0)
      await visitor.close()
    })

    it('is found by links to its fields where it was before', async () => {
      const { page, close } = await visit(browser, `${served.url}/docs#result-ssl_info-protocol`)
      await page.waitForURL('**/docs/reference#result-ssl_info-protocol')
      assert.equal(await page.isVisible('#result-ssl_info-protocol'), true)
      await close()
    })

    it('copies examples with the address of this service', async () => {
      const { page, close } = await visit(browser, `${served.url}/docs/reference`, {
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await page.click('figure.code button')
      await page.waitForSelector('[role=status]:has-text("Copied.")', { state: 'attached' })
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      assert.ok(copied.startsWith(`curl --silent --show-error --get ${served.url}/api/v1/check`))
      await close()
    })

    it('is readable without scripts', async () => {
      const { page, close } = await visit(browser, `${served.url}/docs/reference`, { javaScriptEnabled: false })
      assert.equal(await page.isVisible('text=quota-exceeded'), true)
      assert.equal(await page.locator('figure.code').count(), 6)
      await close()
    })
  })

  describe('the documentation', () => {
    const phone = { colorScheme: 'dark', viewport: { width: 360, height: 800 } } as const
    for (const path of ['/docs', '/docs/concepts', '/docs/monitoring', '/docs/plugins']) {
      it(`passes the axe rules at ${path}, also in dark mode on a phone`, async () => {
        const visitor = await visit(browser, served.url + path)
        assert.deepEqual(await visitor.violations(), [])
        assert.deepEqual(visitor.complaints, [])
        await visitor.close()
        const small = await visit(browser, served.url + path, phone)
        assert.deepEqual(await small.violations(LOOKS), [])
        assert.equal(await overflow(small.page), 0)
        await small.close()
      })
    }

    it('leads from the page to any other in two clicks', async () => {
      const { page, close } = await visit(browser, served.url)
      await page.click('text=Documentation')
      await page.click('text=A mail gateway')
      assert.equal(await page.textContent('h1'), 'A mail gateway')
      assert.equal(await page.textContent('.map [aria-current]'), 'A mail gateway')
      await close()
    })
  })
})
