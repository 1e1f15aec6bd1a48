// Bodies for receivers, and signatures that the library of Standard Webhooks accepts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { bodyFor, type WatchEvent } from '../../../src/service/watch/event.ts'
import type { Change } from '../../../src/service/watch/matters.ts'
import { newSecret, signatureHeaders } from '../../../src/service/watch/signature.ts'
import { FORMATS } from '../../../src/store/watches.ts'

const checked = {
  ...{ result_id: 'AAAAAAAAAAAAAAAAAAAAAA', checked_at: '2026-11-15T00:00:00Z', risk_score: 90, verdict: 'malicious' },
  ...{ recommendation: 'block', recommendation_reason: 'Listed.' },
}
const event: WatchEvent = {
  type: 'watch.changed',
  timestamp: '2026-11-15T00:00:00Z',
  data: {
    ...{ watch_id: 'watch_x', target: 'shop.example', result: checked, previous: null },
    changes: [
      {
        ...{ matter: 'listing', severity: 'weakened', path: 'reputation.lists.A', before: false, after: true },
        message: 'Now listed by <A> & *B*',
      },
    ],
    url: 'https://checks.example/#result=AAAAAAAAAAAAAAAAAAAAAA',
  },
}
const test: WatchEvent = { ...event, type: 'watch.test', data: { ...event.data, changes: [], url: null } }
const read = (format: (typeof FORMATS)[number], of: WatchEvent) => JSON.parse(bodyFor(format, of))

describe('the body of a webhook', () => {
  it('is the event itself as JSON', () => assert.deepEqual(read('json', event), event))

  it('is a message with blocks for Slack, with its own characters escaped', () => {
    const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
    assert.deepEqual(read('slack', event), {
      text: 'shop.example: block (malicious, risk score 90 of 100)',
      blocks: [
        section('*shop.example: block (malicious, risk score 90 of 100)*\n• Now listed by &lt;A&gt; &amp; *B*'),
        section('<https://checks.example/#result=AAAAAAAAAAAAAAAAAAAAAA|Open the result>'),
      ],
    })
  })

  it('is an adaptive card for Teams, with Markdown escaped', () => {
    const { type, attachments } = read('teams', event)
    const [{ contentType, content }] = attachments
    assert.deepEqual(
      [type, contentType, content.type],
      ['message', 'application/vnd.microsoft.card.adaptive', 'AdaptiveCard'],
    )
    assert.deepEqual(
      content.body.map(({ text }: { text: string }) => text),
      ['shop.example: block \\(malicious, risk score 90 of 100\\)', 'Now listed by \\<A\\> & \\*B\\*.'],
    )
    assert.deepEqual(content.actions, [{ type: 'Action.OpenUrl', title: 'Open the result', url: event.data.url }])
  })

  it('says for each that a test is one', () => {
    assert.equal(read('json', test).type, 'watch.test')
    assert.equal(read('slack', test).text, 'Test of the watch of shop.example')
    assert.equal(read('teams', test).attachments[0].content.body[0].text, 'Test of the watch of shop.example')
    assert.equal(read('teams', test).attachments[0].content.actions, undefined)
  })

  it('keeps its length for receivers with limits', () => {
    const changes = Array.from({ length: 100 }, () => ({
      ...(event.data.changes[0] as Change),
      message: 'x'.repeat(90),
    }))
    const long: WatchEvent = { ...event, data: { ...event.data, changes } }
    assert.ok(read('slack', long).blocks[0].text.text.length <= 3_000, 'Slack refuses longer blocks')
  })
})

describe('the signature of a webhook', () => {
  for (const format of FORMATS) {
    it(`of the format ${format} is accepted by the library of Standard Webhooks`, () => {
      const secret = newSecret()
      const body = bodyFor(format, event)
      const headers = { ...signatureHeaders(secret, { id: 'msg_1', now: Date.now(), body }) }
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
      assert.throws(() => new Webhook(newSecret()).verify(body, headers), /No matching signature/)
      assert.throws(() => new Webhook(secret).verify(`${body} `, headers), /No matching signature/)
    })
  }

  it('has a secret of 32 random bytes', () => {
    assert.match(newSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.notEqual(newSecret(), newSecret())
  })
})
