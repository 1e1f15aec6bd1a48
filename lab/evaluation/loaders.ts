// Ways to serve a phishing page so that the document of its URL does not show it. A browser draws the same page.
import { Parser } from 'htmlparser2'

/** What the server sends instead of the page. */
export interface Loader {
  readonly html: string
  readonly content_type: string
  readonly status: number
}

export type Load = (html: string) => Loader

/** The document holds the whole page in another form, so that it can be read without running a script. */
export const loaders: Readonly<Record<string, Load>> = {
  write_atob: html => writeLoader(decodedBase64(html)),
  write_unescape: html => writeLoader(`unescape("${percentEscaped(html)}")`),
  write_xor: html => scriptLoader(xorLoop(html)),
  write_joined: html => writeLoader(`[${pieces(html).map(literal).join(',')}].join("")`),
  inner_html_escaped: html => scriptLoader(`document.body.innerHTML="${hexEscaped(html)}"`),
  template_clone: html =>
    scriptLoader(
      'document.body.append(document.getElementById("t").content.cloneNode(true))',
      `<template id="t">${html}</template>`,
    ),
  blob_location: html => scriptLoader(`location=${blobOf(html)}`),
  blob_frame: html =>
    scriptLoader(`document.getElementById("f").src=${blobOf(html)}`, `<iframe id="f" style="${WHOLE_PAGE}"></iframe>`),
  data_frame: html => frameLoader('src', `data:text/html;charset=utf-8;base64,${base64(html)}`),
  srcdoc_frame: html => frameLoader('srcdoc', html),
  svg_document: html => svg(foreignObject(xhtmlBody(html))),
  svg_prefixed: html => svg(foreignObject(xhtmlBody(html, 'h'))),
  svg_script: html =>
    svg(
      `<script><![CDATA[document.documentElement.innerHTML=${decodedBase64(foreignObject(xhtmlBody(html)))}]]></script>`,
    ),
  xhtml_document: html =>
    loaderOf(`<html xmlns="http://www.w3.org/1999/xhtml">${xhtmlBody(html)}</html>`, 'application/xhtml+xml'),
}

/** The page is elsewhere, so that nothing in this document tells what a browser would draw. */
export const shells: Readonly<Record<string, Load>> = {
  fetched_page: () =>
    scriptLoader(
      'fetch("https://forms.example.net/f").then(r=>r.text()).then(t=>{document.body.innerHTML=t})',
      '<div id="app"></div>',
    ),
  bundled_shell: () =>
    loaderOf(
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><script type="module" crossorigin src="/assets/index-4f3a91c2.js"></script><link rel="stylesheet" href="/assets/index-9be07d15.css"></head><body><div id="root"></div></body></html>',
    ),
  own_frame: () => frameLoader('src', '/home/index.html'),
  picture_only: () => loaderOf('<!doctype html><body style="margin:0"><img src="/p.png" width="100%">'),
  meta_refresh: () => loaderOf('<!doctype html><meta http-equiv="refresh" content="0; url=/home/">'),
  empty_body: () => loaderOf(''),
  not_found: () => ({
    ...loaderOf(
      '<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body></html>',
    ),
    status: 404,
  }),
}

const loaderOf = (html: string, contentType = 'text/html; charset=utf-8'): Loader => ({
  html,
  content_type: contentType,
  status: 200,
})
const scriptLoader = (script: string, body = ''): Loader =>
  loaderOf(`<!doctype html><body>${body}<script>${script}</script>`)
const writeLoader = (expression: string): Loader => scriptLoader(`document.write(${expression})`)

const svg = (content: string): Loader =>
  loaderOf(`<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%">${content}</svg>`, 'image/svg+xml')

const foreignObject = (body: string): string => `<foreignObject width="100%" height="100%">${body}</foreignObject>`

const WHOLE_PAGE = 'position:fixed;inset:0;width:100%;height:100%;border:0'

const frameLoader = (attribute: 'src' | 'srcdoc', value: string): Loader =>
  loaderOf(`<!doctype html><body><iframe style="${WHOLE_PAGE}" ${attribute}="${escapeMarkup(value)}"></iframe>`)

/** A string literal that does not end the script it is in. */
const literal = (text: string): string => JSON.stringify(text).replaceAll('<', '\\x3c')

const blobOf = (html: string): string => `URL.createObjectURL(new Blob([${literal(html)}],{type:"text/html"}))`

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** `atob` yields octets, so that pages with other characters than ASCII are decoded as UTF-8, as kits do. */
const decodedBase64 = (html: string): string => {
  const octets = `atob("${base64(html)}")`
  return Buffer.byteLength(html) === html.length ? octets : `decodeURIComponent(escape(${octets}))`
}

const mapCodes = (text: string, write: (code: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('')

const hexOf = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')

const percentEscaped = (text: string): string =>
  mapCodes(text, code => (code < 0x100 ? `%${hexOf(code, 2)}` : `%u${hexOf(code, 4)}`))

const hexEscaped = (text: string): string =>
  mapCodes(text, code => (code < 0x100 ? `\\x${hexOf(code, 2)}` : `\\u${hexOf(code, 4)}`))

const KEY = 23

function xorLoop(html: string): string {
  const payload = literal(mapCodes(html, code => String.fromCharCode(code ^ KEY)))
  return `var s=${payload},o="";for(var i=0;i<s.length;i++)o+=String.fromCharCode(s.charCodeAt(i)^${KEY});document.write(o)`
}

/** Shorter than most tags, so that no piece shows one. */
const PIECE = 6

const pieces = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE) }, (_, at) => text.slice(at * PIECE, (at + 1) * PIECE))

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const XML_NAME = /^[a-z_][a-z0-9_.-]*$/
/** Characters that no XML document may hold. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const OUTER: ReadonlySet<string> = new Set(['html', 'head', 'body'])

/**
 * The page's content as a well-formed `body`, with a namespace prefix if one is given. Leaves out elements and attributes
 * whose names XML does not allow.
 */
function xhtmlBody(html: string, prefix: string | null = null): string {
  const tag = (name: string) => (prefix === null ? name : `${prefix}:${name}`)
  const isKept = (name: string) => XML_NAME.test(name) && !OUTER.has(name)
  const parts: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      if (!isKept(name)) return
      const validAttributes = Object.entries(attributes).filter(([attribute]) => XML_NAME.test(attribute))
      parts.push(
        `<${tag(name)}${validAttributes.map(([attribute, value]) => ` ${attribute}="${escapeMarkup(value)}"`).join('')}>`,
      )
    },
    ontext: text => parts.push(escapeMarkup(text)),
    onclosetag(name) {
      if (isKept(name)) parts.push(`</${tag(name)}>`)
    },
  })
  parser.end(html)
  const namespace = `${prefix === null ? 'xmlns' : `xmlns:${prefix}`}="http://www.w3.org/1999/xhtml"`
  return `<${tag('body')} ${namespace}>${parts.join('').replace(NOT_IN_XML, '')}</${tag('body')}>`
}
