import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countWords } from '../../src/evidence/document/text.ts'
import { assertCheap } from '../cpu.ts'

const table: readonly (readonly [title: string, text: string, words: number])[] = [
  ['counts nothing in an empty text', '', 0],
  ['counts what blanks part', 'one two, three - 4', 4],
  ['counts a word of any alphabet once', 'Библиотека имени Чехова', 3],
  ['counts Korean, which parts its words, as others', '도서관은 매일 엽니다', 3],
  ['counts two characters of Japanese as a word', '創業は昭和三十八年。', 5],
  ['counts the odd character too', '本日は', 2],
  ['counts five characters of Thai as a word', 'ห้องสมุดเปิดทุกวัน', 4],
  ['counts the parts of a text in two scripts', '東京 Tower 2号館', 3],
]

describe('the number of words', () => {
  for (const [title, text, words] of table) it(title, () => assert.equal(countWords(text), words))

  it('is found in little time, also of the longest text', () => {
    assertCheap(() => assert.equal(countWords('字'.repeat(200 * 1024)), 100 * 1024))
    assertCheap(() => assert.equal(countWords('a '.repeat(100 * 1024).trim()), 100 * 1024))
  })
})
