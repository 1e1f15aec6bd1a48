// What the form of watches makes of what is typed.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MATTERS } from '../../src/service/watch/matters.ts'
import { FORMATS } from '../../src/store/watches.ts'
import { formatFor, formatName, namesIn } from '../../src/web/watch_form.js'
import { silencedWords } from '../../src/web/watch_silences.js'

describe('the form of watches', () => {
  for (const [receiver, format] of [
    ['mailto:alerts@example.com', 'email'],
    ['https://hooks.slack.com/services/T/B/x', 'slack'],
    ['https://discord.com/api/webhooks/1/x', 'discord'],
    ['https://ntfy.sh/my-topic', 'ntfy'],
    ['https://contoso.webhook.office.com/webhookb2/x', 'teams'],
    ['https://prod-1.westeurope.logic.azure.com:443/workflows/x', 'teams'],
    ['https://hooks.example.com/assay', null],
    ['https://example.com/https://ntfy.sh/x', null],
  ] as const) {
    it(`takes ${receiver} for ${format ?? 'no format of its own'}`, () => assert.equal(formatFor(receiver), format))
  }

  for (const [what, text, names] of [
    ['one name', ' example.com ', ['example.com']],
    [
      'names of lines, with commas or blanks between them',
      'a.com\nb.com, c.com d.com;',
      ['a.com', 'b.com', 'c.com', 'd.com'],
    ],
    ['a name that is there twice', 'a.com\na.com', ['a.com']],
    ['nothing', '\n', []],
  ] as const) {
    it(`reads ${what}`, () => assert.deepEqual(namesIn(text), names))
  }

  it('has words for each format and each matter', () => {
    assert.deepEqual(
      FORMATS.filter(format => formatName(format) === format),
      [],
    )
    assert.deepEqual(
      MATTERS.filter(matter => silencedWords(matter, null) === `Reported again: ${matter}.`),
      [],
    )
  })
})
