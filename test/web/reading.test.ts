// What the page makes of text: of streams, of what was typed, of what strangers wrote, of problems.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { visible, visibleJson } from '../../src/base/visible.js'
import { problemCodes, problemStatus } from '../../src/service/api/problem.ts'
import { day, span } from '../../src/web/dates.js'
import { eventReader } from '../../src/web/event_stream.js'
import { explain } from '../../src/web/problems.js'
import { fragmentOf, linkHost, nameWithin, shortName, targetIn, targetOf } from '../../src/web/target.js'
import { readingOf, refang } from '../../src/web/typed_text.js'

const read = (...pieces: string[]) => {
  const take = eventReader()
  return pieces.flatMap(take)
}

describe('a stream of events', () => {
  const streams: readonly (readonly [what: string, text: string, events: unknown])[] = [
    ['an event', 'event: a\ndata: 1\n\n', [{ event: 'a', data: '1' }]],
    ['one without a name', 'data: 1\n\n', [{ event: 'message', data: '1' }]],
    ['data of several lines', 'data: 1\ndata:2\n\n', [{ event: 'message', data: '1\n2' }]],
    ['line ends with carriage returns', 'event: a\r\ndata: 1\r\n\r\n', [{ event: 'a', data: '1' }]],
    ['comments, ids and retries', ': hello\nid: 1\nretry: 5\ndata: 1\n\n', [{ event: 'message', data: '1' }]],
    ['a name without data', 'event: a\n\ndata: 1\n\n', [{ event: 'message', data: '1' }]],
    ['an end that is missing', 'data: 1\n', []],
  ]
  for (const [what, text, events] of streams) {
    it(`is parsed with ${what}`, () => assert.deepEqual(read(text), events))
  }

  it('is parsed identically in any chunks', () => {
    const text = 'event: sections\ndata: {"sections":["a"]}\n\nevent: result\r\ndata: {"x":"é"}\r\n\r\n'
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), cuts => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length]
        const pieces = at.slice(1).map((end, i) => text.slice(at[i], end))
        assert.deepEqual(read(...pieces), read(text))
      }),
    )
  })
})

describe('typed text', () => {
  const typed: readonly (readonly [text: string, asked: unknown])[] = [
    ['', null],
    ['  ', null],
    [' example.com ', { name: 'domain', value: 'example.com', visit: true }],
    ['192.0.2.1', { name: 'ip', value: '192.0.2.1', visit: true }],
    ['Jane.Doe@example.com', { name: 'email', value: '@example.com', visit: true }],
    ['mailto:jane@example.com', { name: 'email', value: '@example.com', visit: true }],
    ['@example.com', { name: 'email', value: '@example.com', visit: true }],
    ['2001:db8::1', { name: 'ip', value: '2001:db8::1', visit: true }],
    ['::ffff:192.0.2.1', { name: 'ip', value: '::ffff:192.0.2.1', visit: true }],
    ['https://example.com', { name: 'url', value: 'https://example.com', visit: true }],
    ['FTP://example.com/a', { name: 'url', value: 'FTP://example.com/a', visit: true }],
    ['[2001:db8::1]', { name: 'ip', value: '2001:db8::1', visit: true }],
    ['[::1]', { name: 'ip', value: '::1', visit: true }],
    ['hxxps://example[.]com/a', { name: 'url', value: 'https://example.com/a', visit: true }],
    ['hxxp[:]//example(.)com', { name: 'url', value: 'http://example.com', visit: true }],
    ['example [dot] com', { name: 'domain', value: 'example.com', visit: true }],
    ['192[.]0[.]2[.]1', { name: 'ip', value: '192.0.2.1', visit: true }],
    ['example.com:443', { name: 'domain', value: 'example.com:443', visit: true }],
    ['127.1', { name: 'domain', value: '127.1', visit: true }],
  ]
  for (const [text, asked] of typed) {
    it(`${JSON.stringify(text)} requests ${JSON.stringify(asked)}`, () => assert.deepEqual(targetOf(text), asked))
  }

  it('keeps the wish not to visit it', () => {
    assert.deepEqual(targetOf('https://example.com/', false), {
      name: 'url',
      value: 'https://example.com/',
      visit: false,
    })
  })

  const links: readonly (readonly [text: string, host: string | null])[] = [
    ['https://example.com/path?q', 'example.com'],
    [' HTTP://EXAMPLE.com ', 'example.com'],
    ['https://me@example.com/', 'example.com'],
    ['https://[2001:db8::1]/', '2001:db8::1'],
    ['https://', null],
    ['ftp://example.com/', null],
    ['example.com/path', null],
    ['example.com', null],
  ]
  for (const [text, host] of links) {
    it(`${text} is ${host === null ? 'no web link' : `a link to ${host}`}`, () => assert.equal(linkHost(text), host))
  }

  it('is named in titles without the path and query of a link', () => {
    const named = [
      'example.com',
      '2001:db8::1',
      'https://example.com/hidden?hidden',
      'ftp://example.com/hidden',
      'x://',
    ].map(text => shortName(targetOf(text) ?? assert.fail()))
    assert.deepEqual(named, ['example.com', '2001:db8::1', 'example.com/…', 'example.com/…', '/…'])
  })

  const pasted: readonly (readonly [text: string, name: string | null])[] = [
    ['https://example.com/path?q#f', 'example.com'],
    ['example.com/path', 'example.com'],
    ['example.com:8443', 'example.com'],
    ['someone@example.com', 'example.com'],
    ['https://[2001:db8::1]/', '2001:db8::1'],
    ['ftp://example.com/', 'example.com'],
    ['example.com', null],
    ['nothing at all', null],
    ['https://', null],
  ]
  for (const [text, name] of pasted) {
    it(`${text} contains ${name}`, () => assert.equal(nameWithin(text), name))
  }

  const read: readonly (readonly [text: string, note: RegExp | null, offers: readonly string[]])[] = [
    ['example.com', null, []],
    ['https://example.com/a', null, []],
    ['[::1]', null, []],
    ['nothing at all', null, []],
    ['user@example.com', /e-mail address/, []],
    ['@example.com', null, []],
    ['mailto:user@example.com?subject=x', /e-mail address/, []],
    ['user[at]example[.]com', /e-mail address/, []],
    ['hxxp://example[.]com/a', /by accident/, ['http://example.com/a']],
    ['example[.]com', /by accident/, ['example.com']],
    ['[2001:db8::1]:443', /without a port/, ['2001:db8::1']],
    ['example.com/a?b', /something behind it/, ['https://example.com/a?b', 'example.com']],
    ['example.com:8443', /something behind it/, ['example.com']],
  ]
  for (const [text, note, offers] of read) {
    it(`${text} ${note === null ? 'needs no explanation' : `is explained, and ${offers[0] ?? 'nothing'} is offered`}`, () => {
      const reading = readingOf(text)
      if (note === null) return assert.equal(reading, null)
      assert.match(reading?.note ?? '', note)
      assert.deepEqual(
        reading?.offers.map(({ value }) => value),
        offers,
      )
    })
  }

  it('that is not defanged stays as it is', () => {
    for (const text of ['https://example.com/?q=[a.b]', 'https://[2001:db8::1]/', 'http://example.com'])
      assert.equal(refang(text), text)
    fc.assert(fc.property(fc.domain(), name => assert.equal(refang(name.replaceAll('.', '[.]')), name)))
  })

  it('survives in a link', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), text =>
        assert.equal(targetIn(fragmentOf(text)), text),
      ),
    )
    assert.equal(fragmentOf('2001:db8::1'), '#2001:db8::1')
    assert.deepEqual(['', '#', '#%', '#example.com'].map(targetIn), ['', '', '', 'example.com'])
  })

  it('is cut from an overlong link between characters', () => {
    const long = 'a'.repeat(299)
    assert.equal(targetIn(fragmentOf(`${long}\u{1f600}b`)), `${long}\u{1f600}`)
  })
})

describe('untrusted text', () => {
  it('shows characters that hide or reorder', () => {
    assert.equal(visible('a\u202eb\u200bc\u0000d\u2066'), 'a‹U+202E›b‹U+200B›c‹U+0000›d‹U+2066›')
    assert.equal(visible('tag\u{e0041}'), 'tag‹U+E0041›')
  })

  it('is unchanged without such characters', () => {
    for (const text of ['Großenhain', 'مرحبا', '日本語', '👩‍🔧 e\u0301', '<b>&amp;']) assert.equal(visible(text), text)
  })

  it('stays the same value as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value =>
        assert.deepEqual(JSON.parse(visibleJson(value)), JSON.parse(JSON.stringify(value))),
      ),
    )
    assert.equal(visibleJson(['\u202e', '\u{e0041}']), '[\n  "\\u202e",\n  "\\udb40\\udc41"\n]')
  })
})

describe('times', () => {
  it('are shown in their largest unit', () => {
    const told = [0, 1_000, 59_000, 90_000, 3_600_000, 8.6 * 86_400_000, 800 * 86_400_000].map(span)
    assert.deepEqual(told, ['1 second', '1 second', '59 seconds', '2 minutes', '1 hour', '9 days', '2 years'])
  })

  it('are days in UTC, with or without a zone', () => {
    assert.deepEqual(['2026-11-22T23:30:00', '2026-11-22T23:30:00Z', null, 'never'].map(day), [
      '22 November 2026',
      '22 November 2026',
      null,
      'never',
    ])
  })
})

describe('a problem', () => {
  const trouble = { status: null, detail: '', request_id: null, reset: null, retry_after: null }
  const now = Date.UTC(2026, 10, 22)

  /** Those that the page can meet have words of their own; the others are about requests it never makes. */
  const general = [
    'invalid-request',
    'not-found',
    'method-not-allowed',
    'not-acceptable',
    'request-timeout',
    'content-too-large',
    'uri-too-long',
    'headers-too-large',
    'job-not-found',
    'jobs-disabled',
    'lookalikes-disabled',
    'job-limit',
  ]
  for (const code of problemCodes) {
    it(`${code} is explained`, () => {
      const { title, advice } = explain({ ...trouble, code, status: problemStatus(code) }, now)
      assert.ok(title.length > 5 && advice.length > 5)
      assert.equal(title === 'The service refused this', general.includes(code))
    })
  }

  it('says when the quota is renewed', () => {
    const { advice } = explain(
      { ...trouble, code: 'quota-exceeded', status: 429, reset: Date.UTC(2026, 11, 1) / 1_000 },
      now,
    )
    assert.equal(advice, 'It resets on 1 December 2026 at 00:00 UTC, 9 days from now.')
  })

  it('says when to retry, and that nothing was counted', () => {
    const { advice } = explain({ ...trouble, code: 'overloaded', status: 503, retry_after: 5 }, now)
    assert.match(advice, /Try again in 5 seconds\. Nothing was counted\./)
  })

  it('is distinguished when there was no answer', () => {
    const titles = ['no-answer', 'time-out', 'cut-off', 'unreadable'].map(
      code => explain({ ...trouble, code }, now).title,
    )
    assert.equal(new Set(titles).size, 4)
  })

  it('points to the invalid field', () => {
    const fields = ['invalid-domain', 'invalid-api-key', 'overloaded'].map(
      code => explain({ ...trouble, code }, now).field,
    )
    assert.deepEqual(fields, ['target', 'key', null])
  })
})
