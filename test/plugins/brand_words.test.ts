// A word that is a brand and something else besides, as a word of a language or a name of people is, accuses nobody alone.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signals } from '../../plugins/content_analysis/signals.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { isDistinctive } from '../../src/knowledge/brands/brand.ts'
import { brands } from '../../src/knowledge/brands/brands.ts'
import { findingOf } from './content_analysis_page.ts'

const URL = 'https://ringing-bells.org/'

/** The log-in of a firm that bears the word. */
function signalsFor(word: string): string[] {
  const name = `${word.replace(/(^| )\p{L}/gu, letter => letter.toUpperCase())} Miller Gardening`
  const parser = createPageParser(URL, 'text/html; charset=utf-8')
  parser.write(
    Buffer.from(
      `<!doctype html><html lang="en"><title>${name} – customer log-in</title><h1>${name}</h1><form action="/session" method="post"><input name="user"><input name="password" type="password"><button>Log in</button></form><footer>© 2026 ${name}</footer></html>`,
    ),
  )
  return (findingOf(parser.end(false)).signals ?? []).map(({ id }) => id)
}

const ACCUSING = new Set<string>(['impersonated_brand', 'brand_sign_in_step', 'brand_lure', 'brand_in_title'])

describe('“<Word> Miller Gardening – customer log-in”', () => {
  it('uses the signals that there are', () => {
    for (const id of ACCUSING) assert.ok(id in signals, id)
  })

  const said = brands.flatMap(({ family, brandWords }) =>
    family ? [] : brandWords.filter(word => word.in !== 'names'),
  )
  const distinctive = new Set(said.filter(isDistinctive).map(({ text }) => text))
  const doubtful = [...new Set(said.filter(word => !isDistinctive(word)).map(({ text }) => text))]

  it(`accuses nobody of any brand for a word of a language or a name`, () => {
    const accused = doubtful
      // Of another brand the same word, or a part of it, may be distinctive: `orange bank` of `orange`.
      .filter(word => ![...distinctive].some(one => ` ${word} `.includes(` ${one} `)))
      .map(word => [word, signalsFor(word).filter(id => ACCUSING.has(id))] as const)
    assert.ok(accused.length > 100, `${accused.length} words`)
    assert.deepEqual(
      accused.filter(([, found]) => found.length > 0),
      [],
    )
  })

  it('is seen to bear a distinctive word', () => {
    const word = [...distinctive].find(one => one === 'paypal') ?? ''
    assert.ok(
      signalsFor(word).some(id => ACCUSING.has(id)),
      'PayPal Miller Gardening',
    )
  })
})
