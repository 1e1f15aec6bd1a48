// Ways to send a page so that its markup does not hold what a browser draws.
import { createCipheriv, createHash } from 'node:crypto'
import {
  ascii,
  asSvg,
  asXhtml,
  base64,
  base64Utf8,
  carrier,
  escaped,
  markupText,
  pieces,
  quoted,
  script,
  scripted,
  singleQuoted,
  template,
  uEscaped,
  units,
  xEscaped,
} from './encode.ts'

export interface Sent {
  readonly html: string
  /** `text/html; charset=utf-8` without one. */
  readonly content_type?: string
}

export interface Way {
  readonly title: string
  /** Everything that the page is made of is constant and in the response, so it can be read without running a script. */
  readonly seen: boolean
  readonly send: (html: string) => Sent
}

const KEY = 23

const xored = (html: string, key: number): readonly number[] => units(ascii(html)).map(unit => unit ^ key)
const textOf = (codes: readonly number[]): string => String.fromCharCode(...codes)

const plain = (html: string): Sent => ({ html })
const by = (code: (html: string) => string) => (html: string) => plain(scripted(code(html)))
const writes = (expression: (html: string) => string) => by(html => `document.write(${expression(html)})`)

const decoded = (html: string): string => `atob("${base64(html)}")`

type Table = Readonly<Record<string, Way['send']>>

const encodings: Table = {
  'atob in document.write': writes(decoded),
  'atob of UTF-8': writes(html => `decodeURIComponent(escape(window.atob("${base64Utf8(html)}")))`),
  unescape: writes(html => `unescape("${escaped(html)}")`),
  decodeURIComponent: writes(html => `decodeURIComponent("${encodeURIComponent(html)}")`),
  'String.fromCharCode': writes(html => `String.fromCharCode(${units(html).join(',')})`),
  'fromCharCode.apply': writes(html => `String.fromCharCode.apply(null, [${units(html).join(', ')}])`),
  'an array that is joined': writes(html => `[${pieces(html, 24).map(quoted).join(',')}].join('')`),
  'a string that is reversed': writes(
    html => `${quoted(html.split('').reverse().join(''))}.split('').reverse().join('')`,
  ),
  'escapes of octets': writes(html => `"${xEscaped(html)}"`),
  'escapes of code units': writes(html => `'${uEscaped(html)}'`),
  'variables that are concatenated': by(html => {
    const parts = pieces(html, 90)
    const variables = parts.map((part, at) => `var p${at} = ${quoted(part)};`)
    return `${variables.join('\n')}\ndocument.write(${parts.map((_, at) => `p${at}`).join(' + ')});`
  }),
  'a variable that grows': by(html => {
    const steps = pieces(html, 70).map(part => `page += ${singleQuoted(part)};`)
    return `var page = '';\n${steps.join('\n')}\ndocument.write(page);`
  }),
  'a call for each piece': by(html =>
    pieces(html, 50)
      .map(part => `document.write(${quoted(part)});`)
      .join('\n'),
  ),
  'names and text in one array': by(
    html => `var _0x4f = ['write', '${base64(html)}', 'atob'];\ndocument[_0x4f[0]](window[_0x4f[2]](_0x4f[1]));`,
  ),
  'members by their names as text': by(
    html => `window['document']['wri' + 'te'](window['at' + 'ob']('${base64(html)}'))`,
  ),
  'writeln of a template literal': by(html => `document.writeln(${template(html)})`),
  'atob of unescape': writes(html => `atob(unescape("${escaped(base64(html))}"))`),
  'XOR in a loop': by(
    html => `var text = ${quoted(textOf(xored(html, KEY)))}, page = '';
for (var i = 0; i < text.length; i++) { page += String.fromCharCode(text.charCodeAt(i) ^ ${KEY}); }
document.write(page);`,
  ),
  'a shift in a loop': by(
    html => `let page = ''
const text = ${quoted(textOf(units(ascii(html)).map(unit => unit + 1)))}
for (let i = 0; i < text.length; i += 1) page += String.fromCharCode(text.charCodeAt(i) - 1)
document.write(page)`,
  ),
  'XOR over a list': writes(
    html => `[${xored(html, KEY).join(',')}].map(code => String.fromCharCode(code ^ ${KEY})).join('')`,
  ),
  'eval of a call': by(html => `eval(atob("${base64(`document.write(${singleQuoted(ascii(html))})`)}"))`),
  'code as text for setTimeout': by(html => `setTimeout(${quoted(`document.write(${singleQuoted(html)})`)}, 10)`),
}

const element = (id: string): string => `document.getElementById('${id}')`

const places: Table = {
  'innerHTML of the body': by(html => `document.body.innerHTML = ${decoded(html)}`),
  outerHTML: html =>
    plain(carrier(`<div id="root"></div>\n${script(`${element('root')}.outerHTML = ${decoded(html)}`)}`)),
  insertAdjacentHTML: by(html => `document.body.insertAdjacentHTML('beforeend', ${decoded(html)})`),
  createContextualFragment: by(
    html => `const drawn = document.createRange().createContextualFragment(${decoded(html)})
document.body.appendChild(drawn)`,
  ),
  'a shadow root': html =>
    plain(
      carrier(
        `<div id="root"></div>\n${script(`${element('root')}.attachShadow({ mode: 'open' }).innerHTML = ${decoded(html)}`)}`,
      ),
    ),
  'DOMParser and replaceChild': by(
    html => `const parsed = new DOMParser().parseFromString(${decoded(html)}, 'text/html')
document.replaceChild(parsed.documentElement, document.documentElement)`,
  ),
  'a template that is cloned': html =>
    plain(
      carrier(
        `<template id="page">${html}</template>\n${script(`document.body.appendChild(${element('page')}.content.cloneNode(true))`)}`,
      ),
    ),
  'text of a hidden text area': html =>
    plain(
      carrier(
        `<textarea id="page" hidden>${markupText(html)}</textarea>\n${script(`document.body.innerHTML = ${element('page')}.value`)}`,
      ),
    ),
  'text of a script element': html =>
    plain(
      carrier(
        `<script type="text/plain" id="page">${base64(html)}</script>\n${script(`document.write(atob(${element('page')}.textContent))`)}`,
      ),
    ),
  'a data attribute': html =>
    plain(
      carrier(
        `<div id="root" data-page="${base64(html)}"></div>\n${script(`document.write(atob(${element('root')}.dataset.page))`)}`,
      ),
    ),
  jQuery: html =>
    plain(
      carrier(
        script(`$(function () { $('body').html(decodeURIComponent("${encodeURIComponent(html)}")); });`),
        '<script src="https://code.jquery.com/jquery-3.7.1.min.js"></script>\n',
      ),
    ),
}

const FILLS = 'style="position:fixed;inset:0;width:100%;height:100%;border:0"'
const frame = (address: string): string => `<iframe ${FILLS} src="${markupText(address)}"></iframe>`

const documents: Table = {
  'srcdoc that a script sets': by(
    html => `const frame = document.createElement('iframe')
frame.style.cssText = 'position:fixed;inset:0;width:100%;height:100%;border:0'
frame.srcdoc = ${decoded(html)}
document.body.appendChild(frame)`,
  ),
  'the address of a blob': by(
    html => `const blob = new Blob([${decoded(html)}], { type: 'text/html' })
location.href = URL.createObjectURL(blob)`,
  ),
  'a data URL in a frame': html => plain(carrier(frame(`data:text/html;charset=utf-8,${encodeURIComponent(html)}`))),
  'a data URL in an object': html =>
    plain(carrier(`<object ${FILLS} type="text/html" data="data:text/html;base64,${base64(html)}"></object>`)),
  'SVG with a foreign object': html => ({ html: asSvg(html), content_type: 'image/svg+xml' }),
  XHTML: html => ({ html: asXhtml(html), content_type: 'application/xhtml+xml; charset=utf-8' }),
}

/** The part of the address after `#` that the encrypted page is opened with. It is not sent to the server. */
export const FRAGMENT = 'k7Qz'

function encrypted(html: string): string {
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(FRAGMENT).digest(), Buffer.alloc(16))
  return Buffer.concat([cipher.update(html, 'utf8'), cipher.final()]).toString('base64')
}

/** A number as WebAssembly writes it (LEB128). */
function leb128(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >> 7)]
}

const section = (id: number, content: readonly number[]): readonly number[] => [
  id,
  ...leb128(content.length),
  ...content,
]

/** A module of one memory, `m`, that starts with the octets. */
function wasmOf(octets: readonly number[]): string {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  const memory = section(5, [1, 0, 1])
  const exported = section(7, [1, 1, 0x6d, 2, 0])
  const data = section(11, [1, 0, 0x41, 0, 0x0b, ...leb128(octets.length), ...octets])
  return Buffer.from([...header, ...memory, ...exported, ...data]).toString('base64')
}

const running: Table = {
  'encryption with a key in the fragment': by(
    html => `const octets = Uint8Array.from(atob("${encrypted(html)}"), sign => sign.charCodeAt(0));
(async () => {
  const secret = new TextEncoder().encode(location.hash.slice(1));
  const digest = await crypto.subtle.digest('SHA-256', secret);
  const key = await crypto.subtle.importKey('raw', digest, 'AES-CBC', false, ['decrypt']);
  const page = await crypto.subtle.decrypt({ name: 'AES-CBC', iv: new Uint8Array(16) }, key, octets);
  document.open(); document.write(new TextDecoder().decode(page)); document.close();
})();`,
  ),
  'a page that is fetched': by(
    () => `fetch('https://cdn.qz3x-portal.net/p/1').then(answer => answer.text()).then(page => {
  document.open(); document.write(page); document.close();
});`,
  ),
  'a script of its own': () => plain(carrier('<div id="root"></div>\n<script src="/static/js/main.4f1c.js"></script>')),
  'pieces in an order that a date gives': by(html => {
    const [first = '', ...rest] = pieces(base64(html), 120)
    return `const parts = [${[...rest, first].map(quoted).join(',\n')}];
const day = new Date(0).getUTCDate();
document.write(atob(parts.slice(-day).concat(parts.slice(0, -day)).join('')));`
  }),
  'XOR with a key of the browser': by(
    html => `var key = 32 + navigator.language.length, page = '';
[${xored(html, 32 + 'en-US'.length).join(',')}].forEach(function (code) { page += String.fromCharCode(code ^ key); });
document.write(page);`,
  ),
  WebAssembly: by(
    html => `const module = Uint8Array.from(atob("${wasmOf(xored(html, KEY))}"), sign => sign.charCodeAt(0));
WebAssembly.instantiate(module).then(({ instance }) => {
  const octets = new Uint8Array(instance.exports.m.buffer, 0, ${ascii(html).length});
  document.open(); document.write(new TextDecoder().decode(octets.map(octet => octet ^ ${KEY}))); document.close();
});`,
  ),
}

const listed = (table: Table, seen: boolean): readonly Way[] =>
  Object.entries(table).map(([title, send]) => ({ title, seen, send }))

export const ways: readonly Way[] = [
  ...[encodings, places, documents].flatMap(table => listed(table, true)),
  ...listed(running, false),
]
