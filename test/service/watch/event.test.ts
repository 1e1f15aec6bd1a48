// Bodies for receivers, and signatures that the library of Standard Webhooks accepts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { addressFor, bodyFor, checkedOf, type WatchEvent } from '../../../src/service/watch/event.ts'
import type { WatchChange } from '../../../src/service/watch/matters.ts'
import { newSecret, signatureHeaders } from '../../../src/service/watch/signature.ts'
import { FORMATS } from '../../../src/store/watches.ts'

const checked = {
  result_id: 'AAAAAAAAAAAAAAAAAAAAAA',
  checked_at: '2026-11-15T00:00:00Z',
  risk_score: 90,
  verdict: 'malicious',
  recommendation: 'block',
  recommendation_reason: 'Listed.',
}
const event: WatchEvent = {
  type: 'watch.changed',
  timestamp: '2026-11-15T00:00:00Z',
  data: {
    watch_id: 'watch_x',
    target: 'shop.example',
    result: checked,
    previous: null,
    changes: [
      {
        matter: 'listing',
        severity: 'weakened',
        path: 'reputation.lists.A',
        before: false,
        after: true,
        message: 'Now listed by <A> & *B*',
      },
    ],
    url: 'https://checks.example/#result=AAAAAAAAAAAAAAAAAAAAAA',
  },
}
const test: WatchEvent = { ...event, type: 'watch.test', data: { ...event.data, changes: [], url: null } }
const WEBHOOKS = FORMATS.filter(format => format !== 'email')
const read = (format: (typeof WEBHOOKS)[number], of: WatchEvent) =>
  JSON.parse(bodyFor(format, of, 'https://hooks.example.com/my-topic'))

describe('the body of a webhook', () => {
  it('is the event itself as JSON', () => assert.deepEqual(read('json', event), event))

  it('is a message with blocks for Slack, with its own characters escaped', () => {
    const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
    assert.deepEqual(read('slack', event), {
      text: 'shop[.]example: block (malicious, risk score 90 of 100)',
      blocks: [
        section('*shop[.]example: block (malicious, risk score 90 of 100)*\n• Now listed by &lt;A&gt; &amp; *B*'),
        section('<https://checks.example/#result=AAAAAAAAAAAAAAAAAAAAAA|Open the result>'),
      ],
    })
  })

  const text = (text: string, more: object = {}) => ({ type: 'TextBlock', text, wrap: true, ...more })
  const card = (content: object) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          ...content,
        },
      },
    ],
  })
  const bold = { weight: 'Bolder', size: 'Medium' }

  it('is an adaptive card for Teams, with Markdown escaped', () =>
    assert.deepEqual(
      read('teams', event),
      card({
        body: [
          text('shop\\[.\\]example: block \\(malicious, risk score 90 of 100\\)', bold),
          text('Now listed by \\<A\\> & \\*B\\*.'),
        ],
        actions: [{ type: 'Action.OpenUrl', title: 'Open the result', url: event.data.url }],
      }),
    ))

  it('says for each that a test is one', () => {
    const line = 'Changes of this target will be sent here'
    const head = 'Test of the watch of shop.example'
    assert.deepEqual(read('json', test), test)
    assert.deepEqual(read('slack', test), {
      text: head,
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: `*${head}*\n• ${line}` } }],
    })
    assert.deepEqual(read('teams', test), card({ body: [text(head, bold), text(`${line}.`)] }))
  })

  it('names the result by the fields that a receiver needs', () => {
    const { result_id: _, ...unkept } = checked
    assert.deepEqual(checkedOf({ ...checked, signals: ['listed'], text: 'x' }), checked)
    assert.deepEqual(checkedOf(unkept), { ...checked, result_id: null })
  })

  it('makes no link of a look-alike, nor of an address at the end of a sentence', () => {
    const safe = { ...checked, risk_score: 0, verdict: 'safe', recommendation: 'allow' }
    const lookalike: WatchChange = {
      matter: 'lookalike',
      severity: 'weakened',
      path: 'lookalikes',
      before: null,
      after: 'sh0p.example',
      message: 'New look-alike sh0p.example (homoglyph): block, risk score 90 of 100',
    }
    const moved = { ...lookalike, matter: 'address', message: 'shop.example moved to 192.0.2.1. भ.भारत follows' }
    const messages = (result: typeof checked) =>
      read('ntfy', { ...event, data: { ...event.data, result, changes: [lookalike, moved] } }).message.split('\n')
    const isolated = 'New look-alike sh0p[.]example (homoglyph): block, risk score 90 of 100'
    assert.deepEqual(messages(safe), [isolated, moved.message])
    assert.deepEqual(messages(checked), [isolated, 'shop[.]example moved to 192[.]0[.]2[.]1[.] भ[.]भारत follows'])
  })

  it('keeps its length for receivers with limits', () => {
    const changes = Array.from({ length: 100 }, () => ({
      ...(event.data.changes[0] as WatchChange),
      message: 'x'.repeat(90),
    }))
    const long: WatchEvent = { ...event, data: { ...event.data, changes } }
    // Slack refuses blocks of more than 3 000 characters, and Teams cards of more than 28 KB.
    assert.equal(read('slack', long).blocks[0].text.text.length, 2_900)
    const one = { ...(event.data.changes[0] as WatchChange), message: 'x'.repeat(9_000) }
    const longest: WatchEvent = { ...event, data: { ...event.data, changes: [one] } }
    assert.equal(read('teams', longest).attachments[0].content.body[1].text, `${'x'.repeat(2_900)}.`)
  })
})

describe('the body for other receivers', () => {
  const { url } = event.data
  const { title } = read('ntfy', event)

  it('is a message for Discord that mentions nobody, within 2,000 characters', () => {
    const { content, allowed_mentions } = read('discord', event)
    assert.deepEqual(allowed_mentions, { parse: [] })
    assert.ok(content.includes('Now listed by \\<A\\> & \\*B\\*') && content.endsWith(`<${url}>`), content)
    const changes = Array.from({ length: 200 }, () => event.data.changes).flat()
    assert.ok(read('discord', { ...event, data: { ...event.data, changes } }).content.length <= 2_000)
  })

  it('is a message for the topic of ntfy, urgent for what is worse', () => {
    const { topic, priority, click, message } = read('ntfy', event)
    assert.deepEqual([topic, priority, click], ['my-topic', 4, url])
    assert.ok(message.includes('Now listed by <A> & *B*'))
    assert.equal(addressFor('ntfy', 'https://ntfy.sh/my-topic'), 'https://ntfy.sh/')
    assert.equal(addressFor('json', 'https://a.example/b'), 'https://a.example/b')
  })

  it('is text and HTML for Matrix, with markup escaped', () => {
    const { text, html } = read('matrix', event)
    assert.ok(text.startsWith(title) && text.includes('Now listed by <A> & *B*'))
    assert.ok(html.includes('<li>Now listed by &lt;A&gt; &amp; *B*</li>') && !html.includes('<A>'), html)
  })
})

describe('the signature of a webhook', () => {
  for (const format of WEBHOOKS) {
    it(`of the format ${format} is accepted by the library of Standard Webhooks`, () => {
      const secret = newSecret()
      const body = bodyFor(format, event, 'https://hooks.example.com/topic')
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
