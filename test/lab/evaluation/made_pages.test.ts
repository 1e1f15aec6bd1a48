import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makePages } from '../../../lab/page_training/made_pages.ts'
import { seeBrands } from '../../../plugins/content_analysis/brand_sights.ts'
import { factsOf } from '../../../plugins/content_analysis/page_model/facts.ts'
import { createPageJudge } from '../../../plugins/content_analysis/page_model/judge.ts'
import weights from '../../../plugins/content_analysis/page_model/weights.json' with { type: 'json' }
import { createPageParser } from '../../../src/evidence/document/page_parser.ts'

const URL_OF_PAGE = 'https://page.example/'

function factsIn(html: string) {
  const parser = createPageParser(URL_OF_PAGE, 'text/html; charset=utf-8')
  parser.write(Buffer.from(html))
  const document = parser.end(false)
  const page = new URL(URL_OF_PAGE)
  return factsOf(document, page, seeBrands(document, page, []))
}

describe('made-up honest pages', () => {
  const pages = makePages()

  it('are the same in every training', () => {
    assert.deepEqual(makePages(), pages)
    assert.equal(new Set(pages.map(({ name }) => name)).size, pages.length)
    assert.equal(new Set(pages.map(({ html }) => html)).size, pages.length)
  })

  it('have a form or a root of an application, and play no brand', () => {
    for (const { name, html } of pages) {
      const { forms, document, sights } = factsIn(html)
      const rooted = document.ids.length > 0 || document.custom_elements.length > 0
      assert.ok(forms.total > 0 || rooted || name.startsWith('notice'), name)
      assert.equal(sights.foreign, null, name)
    }
  })

  it('are none of them certain to be phishing for the shipped model, and one in a hundred likely', () => {
    const judge = createPageJudge(weights)
    const levels = pages.map(({ html }) => judge(factsIn(html)).level)
    assert.equal(levels.filter(level => level === 'certain').length, 0)
    assert.ok(levels.filter(level => level === 'likely').length <= pages.length / 100)
  })
})
