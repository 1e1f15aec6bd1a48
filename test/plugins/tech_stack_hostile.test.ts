import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createCatalogue } from '../../plugins/tech_stack/catalogue.ts'
import { detect } from '../../plugins/tech_stack/detect.ts'
import { fingerprints } from '../../plugins/tech_stack/fingerprints/fingerprints.ts'
import { type ClueSubject, ofDocument, ofResponse } from '../../plugins/tech_stack/subjects.ts'
import type { Document } from '../../src/engine/plugin.ts'
import { documentOf, exchangeOf } from '../../src/testing/page_of.ts'
import { anyText, parts } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'
import { sampled } from '../sample.ts'
import { documentFrom, sectionOf } from './tech_stack_site.ts'

const SIZE = 2 * 1024 * 1024
/** Walks over two mebibytes of text. */
const ORDINARY = 0.4

const catalogue = createCatalogue(fingerprints)
const fill = (unit: string, size = SIZE): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)

const links = (href: string): Document['links'] => [{ rel: ['stylesheet'], href, hreflang: null, type: null }]

const everywhere = (text: string): ClueSubject[] => [
  ...ofResponse({
    ...exchangeOf({}),
    headers: ['server', 'via', 'x-powered-by', 'set-cookie'].map(name => [name, text]),
  }),
  ...ofDocument(
    documentOf({
      metas: [{ name: 'generator', content: text }],
      scripts: [{ src: text, type: null, integrity: false }],
      links: links(text),
      inline_scripts: [text],
      forms: [{ action: text, formactions: [], method: 'get', inputs: [] }],
      classes: [text],
      ids: [text],
      comments: [text],
    }),
  ),
]

describe('two megabytes of hostile evidence end in time', () => {
  const units = parts(
    `
      a / . /wp-content/ jquery- jquery-1 ?ver= gtag( https:// @ /npm/a@ ,npm/ 1. 1 PHP/ PHP/1. .com cdn. % = ;
    `,
    ' ',
    '\u0000',
    '\ud800',
    'é',
  )
  for (const unit of sampled(units, 10)) {
    it(`of ${JSON.stringify(unit)}`, () => {
      // Each of the thirteen places has its share
      const subjects = everywhere(fill(unit, SIZE / 13))
      assertCheap(() => detect(catalogue, subjects))
    })
  }

  it('in one text', () => {
    const subjects = ofDocument(documentOf({ inline_scripts: [fill('gtag(window.NREUM_paq.push')] }))
    assertCheap(() => detect(catalogue, subjects))
  })

  it('in as many URLs as a page may have', () => {
    const url = (at: number) => `https://cdn${at}.jsdelivr.net/npm/jquery@3.${at}/wp-content/${'/jquery/1'.repeat(200)}`
    const scripts = Array.from({ length: 500 }, (_, at) => ({ src: url(at), type: null, integrity: false }))
    assertCheap(() => detect(catalogue, ofDocument(documentOf({ scripts }))))
  })
})

describe('an ordinary page', () => {
  const shop = documentFrom(`<!doctype html><html><head><meta name="generator" content="WordPress 6.6.2">
    ${Array.from({ length: 40 }, (_, at) => `<link rel="stylesheet" href="/wp-content/plugins/p${at}/a.css?ver=6.${at}">`).join('')}
    ${Array.from({ length: 40 }, (_, at) => `<script src="https://cdn.example.com/assets/js/chunk-${at}.min.js?v=1"></script>`).join('')}
    <script>${'window.dataLayer = window.dataLayer || []; function gtag() { dataLayer.push(arguments) }\n'.repeat(100)}</script></head>
    <body>${Array.from({ length: 250 }, (_, at) => `<div id="block-${at}" class="block-${at} grid"></div>`).join('')}</body></html>`)
  const headers = ['server: nginx', 'x-powered-by: PHP/8.3.1', 'content-type: text/html', 'cache-control: no-store']

  it('costs less than scanning a mebibyte of text', () => {
    const subjects = [...ofResponse(exchangeOf({ headers })), ...ofDocument(shop)]
    assertCheap(() => detect(catalogue, subjects), ORDINARY, 50)
  })
})

describe('any evidence', () => {
  const piece = fc.constantFrom(
    ...parts('/wp-content/ jquery- 3.6.0 PHP/8.1 https://js.stripe.com ?ver= < " nginx @', '\u0000', '\ud800', ' '),
  )
  const anything = fc.oneof(
    anyText({ maxLength: 200 }),
    fc.array(piece, { maxLength: 20 }).map(parts => parts.join('')),
  )

  it('gives technologies with short printable evidence', () => {
    fc.assert(
      fc.property(anything, text => {
        for (const { evidence, confidence } of detect(catalogue, everywhere(text))) {
          assert.ok(confidence >= 1 && confidence <= 100 && evidence.length <= 3)
          assert.ok(evidence.every(({ value }) => value.length <= 96 && !/[\p{Cc}\p{Cs}]/u.test(value)))
        }
      }),
    )
  })

  it('fits 32 KiB of JSON and 50 technologies', async () => {
    const scripts = fingerprints.flatMap(({ marks }) =>
      marks.flatMap(({ in: place, how, text }) =>
        place === 'resource' && how === 'within' ? `<script src="https://${text}/${'x'.repeat(90)}"></script>` : [],
      ),
    )
    const section = await sectionOf({ html: scripts.slice(0, 190).join('') })
    assert.equal(section.technologies?.length, 50)
    assert.ok(Buffer.byteLength(JSON.stringify(section)) <= 32 * 1024)
  })

  it('gives a short printable server for any header', async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ minLength: 1, maxLength: 300 }), async text => {
        const { server } = await sectionOf({ headers: [`server: ${text}\ud800`] })
        assert.ok(server === null || (server.length <= 128 && !/[\p{Cc}\p{Cs}]/u.test(server)))
      }),
      { numRuns: 50 },
    )
  })
})
