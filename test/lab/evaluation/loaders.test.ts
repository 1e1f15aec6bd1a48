import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { Parser } from 'htmlparser2'
import { agesOf, changedCopies, originalOf } from '../../../lab/evaluation/copies.ts'
import { loaders, shells } from '../../../lab/evaluation/loaders.ts'
import type { PageRecord } from '../../../lab/evaluation/records.ts'

const HTML_TYPE = 'text/html; charset=utf-8'
const PAGE = `<!doctype html><title>Zürich "Bank" 🏦</title><form action='a?b&amp;c'><input type=password><br></form><script>if (1 < 2) {}</script>`

const load = (name: string, html = PAGE) => {
  const loader = loaders[name] ?? shells[name]
  assert.ok(loader, name)
  return loader(html)
}

/** Text of the elements of a document, by name, and their attributes. */
function elementsOf(html: string) {
  const elements: { name: string; attributes: Record<string, string>; text: string }[] = []
  const parser = new Parser({
    onopentag: (name, attributes) => elements.push({ name, attributes, text: '' }),
    ontext(text) {
      const last = elements.at(-1)
      if (last) last.text += text
    },
  })
  parser.end(html)
  return elements
}

/** What the loader's script hands to the browser. It is run as browsers would, on a page of this test. */
function drawnBy(name: string): unknown {
  const script = elementsOf(load(name).html).find(element => element.name === 'script')?.text ?? ''
  const drawn: { by: Record<string, unknown> } = { by: {} }
  const body = {
    set innerHTML(html: string) {
      drawn.by['html'] = html
    },
  }
  const frame = {
    set src(url: string) {
      drawn.by['html'] = url
    },
  }
  const context = createContext({
    document: {
      body,
      getElementById: () => frame,
      write(html: string) {
        drawn.by['html'] = html
      },
    },
    atob,
    // A blob's URL stands for its text.
    Blob: class {
      readonly text: string
      constructor(parts: readonly string[]) {
        this.text = parts.join('')
      }
    },
    URL: { createObjectURL: ({ text }: { readonly text: string }) => text },
  })
  runInContext(script, context)
  return drawn.by['html'] ?? (context as { readonly location?: unknown }).location
}

const WRITTEN = [
  'write_atob',
  'write_unescape',
  'write_xor',
  'write_joined',
  'inner_html_escaped',
  'blob_location',
  'blob_frame',
]

describe('loaders', () => {
  for (const name of WRITTEN) {
    it(`${name} draws the page by a script and does not show it`, () => {
      assert.equal(drawnBy(name), PAGE)
      const { html, ...rest } = load(name)
      assert.deepEqual(rest, { content_type: HTML_TYPE, status: 200 })
      const parts = elementsOf(html).map(element => element.name)
      assert.ok(!parts.some(part => ['form', 'input', 'title'].includes(part)), parts.join(' '))
    })
  }

  it('template_clone holds the page in a template that a script copies', () => {
    const { html } = load('template_clone')
    assert.ok(html.includes(`<template id="t">${PAGE}</template><script>`))
  })

  it('frames hold the page as their document', () => {
    const attributesOf = (name: string) => elementsOf(load(name).html).find(one => one.name === 'iframe')?.attributes
    assert.equal(attributesOf('srcdoc_frame')?.['srcdoc'], PAGE)
    const data = attributesOf('data_frame')?.['src']?.split('base64,')[1] ?? ''
    assert.equal(Buffer.from(data, 'base64').toString('utf8'), PAGE)
  })

  for (const [name, content_type, body, form] of [
    ['svg_document', 'image/svg+xml', '<body xmlns="http://www.w3.org/1999/xhtml">', '<form action="a?b&amp;c">'],
    ['svg_prefixed', 'image/svg+xml', '<h:body xmlns:h="http://www.w3.org/1999/xhtml">', '<h:form action="a?b&amp;c">'],
    [
      'xhtml_document',
      'application/xhtml+xml',
      '<body xmlns="http://www.w3.org/1999/xhtml">',
      '<form action="a?b&amp;c">',
    ],
  ] as const) {
    it(`${name} is well-formed XML of its type`, () => {
      const loaded = load(name)
      assert.equal(loaded.content_type, content_type)
      for (const part of [body, form, 'if (1 &lt; 2) {}', '🏦']) assert.ok(loaded.html.includes(part), part)
      const tags = loaded.html.match(/<\/?[a-z:]+/gi) ?? []
      const open: string[] = []
      for (const tag of tags) {
        if (tag.startsWith('</')) assert.equal(open.pop(), tag.slice(2))
        else open.push(tag.slice(1))
      }
      assert.deepEqual(open, [])
    })
  }

  it('svg_script writes what svg_document holds', () => {
    const octets = /atob\("([^"]+)"\)/.exec(load('svg_script').html)?.[1] ?? ''
    const written = Buffer.from(octets, 'base64').toString('utf8')
    assert.ok(load('svg_document').html.includes(`>${written}</svg>`) && written.startsWith('<foreignObject'), written)
    assert.equal(load('svg_script').content_type, 'image/svg+xml')
  })

  it('leaves out what XML does not allow', () => {
    const { html } = load('xhtml_document', '<body><p @click=a x"y=b id=c>\u0000A\u0007<o:p>B</o:p><p>C')
    assert.ok(html.includes('<p id="c">AB</p><p>C</p>'), html)
    assert.doesNotMatch(html, /[\0\u0007]/)
  })

  it('shells show nothing of the page', () => {
    for (const name of Object.keys(shells)) assert.equal(load(name, 'anything').html, load(name).html, name)
    assert.deepEqual(
      Object.keys(shells).filter(name => load(name).status !== 200),
      ['not_found'],
    )
  })
})

describe('copies of a page', () => {
  const record: PageRecord = {
    id: 'a',
    file: 'a.html',
    label: 'phishing',
    kind: 'kit',
    content_type: 'text/html',
    hosts: {},
    group: 'g',
    source: { repo: 'lab' },
  }
  const original = originalOf(record, Buffer.from(PAGE))

  it('are evasions in UTF-8, and loaders of a content type of their own', () => {
    const copies = [...changedCopies(record, original, 'https://kit.example/')]
    const typeOf = (name: string) => copies.find(({ evasion }) => evasion === name)?.content_type
    assert.deepEqual(['hidden_filler', 'write_atob', 'svg_document'].map(typeOf), [
      HTML_TYPE,
      HTML_TYPE,
      'image/svg+xml',
    ])
    assert.equal(new Set(copies.map(({ evasion }) => evasion)).size, copies.length)
  })

  it('are judged at every age but 40 days, benign pages at old and unknown age', () => {
    const copy = { ...original, evasion: 'write_atob' }
    assert.deepEqual(agesOf(record, copy, true), ['3 d', '8 y', 'unknown'])
    assert.deepEqual(agesOf(record, original, true), ['3 d', '40 d', '8 y', 'unknown'])
    assert.deepEqual(agesOf({ ...record, label: 'benign' }, original, false), ['8 y', 'unknown'])
  })
})
