// What is left of a link in a recording that may be passed on.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRecording, type Recording } from '../../src/engine/recording.ts'
import { redact } from '../../src/engine/redaction.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { readRecording } from '../golden/files.ts'

const TOKEN = '8f14e45fceea167a5a36dedd4bea2543'
const LINK = `https://shop.com/reset/${TOKEN}?user=jane%40mail.com&code=secret1&n=7#x`

function recordingOf(url: string, text: unknown): Recording {
  const parsed = parseTarget({ domain: null, ip: null, url }, unvetted)
  assert.ok(parsed.ok)
  return {
    format: 1,
    target: parsed.target,
    checked_at: '2026-11-25T00:00:00.000Z',
    evidence: { page: { status: 'gathered', value: { text } } },
    durations: { check: 1, sections: {} },
  }
}

const redacted = (text: unknown, url = LINK) =>
  (redact(recordingOf(url, text)).evidence['page'] as { value: { text: unknown } }).value.text

describe('a redacted recording', () => {
  it('has the URL without its values, in a form that can be read again', () => {
    const recording = redact(recordingOf(LINK, ''))
    assert.equal(recording.target.url?.href, 'https://shop.com/reset/redacted?user=redacted&code=redacted&n=redacted')
    assert.equal(recording.target.url.query, 'user=redacted&code=redacted&n=redacted')
    assert.deepEqual(parseRecording(JSON.stringify(recording)), recording)
  })

  const texts: readonly (readonly [what: string, before: unknown, after: unknown])[] = [
    ['values of other URLs', 'see /a?b=c&d=e;f=g#h', 'see /a?b=redacted&d=redacted;f=redacted#h'],
    ['values in quotes', '<a href="?id=5">', '<a href="?id=redacted">'],
    [
      'values of the URL in text, decoded or not',
      'Hello jane@mail.com (jane%40mail.com), secret1',
      'Hello redacted (redacted), redacted',
    ],
    ['its tokens in the path', `/confirm/${TOKEN}/now`, '/confirm/redacted/now'],
    ['lists and nested objects', [{ url: '?a=b', n: 7, none: null }], [{ url: '?a=redacted', n: 7, none: null }]],
  ]
  for (const [what, before, after] of texts) {
    it(`replaces ${what}`, () => assert.deepEqual(redacted(before), after))
  }

  it('keeps short values elsewhere, words without values and paths', () => {
    const kept = ['7 of 17', 'why? because', '/wp-content/uploads/verify-your-account.php', 'a=b']
    for (const text of kept) assert.equal(redacted(text), text)
  })

  it('of a name keeps all but the values in queries', () => {
    const recording = readRecording('shop')
    const clean = redact(recording)
    assert.deepEqual(clean.target, recording.target)
    assert.deepEqual(clean.evidence['dns'], recording.evidence['dns'])
    assert.deepEqual(parseRecording(JSON.stringify(clean)), clean)
  })
})
