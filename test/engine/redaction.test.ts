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

  const EXCHANGE = { address: '192.0.2.1', status: 302 }
  const hops: readonly [what: string, hop: string, after: string][] = [
    ['a token in its path', `https://kit.com/a/${TOKEN}/b`, 'https://kit.com/a/redacted/b'],
    ['an e-mail address in its path', 'https://kit.com/go/jane@mail.com', 'https://kit.com/go/redacted'],
    ['an encoded e-mail address', 'https://kit.com/go/jane%40mail.com/', 'https://kit.com/go/redacted/'],
    ['an e-mail address as the whole query', 'https://kit.com/?jane@mail.com', 'https://kit.com/?redacted'],
    ['a token as the whole query', `https://kit.com/?${TOKEN}`, 'https://kit.com/?redacted'],
    ['the recipient of a letter', 'mailto:jane@mail.com', 'mailto:redacted'],
    ['neither a version nor a long host', `https://${TOKEN}.com/pkg@1.2.3/`, `https://${TOKEN}.com/pkg@1.2.3/`],
  ]
  for (const [what, hop, after] of hops) {
    it(`replaces in the URLs that redirects lead to: ${what}`, () => {
      const { evidence, ...rest } = recordingOf('https://short.com/x', '')
      const first = { ...EXCHANGE, url: 'https://short.com/x', headers: [['location', `${hop}#top`]] }
      const last = { ...EXCHANGE, url: hop, headers: [] }
      const pages = [
        { exchanges: [first, last], stopped_at: null },
        { exchanges: [first], stopped_at: hop },
      ]
      for (const value of pages) {
        const clean = redact({ ...rest, evidence: { ...evidence, page: { status: 'gathered', value } } })
        const { exchanges, stopped_at } = (clean.evidence['page'] as unknown as { value: typeof value }).value
        assert.deepEqual(exchanges[0]?.headers, [['location', `${after}#top`]])
        assert.equal(exchanges[1]?.url ?? stopped_at, after)
      }
    })
  }

  it('replaces in the URL of a frame that fills the page', () => {
    const { evidence, ...rest } = recordingOf('https://short.com/x', '')
    const exchange = (url: string) => ({ ...EXCHANGE, url, headers: [] })
    const value = {
      exchanges: [exchange('https://short.com/x')],
      handover: { by: 'frame', frame: [exchange(`https://kit.com/a/${TOKEN}/b`)] },
    }
    const clean = redact({ ...rest, evidence: { ...evidence, page: { status: 'gathered', value } } })
    const { handover } = (clean.evidence['page'] as unknown as { value: typeof value }).value
    assert.equal(handover.frame[0]?.url, 'https://kit.com/a/redacted/b')
  })

  it('of a name keeps all but the values in queries', () => {
    const recording = readRecording('shop')
    const clean = redact(recording)
    assert.deepEqual(clean.target, recording.target)
    assert.deepEqual(clean.evidence['dns'], recording.evidence['dns'])
    assert.deepEqual(parseRecording(JSON.stringify(clean)), clean)
  })
})
