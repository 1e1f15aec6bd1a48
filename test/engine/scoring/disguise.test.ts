// A kit that poses as something that stands in a page's place.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CAREFUL_HEADERS, type GivenPage, openPageChecks, type PageChecks } from '../../../src/testing/check_page.ts'

const kit = (title: string, words = '') => `<html><head><title>${title}</title></head><body>
<img src="logo.png" alt="Outlook"><h1>Sign in</h1><p>${words}Your Outlook mailbox is almost full. Verify your password within 24 hours.</p>
<form action="post.php" method="post"><input type="email" name="login" placeholder="Email"><input type="password" name="passwd">
<button>Next</button></form><a href="#">Forgot your password?</a> <a href="#">Privacy</a></body></html>`

const SIGN_IN = kit('Sign in to your account')
const header = (name: string, value: string) => ({
  html: SIGN_IN,
  headers: [...CAREFUL_HEADERS, [name, value] as const],
})

describe('a page that asks for a password is judged for it', () => {
  let checks: PageChecks
  before(async () => {
    checks = await openPageChecks()
  })
  after(() => checks.close())

  const judge = async (page: Omit<GivenPage, 'url'>) => {
    const { verdict, signals, content_analysis } = await checks.check({ url: 'https://orchard-notes.org/', ...page })
    return {
      verdict,
      judged: signals.includes('phishing_page'),
      as: (content_analysis as { served_as: string }).served_as,
    }
  }

  const disguises: readonly (readonly [title: string, as: string, page: Omit<GivenPage, 'url'>])[] = [
    ['as itself', 'page', { html: SIGN_IN }],
    ['behind the header of a challenge', 'challenge', header('cf-mitigated', 'challenge')],
    ['behind the header of a firewall', 'block', header('x-vercel-mitigated', 'deny')],
    ['with status 403', 'block', { html: SIGN_IN, status: 403 }],
    ['with status 503', 'block', { html: SIGN_IN, status: 503 }],
    ['with status 401', 'login_wall', { html: SIGN_IN, status: 401 }],
    ['with status 404', 'error', { html: SIGN_IN, status: 404 }],
    ['under a title that says "not found"', 'soft_404', { html: kit('404 Not Found') }],
    ['under the title of a block page', 'block', { html: kit('Access denied') }],
    ['with the text of a parked name', 'parking', { html: kit('Sign in', 'This domain is parked free of charge. ') }],
  ]
  for (const [title, as, page] of disguises) {
    it(title, async () => {
      assert.deepEqual(await judge(page), { verdict: 'suspicious', judged: true, as })
    })
  }
})
