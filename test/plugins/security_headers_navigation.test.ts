import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/security_headers/index.ts'
import type { Page } from '../../src/evidence/page/facts.ts'
import { pageOf } from '../../src/testing/page_of.ts'
import { find } from './web_section.ts'

const redirecting = (stopped: string | null, stopped_at: string | null): Page => ({
  ...pageOf({ status: 302, headers: ['location: x'] }),
  stopped,
  stopped_at,
})

const navigationOf = (page: Page) =>
  (find(plugin.analyze, page).signals ?? []).filter(({ id }) => plugin.signals[id].group === 'network')

describe('security_headers reports a redirect that was not followed', () => {
  const cases: [stopped: string, at: string, id: string, detail: string][] = [
    [
      'redirect_to_non_public',
      'http://10.0.0.1/',
      'redirect_to_non_public',
      'A redirect points to http://10.0.0.1/, which is a non-public address.',
    ],
    ['redirect_loop', 'https://a.lab/', 'redirect_loop', 'The redirects lead back to https://a.lab/.'],
    [
      'too_many_redirects',
      'https://a.lab/6',
      'too_many_redirects',
      'There are too many redirects. The last one, to https://a.lab/6, was not followed.',
    ],
    [
      'redirect_to_port',
      'http://a.lab:22/',
      'redirect_off_the_web',
      'A redirect points to a non-standard port: http://a.lab:22/.',
    ],
    [
      'redirect_to_scheme',
      'javascript:x',
      'redirect_off_the_web',
      'A redirect points to a URL that is not HTTP or HTTPS: javascript:x.',
    ],
    [
      'redirect_with_credentials',
      'https://a.lab/',
      'redirect_off_the_web',
      'A redirect carries credentials: https://a.lab/.',
    ],
    ['redirect_malformed', 'http://', 'redirect_off_the_web', 'A redirect points to an invalid URL: http://.'],
  ]
  for (const [stopped, at, id, detail] of cases) {
    it(`when it is ${stopped}`, () => {
      const evidence = { reason: stopped, at }
      assert.deepEqual(navigationOf(redirecting(stopped, at)), [{ id, detail, evidence }])
    })
  }

  it('with at most 512 characters of its target', () => {
    const at = `https://a.lab/${'x'.repeat(600)}`
    const [signal] = navigationOf(redirecting('redirect_loop', at))
    assert.deepEqual(signal?.evidence, { reason: 'redirect_loop', at: at.slice(0, 512) })
    assert.equal(signal?.detail, `The redirects lead back to ${at.slice(0, 512)}.`)
  })

  it('raises no signal without one', () => assert.deepEqual(navigationOf(redirecting(null, null)), []))

  it('raises no signal for an unknown reason', () => {
    for (const reason of ['constructor', 'toString', 'x']) assert.deepEqual(navigationOf(redirecting(reason, null)), [])
  })
})
