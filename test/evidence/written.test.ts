// What scripts write is a part of the page: its text, fields and links count as if they were in the markup.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Document, Unread } from '../../src/evidence/document/facts.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { assertCheap } from '../cpu.ts'

function parse(markup: string, contentType = 'text/html'): Document {
  const parser = createPageParser('https://a.example/', contentType)
  parser.write(Buffer.from(markup))
  return parser.end(false)
}

const LURE = '<h1>Sign in</h1><form action="next"><input type="password"><button>Go</button></form>'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const script = (text: string) => `<script>${text}</script>`
const DECODED = { means: 'document_write', disguise: 'base64' } as const
const HELD = { means: null, disguise: 'base64', replaces: true, isHeld: true } as const
const CUT = { means: null, replaces: true } as const
const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'

/** Pages that show the lure, and how the document says so. */
const pages: Readonly<
  Record<string, readonly [html: string, read: readonly (readonly [string, string | null])[], type?: string]>
> = {
  'is in the markup': [LURE, []],
  'is written by a script': [script(`document.write(atob("${base64(LURE)}"))`), [['document_write', 'base64']]],
  'is written by a script that was written': [
    script(
      `document.write(atob("${base64(script(`document.body.innerHTML = unescape("${encodeURIComponent(LURE)}")`))}"))`,
    ),
    [
      ['document_write', 'base64'],
      ['inner_html', 'percent_encoding'],
    ],
  ],
  'is in a template that a script clones': [
    `<template id="t">${LURE}</template>${script("document.body.append(document.getElementById('t').content.cloneNode(true))")}`,
    [['template', null]],
  ],
  'is encoded in an element after the script': [
    `${script("onload = () => { document.body.innerHTML = atob(document.getElementById('x').textContent) }")}<p id="x" hidden>${base64(LURE)}</p>`,
    [['inner_html', 'base64']],
  ],
  'is encoded in an attribute': [
    `<div id="x" data-page="${base64(LURE)}"></div>${script("document.write(atob(x.dataset.page || document.getElementById('x').dataset.page))")}`,
    [['document_write', 'base64']],
  ],
  'is kept in a script of another type': [
    `<script type="text/plain" id="x">${LURE}</script>${script("document.body.innerHTML = document.getElementById('x').textContent")}`,
    [['inner_html', null]],
  ],
  'is in a frame with a data URL': [`<iframe src="data:text/html;base64,${base64(LURE)}"></iframe>`, []],
  'is in an object with a data URL': [`<object data="data:text/html,${encodeURIComponent(LURE)}"></object>`, []],
  'is the value of the URL of a frame': [
    `<iframe src="javascript:'${LURE.replaceAll('"', '&quot;')}'"></iframe>`,
    [['srcdoc', null]],
  ],
  'is written when an image fails': [
    `<img src="x" onerror="document.body.innerHTML = atob('${base64(LURE)}')">`,
    [['inner_html', 'base64']],
  ],
  'is in an SVG document': [svg(`<foreignObject><div ${XHTML}>${LURE}</div></foreignObject>`), [], 'image/svg+xml'],
  'is written in an SVG document': [
    svg(
      `${script(`document.documentElement.innerHTML = atob("${base64(`<foreignObject><div ${XHTML}>${LURE}</div></foreignObject>`)}")`)}`,
    ),
    [['inner_html', 'base64']],
    'image/svg+xml',
  ],
  'is in an XHTML document': [`<html ${XHTML}><body>${LURE}</body></html>`, [], 'application/xhtml+xml'],
}

/** Pages that do not show it. */
const empty: Readonly<Record<string, string>> = {
  'is in a template that nobody clones': `<template>${LURE}</template>${script('start()')}`,
  'is in a script of another type that nobody reads': `<script type="text/plain" id="x">${LURE}</script>`,
  'is written by a script that waits for a click': script(
    `function show() { document.write(atob("${base64(LURE)}")) }`,
  ),
  'is in the text of a page about it': `<pre>${script(`document.write("${LURE}")`).replaceAll('<', '&lt;')}</pre>`,
  'is written where scripts do not run': `<noscript>${script(`document.write(atob("${base64(LURE)}"))`)}</noscript>`,
}

describe('a form that', () => {
  for (const [what, [html, read, type]] of Object.entries(pages)) {
    it(`${what} is a form of the page`, () => {
      const { forms, headings, look, written } = parse(html, type)
      assert.deepEqual(
        [forms.map(({ inputs }) => inputs), headings.map(({ text }) => text)],
        [[['password']], ['Sign in']],
      )
      assert.deepEqual([look?.fields.map(({ type }) => type), look?.buttons], [['password'], ['Go']])
      assert.deepEqual(
        written?.read.map(({ means, disguise }) => [means, disguise]),
        read,
      )
    })
  }

  for (const [what, html] of Object.entries(empty)) {
    it(`${what} is none of the page`, () => {
      const { forms, look } = parse(html)
      assert.deepEqual([forms, look?.fields], [[], []])
    })
  }
})

/** Shells that draw nothing themselves but show a document. */
const shells: Readonly<Record<string, (document: string) => string>> = {
  srcdoc: document => `<!doctype html><iframe srcdoc='${document}'></iframe>`,
  'a data URL': document => `<!doctype html><iframe src="data:text/html;base64,${base64(document)}"></iframe>`,
  'a blob': document =>
    `<!doctype html><iframe id="f"></iframe>${script(`f.src = URL.createObjectURL(new Blob(['${document}'], { type: 'text/html' }))`)}`,
  'a script': document => `<!doctype html>${script(`document.write(atob("${base64(document)}"))`)}`,
}

describe('a shell around a document', () => {
  for (const [what, wrap] of Object.entries(shells)) {
    it(`has the doctype and the frames of the document in ${what}`, () => {
      const marks = (html: string) => {
        const { doctype, look } = parse(html)
        return { doctype, frames: look?.elements['iframe'] ?? 0 }
      }
      for (const document of [LURE, `<!DOCTYPE x>${LURE}`, `<iframe src="/a"></iframe>${LURE}`])
        assert.deepEqual(marks(wrap(document)), marks(document))
    })
  }

  it('has its own doctype if it draws something itself', () =>
    assert.equal(parse(`<!doctype html><p>Apples</p><iframe srcdoc='${LURE}'></iframe>`).doctype, 'doctype html'))

  it('is read however long the document is', () => {
    const document = `<script>${'a();'.repeat(100_000)}</script>${LURE}`
    const template = `<template>${document}</template>${script('document.body.append(x.content.cloneNode(true))')}`
    for (const html of [`<iframe srcdoc='${document}'></iframe>`, template])
      assert.deepEqual(
        parse(html).forms.map(({ inputs }) => inputs),
        [['password']],
      )
  })
})

describe('what scripts write', () => {
  it('tells how much it draws', () => {
    assert.deepEqual(parse(script(`document.write(atob("${base64(LURE)}"))`)).written, {
      read: [{ means: 'document_write', disguise: 'base64', characters: 11, controls: 2, fields: [0, 1] }],
      unread: [],
      destinations: [],
      leaves: [],
    })
  })

  const page = base64(LURE.repeat(4))
  const text = `data-page="${page}"`
  const unread: readonly [how: string, markup: string, ...found: Partial<Unread>[]][] = [
    ['decoded from what is not in the page', script('document.write(atob(location.hash.slice(1)))'), DECODED],
    [
      'decoded from what is not known, beside an encoded page',
      script(`const page = "${page}"; el.innerHTML = decrypt(page)`),
      { means: 'inner_html', disguise: 'ciphertext', isHeld: true },
      { ...HELD, disguise: null },
    ],
    [
      'decoded from an attribute in a way that is not followed',
      `<p id=x ${text}></p>${script('for (const one of all) out.innerHTML = atob(one)')}`,
      { ...DECODED, means: 'inner_html', isHeld: true },
    ],
    [
      'fetched into the body',
      script('fetch("/x").then(r => r.text()).then(t => { document.body.innerHTML = t })'),
      { means: 'inner_html', replaces: true },
    ],
    [
      'fetched into the root',
      script('fetch("/x").then(r => r.text()).then(t => { document.documentElement.innerHTML = "<body>" + t })'),
      { means: 'inner_html', replaces: true },
    ],
    [
      'fetched and written after the page',
      script('fetch("/x").then(r => r.text()).then(t => document.write(t))'),
      { means: 'document_write', replaces: true },
    ],
    [
      'put in place of all there is',
      script('fetch("/x").then(show); function show(r) { document.body.replaceChildren(r) }'),
      { means: 'inner_html', replaces: true },
    ],
    [
      'kept in a class',
      script(`class A { #page = "${page}"; show() { document.write(atob(this.#page)) } } new A().show()`),
      { ...DECODED, isHeld: true },
      HELD,
    ],
    [
      'kept in a script that is too long',
      script(`${'a(b);'.repeat(2_000)}document.body.innerHTML = atob("${page}")`),
      { ...CUT, disguise: 'base64', isHeld: true },
    ],
    [
      'kept in pieces in a script that is too long',
      script(`document.write([${'"ab",'.repeat(50_000)}].join(""))`),
      { ...CUT, isHeld: true },
    ],
    [
      'plain, in a way that is not followed',
      script('const page = "<form><input type=password></form>"; queue.add(() => document.write(page))'),
      { means: null },
    ],
    [
      'decoded in a script that is too long to be kept',
      script(`document.write(atob("${'A'.repeat(600_000)}"))`),
      { ...CUT, disguise: 'base64', isHeld: true },
    ],
    [
      'beside more than is parsed',
      script(`document.write(atob("${base64('<p>')}").repeat(100000))`).repeat(2),
      { ...DECODED, replaces: true },
    ],
    [
      'in a template that is too long to be kept',
      `<template>${'<p>word word word</p>'.repeat(100_000)}${LURE}</template>${script('document.body.append(x.content.cloneNode(true))')}`,
      { means: 'template', isHeld: true },
    ],
    [
      'in a frame whose document is too long to be kept',
      `<iframe srcdoc='${'<p>word word word</p>'.repeat(100_000)}${LURE}'></iframe>`,
      { means: 'srcdoc', isHeld: true },
    ],
    [
      'in a frame in a frame in a frame',
      [1, 2, 3].reduce(html => `<iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`, LURE),
      { means: 'srcdoc', isHeld: true },
    ],
    ['not at all, beside an encoded text', script(`start("${page}")`)],
    ['only when a visitor clicks', script('b.onclick = () => fetch("/x").then(t => { document.body.innerHTML = t })')],
    ['as a part of the page', script('fetch("/x").then(r => r.text()).then(t => { box.innerHTML = t })')],
    ['while the page is read', script('document.write(banner())')],
  ]
  for (const [how, markup, ...found] of unread)
    it(`is listed as unread when it is written ${how}`, () => {
      const none = { means: null, disguise: null, replaces: false, isHeld: false }
      assert.deepEqual(
        parse(markup).written?.unread,
        found.map(one => ({ ...none, ...one })),
      )
    })

  it('costs little, however many scripts write however many scripts', () => {
    const nested = Array.from({ length: 8 }).reduce<string>(
      html => script(`document.write(atob("${base64(html)}"));document.write(atob("${base64(html)}"))`),
      LURE,
    )
    assertCheap(() => parse(nested))
    assertCheap(() => parse(script('document.write("<a>")').repeat(20_000)))
    assertCheap(() => parse(`<template>${'<b>'.repeat(100_000)}</template>${script('x.content.cloneNode(true)')}`))
  })
})
