// What scripts write, read without running them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createScriptReader } from '../../src/evidence/document/script/script_reader.ts'
import type { Findings } from '../../src/evidence/document/script/writes.ts'
import { parts } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'

const FORM = '<form action="next"><input type="password"></form>'
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')
const percent = (text: string) =>
  Array.from(text, one => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
const codes = (text: string, change = (code: number) => code) => Array.from(text, one => change(one.charCodeAt(0)))
const xored = (text: string, key: number) => String.fromCharCode(...codes(text, code => code ^ key))
const hex = (text: string) => Array.from(text, one => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
const units = (text: string) =>
  Array.from(text, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const reversed = (text: string) => Array.from(text).reverse().join('')
const quoted = (text: string) => JSON.stringify(text)

function read(script: string, texts: Readonly<Record<string, string>> = {}): Findings {
  const textOf = (id: string, attribute: string | null) => texts[attribute === null ? id : `${id} ${attribute}`] ?? null
  const { writes, destinations } = createScriptReader({ textOf, cloned() {}, isNamed: () => false }).read(script)
  return { writes, destinations }
}

/** Scripts that write the form, with how, and how it was encoded. */
const seen: Readonly<Record<string, readonly [script: string, means: string, disguise: string | null]>> = {
  'plain text': [`document.write(${quoted(FORM)})`, 'document_write', null],
  'pieces in variables': [
    `var a='<form action="next">', b='<input type="password">'; document.write(a + b + '</form>')`,
    'document_write',
    null,
  ],
  'a text that grows': [
    `var h='<form action="next">'; h += '<input type="password">'; h += '</form>'; document.body.innerHTML = h`,
    'inner_html',
    null,
  ],
  'a joined list': [
    `document.writeln(['<form action="next">','<input type="password">','</form>'].join(''))`,
    'document_write',
    null,
  ],
  'a template literal': [
    ['const t = "password"; document.write(`<form action="next"><input type="$', '{t}"></form>`)'].join(''),
    'document_write',
    null,
  ],
  'names of members in brackets': [`window['document']['wri' + 'te'](${quoted(FORM)})`, 'document_write', null],
  base64: [`document.write(atob("${base64(FORM)}"))`, 'document_write', 'base64'],
  'base64 in a variable of a function': [
    `(function () { const page = '${base64(FORM)}'; const show = text => { document.body.innerHTML = window.atob(text) }; show(page) })()`,
    'inner_html',
    'base64',
  ],
  'base64 of UTF-8': [
    `document.write(decodeURIComponent(escape(atob("${base64(FORM)}"))))`,
    'document_write',
    'percent_encoding',
  ],
  'base64 by way of codes': [
    `document.write(decodeURIComponent(Array.prototype.map.call(atob("${base64(FORM)}"), function (c) { return '%' + ('00' + c.charCodeAt(0).toString(16)).slice(-2) }).join('')))`,
    'document_write',
    'percent_encoding',
  ],
  'base64 as octets': [
    `document.write(new TextDecoder().decode(Uint8Array.from(atob("${base64(FORM)}"), c => c.charCodeAt(0))))`,
    'document_write',
    'character_codes',
  ],
  'percent encoding': [`document.write(unescape("${percent(FORM)}"))`, 'document_write', 'percent_encoding'],
  'encoded URI components': [
    `document.write(decodeURIComponent("${percent(FORM)}"))`,
    'document_write',
    'percent_encoding',
  ],
  'two encodings': [`document.write(unescape(atob("${base64(percent(FORM))}")))`, 'document_write', 'percent_encoding'],
  'character codes': [`document.write(String.fromCharCode(${codes(FORM)}))`, 'document_write', 'character_codes'],
  'applied character codes': [
    `document.write(String.fromCharCode.apply(null, [${codes(FORM)}]))`,
    'document_write',
    'character_codes',
  ],
  'spread character codes': [
    `document.write(String.fromCodePoint(...[${codes(FORM)}]))`,
    'document_write',
    'character_codes',
  ],
  'octal of hexadecimal escapes': [`document.write("${hex(FORM)}")`, 'document_write', 'escapes'],
  'escapes of code units': [`document.write("${units(FORM)}")`, 'document_write', 'escapes'],
  'reversed text': [
    `document.write(${quoted(reversed(FORM))}.split('').reverse().join(''))`,
    'document_write',
    'reversal',
  ],
  'exclusive or in a loop': [
    `var s = atob("${base64(xored(FORM, 7))}"), o = ''; for (var i = 0; i < s.length; i++) { o += String.fromCharCode(s.charCodeAt(i) ^ 7) } document.write(o)`,
    'document_write',
    'character_codes',
  ],
  'exclusive or over a function': [
    `function d(s, k) { var o = ''; for (var i = 0; i < s.length; i++) o += String.fromCharCode(s.charCodeAt(i) ^ k.charCodeAt(i % k.length)); return o } document.write(d("${hex(xored(FORM, 49))}", "1"))`,
    'document_write',
    'character_codes',
  ],
  'a loop that counts down': [
    `var a = ${quoted(reversed(FORM))}, o = ''; for (let i = a.length - 1; i >= 0; i--) o += a[i]; document.write(o)`,
    'document_write',
    null,
  ],
  'a script in a script': [`eval(atob("${base64(`document.write('${FORM}')`)}"))`, 'document_write', 'base64'],
  'a made function': [`new Function(atob("${base64(`document.write('${FORM}')`)}"))`, 'document_write', 'base64'],
  'text that runs later': [
    `setTimeout("document.write('${FORM.replaceAll('"', '\\"')}')", 100)`,
    'document_write',
    null,
  ],
  'a function that runs when the page is there': [
    `document.addEventListener('DOMContentLoaded', function () { document.body.innerHTML = atob('${base64(FORM)}') })`,
    'inner_html',
    'base64',
  ],
  'a handler of load': [
    `window.onload = () => document.body.insertAdjacentHTML('beforeend', ${quoted(FORM)})`,
    'adjacent_html',
    null,
  ],
  'a fragment': [
    `document.body.append(document.createRange().createContextualFragment(${quoted(FORM)}))`,
    'fragment',
    null,
  ],
  'a parsed document': [
    `document.replaceChild(new DOMParser().parseFromString(${quoted(FORM)}, 'text/html').documentElement, document.documentElement)`,
    'fragment',
    null,
  ],
  'the outside of an element': [`document.documentElement.outerHTML = ${quoted(FORM)}`, 'outer_html', null],
  'the document of a frame': [
    `var f = document.createElement('iframe'); f.srcdoc = ${quoted(FORM)}; document.body.appendChild(f)`,
    'srcdoc',
    null,
  ],
  'an attribute of a frame': [`f.setAttribute('srcdoc', ${quoted(FORM)})`, 'srcdoc', null],
  'a data URL': [`f.src = 'data:text/html;base64,${base64(FORM)}'`, 'data_url', null],
  'a blob': [
    `location = URL.createObjectURL(new Blob([atob("${base64(FORM)}")], { type: 'text/html' }))`,
    'blob',
    'base64',
  ],
  jQuery: [`$('body').html(decodeURIComponent("${percent(FORM)}"))`, 'jquery', 'percent_encoding'],
  'markup that jQuery makes an element of': [`$(function () { $('body').append(${quoted(FORM)}) })`, 'jquery', null],
  'a condition that is not known': [
    `if (navigator.language) { document.write(${quoted(FORM)}) } else { go() }`,
    'document_write',
    null,
  ],
}

/** Scripts that write something else, nothing, or what cannot be read. */
const others: Readonly<Record<string, readonly [script: string, found: Partial<Findings>]>> = {
  'parts that are not known are left out': [
    `document.write(unescape("%3Cscript src='" + host + "stats.js'%3E%3C/script%3E"))`,
    { writes: [{ means: 'document_write', disguise: 'percent_encoding', markup: "<script src='stats.js'></script>" }] },
  ],
  'what depends on the address is disguised and cannot be read': [
    'document.write(atob(location.hash.slice(1)))',
    { writes: [{ means: 'document_write', disguise: 'base64', markup: null }] },
  ],
  'what a function of another script gives cannot be read': [
    `document.write(CryptoJS.AES.decrypt("${base64(FORM.repeat(4))}", key).toString(CryptoJS.enc.Utf8))`,
    { writes: [{ means: 'document_write', disguise: 'ciphertext', markup: null }] },
  ],
  'a function that waits for a click writes nothing': [
    `button.onclick = function () { document.write('<b>') }`,
    { writes: [] },
  ],
  'a function that nobody calls writes nothing': [`function printed() { w.document.write('<b>') }`, { writes: [] }],
  'a script with a syntax error does nothing': [`document.write('<b>'`, { writes: [] }],
  'a constant address is a destination': [
    `location.href = atob('${base64('https://b.example/x')}')`,
    { destinations: [{ url: 'https://b.example/x', seconds: 0 }] },
  ],
  'a destination behind timers is as late as they are': [
    `var wait = 2500; setTimeout(function () { setTimeout(() => location.replace('/x'), 500) }, wait)`,
    { destinations: [{ url: '/x', seconds: 3 }] },
  ],
  'a destination in the text of a timer is as late as the timer': [
    `setTimeout("location.href='/x'", 4000); location.href = '/y'`,
    {
      destinations: [
        { url: '/x', seconds: 4 },
        { url: '/y', seconds: 0 },
      ],
    },
  ],
  'an address of parts that are not known is none': [
    `location.replace('https://' + host + '/x')`,
    { destinations: [] },
  ],
}

/** The longest of each that is followed, nearly. */
const LONG_TEXT = 'var s = "a".repeat(500000);'
const LONG_LIST = `${LONG_TEXT} var a = s.slice(0, 250000).split('');`

/** Scripts that cost much where steps, depth, tokens or characters are not bounded. */
const hostile: Readonly<Record<string, string>> = {
  'an endless loop': 'while (1) { var s = "<form>"; s += s } document.write(s)',
  'text that doubles': 'var s = "<form>"; for (var i = 0; i < 99999; i++) s += s; document.write(s)',
  'a list that doubles':
    'var a = ["<form>"]; for (var i = 0; i < 99999; i++) a = a.concat(a); document.write(a.join(""))',
  'repeated text': 'document.write("<form>".repeat(1e9)); document.write("<form>".padEnd(1e9))',
  'replacements that grow': `var s = "${'a'.repeat(1_000)}<b>"; for (var i = 0; i < 9; i++) s = s.replace(/a/g, "aaaaaaaaaaaaaaaa"); document.write(s)`,
  'a function that calls itself': 'function f(x) { return f(x + "<form>") + f(x) } document.write(f(""))',
  'functions that call each other': 'var f = x => g(x) + g(x), g = x => f(x) + f(x); document.write(f("<form>"))',
  'a function that calls itself in what may be left out':
    'function f(n) { for (var i = 0; i < n.children.length; i++) f(n.children[i]); if (n.shadow) f(n.shadow) } f(document); document.body.innerHTML = atob("PGI+")',
  'deep brackets': `document.write("<form>" + ${'('.repeat(50_000)}1${')'.repeat(50_000)})`,
  'deep lists': `document.write("<form>" + ${'['.repeat(50_000)}1${']'.repeat(50_000)})`,
  'a long sum': `document.write("<form>" + ${Array(20_000).fill('1').join('+')})`,
  'deep functions': `document.write("<form>"); ${'(function(){'.repeat(5_000)}${'})()'.repeat(5_000)}`,
  'a long list that is turned round': `${LONG_LIST} while (1) a.reverse(); document.write("<form>")`,
  'a long list that is joined': `${LONG_LIST} while (1) a + ''; document.write("<form>")`,
  'a long text that is searched': `${LONG_TEXT} while (1) s.indexOf('b'); document.write("<form>")`,
  'a long text that is replaced': `${LONG_TEXT} while (1) s.replace('b', 'c'); document.write("<form>")`,
  'a long text that is decoded': `${LONG_TEXT} while (1) unescape(s); document.write("<form>")`,
  'a long text that is compared': `${LONG_TEXT} var t = s + 'b'; while (1) s == t; document.write("<form>")`,
  'a long text that is a number': `${LONG_TEXT} while (1) s - 1; document.write("<form>")`,
  'a long text that is repeated': `${LONG_TEXT} while (1) 'ab'.repeat(200000); document.write("<form>")`,
  'a function with many arguments': `${LONG_LIST} function f() {} while (1) f.apply(null, a); document.write("<form>")`,
  'many arguments that are spread': `${LONG_TEXT} function f() {} while (1) f(...s); document.write("<form>")`,
  'a long list as the name of a member': `${LONG_LIST} var o = {}; while (1) o[a]; document.write("<form>")`,
  'a long text as the name of a member': `${LONG_TEXT} var o = {}; while (1) { o[s + o.x] = 1 } document.write("<form>")`,
  'lists in lists in lists': 'var a = ["<form>"]; for (var i = 0; i < 60; i++) a = [a, a]; while (1) document.write(a)',
  'a list in itself': 'var a = ["<form>"]; a.push(a); while (1) document.write(a); document.write(a + a)',
  'a list of long texts': `${LONG_TEXT} var a = []; for (var i = 0; i < 9999; i++) a.push(s); while (1) a.join(''); document.write("<form>")`,
  'a blob of long texts': `${LONG_TEXT} var a = []; for (var i = 0; i < 9999; i++) a.push(s); while (1) new Blob(a); document.write("<form>")`,
  'a sum of long texts': `${LONG_TEXT} while (1) s.concat(s, s, s, s); document.write("<form>")`,
  'a template of long texts': [
    'var s = "a".repeat(100000); while (1) `$',
    '{s}$',
    '{s}$',
    '{s}`; document.write("<form>")',
  ].join(''),
  'a record of many members': `var o = {}; for (var i = 0; i < 20000; i++) o['x' + i] = 1; while (1) for (var k in o) break; document.write("<form>")`,
  'a long text whose characters are walked over': `${LONG_TEXT} while (1) for (var c of s) break; document.write("<form>")`,
  'a long text that is parsed as JSON': `var s = '[' + '1,'.repeat(250000) + '1]'; while (1) JSON.parse(s); document.write("<form>")`,
  'a long text that is written': `${LONG_TEXT} while (1) document.body.innerHTML = s; document.write("<form>")`,
  'decoders that are called for each of many long texts': `var s = 'a'.repeat(4e5), a = [s]; for (var i = 0; i < 12; i++) a = a.concat(a); a.map(unescape).map(decodeURI); document.write(a, "<form>")`,
  'a decoder that is called for each item': `var s = 'a'.repeat(4e5), a = [s]; for (var i = 0; i < 10; i++) a = a.concat(a); a.forEach(unescape); document.write("<form>")`,
  'a long text that is looked for': `var s = 'a'.repeat(2e5), t = 'ab' + 'a'.repeat(2e4); while (1) s.indexOf(t); document.write("<form>")`,
  'replacements by what stands before': `while (1) 'a'.repeat(2e4).replace(/a/g, '$\`'); document.write("<form>")`,
  'blobs of what is not known': `while (1) new Blob(['\ufffc'.repeat(5e5)], { type: 'text/html' }); document.write("<form>")`,
  'octets that are long texts': `${LONG_TEXT} var a = []; for (var i = 0; i < 256; i++) a.push(s); while (1) new TextDecoder().decode(a); document.write("<form>")`,
  'a text that is split into too many': `${LONG_TEXT} while (1) s.split(''); document.write("<form>")`,
  'a text that matches too often': `${LONG_TEXT} while (1) s.match(/./g); document.write("<form>")`,
  'a long text that is escaped': `var s = '<'.repeat(500000); while (1) escape(s); document.write("<form>")`,
  'characters that are dropped': `${LONG_TEXT} while (1) s.replace(/a/g, ''); document.write("<form>")`,
  'scripts that run again and again': `while (1) setTimeout(unescape('%20')); document.write("<form>")`,
  'lists in JSON': `var s = '['.repeat(8000) + ']'.repeat(8000); while (1) JSON.parse(s); document.write("<form>")`,
  'a text that is read while it grows': `${LONG_TEXT} while (1) { s = s.slice(1) + 'a'; s.charCodeAt(0) } document.write("<form>")`,
  'names in nested blocks': `document.write(atob("PGI+"));${'{var a;'.repeat(900)}${'}'.repeat(900)}`,
  'many names': `document.write(atob("PGI+"));${Array.from({ length: 3_000 }, (_, at) => `let a${at}`).join(';')}`,
  'many named groups': `document.write(atob("PGI+"));/${Array.from({ length: 4_000 }, (_, at) => `(?<a${at}>)`).join('')}/`,
  'many statements': 'document.write("<form>");'.repeat(20_000),
  'an expensive pattern': `document.write("<form>" + "${'a'.repeat(5_000)}".replace(/(a+)+$/, ''))`,
  'scripts in scripts': `var s = "document.write('<form>');eval(s);eval(s)"; eval(s)`,
  'a script too long to parse': `var x = [${Array(200_000).fill('1').join()}]; document.write(atob("PGI+"))`,
}

const fragments = parts(
  `
    document.write( atob( unescape( eval( } ) ( "<a>" 'PGI+' x = + += ; for(i=0;i<9;i++) while(1) .split("")
    .reverse() .join("") [ ] , => if(x) .map( .replace(/a/g, String.fromCharCode( document.body.innerHTML= 60
    .toString() .constructor( .__proto__= .hasOwnProperty(
  `,
  'function f(a){',
  'new ',
  'return ',
  'else ',
  '`<a>$' + '{x}`',
  '...',
  '{',
  '/*',
  '*/',
  '\n',
)

describe('markup that a script writes', () => {
  for (const [what, [script, means, disguise]] of Object.entries(seen)) {
    it(`is read from ${what}`, () => {
      assert.deepEqual(read(script), { writes: [{ means, disguise, markup: FORM }], destinations: [] })
    })
  }

  it('is read from elements of the page', () => {
    const texts = { x: FORM, 'y data-page': base64(FORM), 'z value': FORM }
    const script = `document.write(document.getElementById('x').textContent)
      document.write(atob(document.querySelector('#y').dataset.page))
      document.write(document.getElementById('z').value)`
    assert.deepEqual(
      read(script, texts).writes.map(({ markup }) => markup),
      [FORM, FORM, FORM],
    )
  })

  const long = FORM + 'x'.repeat(20_000)
  for (const [what, script] of Object.entries({
    'a function':
      'function at(s, i) { return s.charCodeAt(i) ^ 7 } for (; i < s.length; i++) o += String.fromCharCode(at(s, i))',
    'a member':
      'var d = { at: function (s, i) { return s.charCodeAt(i) ^ 7 } }; for (; i < s.length; i++) o += String.fromCharCode(d.at(s, i))',
  }))
    it(`is read from a long text that is given to ${what} for each character`, () => {
      const { writes } = read(`var s = atob("${base64(xored(long, 7))}"), o = '', i = 0; ${script}; document.write(o)`)
      assert.equal(writes[0]?.markup, long)
    })

  it('is read from long JSON', () => {
    const { writes } = read(`document.write(JSON.parse(${quoted(JSON.stringify({ page: long }))}).page)`)
    assert.equal(writes[0]?.markup, long)
  })

  it('is followed past a function that calls itself in what may be left out', () => {
    const walk =
      'function f(n) { if (n.shadow) f(n.shadow); for (var i = 0; i < n.children.length; i++) f(n.children[i]) }'
    const { writes } = read(`${walk} f(document); document.write(unescape("${percent(FORM)}"))`)
    assert.equal(writes[0]?.markup, FORM)
  })

  it('is followed into a function that calls itself as long as it must', () => {
    const decode = 'function f(c) { return c.length ? String.fromCharCode(c[0]) + f(c.slice(1)) : "" }'
    const codes = [...FORM.slice(0, 30)].map(one => one.charCodeAt(0))
    assert.equal(read(`${decode} document.write(f([${codes}]))`).writes[0]?.markup, FORM.slice(0, 30))
  })

  it('is followed over the scripts of a page', () => {
    const reader = createScriptReader({ textOf: () => null, cloned() {}, isNamed: () => false })
    assert.deepEqual(reader.read(`var page = "${percent(FORM)}"`).writes, [])
    assert.equal(reader.read('document.write(unescape(page))').writes[0]?.markup, FORM)
  })
})

describe('a script of which', () => {
  for (const [what, [script, found]] of Object.entries(others)) {
    it(what, () => assert.deepEqual(read(script), { writes: [], destinations: [], ...found }))
  }
})

describe('a hostile script', () => {
  for (const [what, script] of Object.entries(hostile)) {
    it(`costs little: ${what}`, () => assertCheap(() => read(script)))
  }

  it('is read without an exception, and writes no more than it may', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...fragments), { maxLength: 40 }), parts => {
        const { writes } = read(parts.join(' '))
        for (const { markup } of writes) assert.ok((markup ?? '').length <= 512 * 1024, 'bounded')
      }),
      { numRuns: 2_000 },
    )
  })
})
