// One page in a browser, watched: nothing it asks for elsewhere and no break of its policy goes unseen.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { it } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Visitor {
  readonly page: Page
  /** URLs asked for, in order. */
  readonly requests: readonly string[]
  /** What the browser complained of: broken policies, errors of scripts, dialogs. */
  readonly complaints: readonly string[]
  /** What axe finds wrong now, by these rules or all, each with the elements it is wrong with. */
  violations(rules?: readonly string[]): Promise<readonly string[]>
  close(): Promise<void>
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1180, height: 900 }, ...options })
  const page = await context.newPage()
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', request => requests.push(request.url()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('dialog', dialog => complaints.push(`dialog: ${dialog.message()}`))
  page.on('console', message => {
    // Answers of 4xx and 5xx are told there as well, and are expected.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await page.goto(url)
  return {
    page,
    requests,
    complaints,
    async violations(rules) {
      // As a value that is evaluated from outside it needs no leave of the page's policy.
      await page.evaluate(`globalThis.axe || void (() => { ${axe} })()`)
      const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
      const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    },
    close: () => context.close(),
  }
}

/** Tests of what the page shows by then, in each of its looks. */
export function passAxeRules(visitorNow: () => Visitor): void {
  for (const [what, colorScheme, width] of [
    ['in the light', 'light', 1180],
    ['in the dark', 'dark', 1180],
    ['on a phone', 'light', 360],
  ] as const) {
    it(`pass the axe rules ${what}`, async () => {
      const visitor = visitorNow()
      const { page } = visitor
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      assert.deepEqual(await visitor.violations(), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    })
  }
}
