import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { findObfuscation } from '../../plugins/content_analysis/obfuscation.ts'

const escaped = (text: string): string =>
  [...text].map(one => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')

describe('an obfuscated script', () => {
  const cases: readonly [what: string, script: string, hidden: boolean][] = [
    [
      'is not a counter that escapes its angle brackets',
      `document.write(unescape("%3Cscript src='" + host + "/ga.js' type='text/javascript'%3E%3C/script%3E"))`,
      false,
    ],
    [
      'is not a disguised address of mail',
      `document.write(unescape('${escaped('<a href="mailto:info@example.com">mail</a>')}'))`,
      false,
    ],
    [
      'is a form that is written encoded',
      `document.write(unescape('${escaped('<form action=next.php><input type=password>')}'))`,
      true,
    ],
    ['is not what a function is given', 'function run(code) { eval(unescape(code)) }', false],
    ['is what a function returns', 'document.write(unescape(reverse(page)))', true],
    ['is text that is decoded twice', 'document.write(unescape(atob(page)))', true],
    [
      'is a name that encoded text is assigned to',
      `var page = '${escaped('<form action=next.php>')}'; document.write(unescape(page))`,
      true,
    ],
    [
      'is not a name that a counter is assigned to',
      `var a = '%3Cscript ', b = '%3E'; document.write(unescape(a + 'src="/count.js"' + b))`,
      false,
    ],
    [
      'is not a counter within a string',
      String.raw`write("document.write(unescape(\"%3Cscript src='/ga.js'%3E%3C/script%3E\"))")`,
      false,
    ],
    ['is not text whose signs are escaped', String.raw`a('\x26\x3d\x22\x27');`.repeat(100), false],
    ['is text whose letters are escaped', String.raw`a('\x61\x6c\x65\x72');`.repeat(100), true],
    ['is encoded code that is run', "eval(unescape('%61%6c%65%72%74'))", true],
    [
      'is encoded text behind a counter',
      `document.write(unescape("%3Cscript%3E")); document.write(unescape('${escaped('<form action=next.php>')}'))`,
      true,
    ],
  ]
  for (const [what, script, hidden] of cases) {
    it(what, () => assert.equal(findObfuscation([script]).code !== null, hidden))
  }
})

describe('text that a script decodes and runs or writes', () => {
  const codes = (text: string) => [...text].map(one => one.charCodeAt(0)).join(',')
  const ways: readonly ((text: string) => string)[] = [
    text => `document.write(unescape("${escaped(text)}"))`,
    text => `document.writeln(decodeURIComponent('${escaped(text)}'))`,
    text => `eval(unescape('${escaped(`document.write('${text}')`)}'))`,
    text => `eval(window.decodeURIComponent('${escaped(`document.write('${text}')`)}'))`,
    text => `document.write(String.fromCharCode(${codes(text)}))`,
    text => `eval(String.fromCharCode(${codes(`document.write('${text}')`)}))`,
    text => `var text = "${escaped(text)}"; document.write(unescape(text))`,
  ]
  const word = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 3, maxLength: 12 })
  const written = fc.tuple(word, word, fc.constantFrom(...ways))

  it('is hidden from nobody if it links to an address of mail', () => {
    fc.assert(
      fc.property(written, ([name, host, way]) => {
        const script = way(`<a href="mailto:${name}@${host}.example">${name}</a>`)
        assert.equal(findObfuscation([script]).code, null)
      }),
    )
  })

  it('is hidden if it asks, frames or runs something, whatever address of mail is beside it', () => {
    const harm = fc.constantFrom(
      '<form action=next.php>',
      '<iframe src=/step/two.php>',
      '<script src=//x.example/a.js></script>',
    )
    fc.assert(
      fc.property(written, harm, fc.boolean(), ([name, host, way], tag, beside) => {
        const script = way(beside ? `<a href="mailto:${name}@${host}.example">${tag}</a>` : tag)
        assert.notEqual(findObfuscation([script]).code, null)
      }),
    )
  })
})

describe('an obfuscated redirect', () => {
  const cases: readonly [what: string, script: string, hidden: boolean][] = [
    ['goes to an encoded literal', "location = atob('aHR0cHM6Ly9vdGhlci5uZXQ=')", true],
    ['goes to a name that an encoded literal is assigned to', "const u = 'aHR0cA=='; location.href = atob(u)", true],
    ['goes to parts of encoded literals', "var $p = ['aHR0', 'cA==']; location.replace(atob($p.join('')))", true],
    ['goes to what its own URL says', 'location = atob(window.location.hash.slice(1))', true],
    ['goes to character codes', 'location.href = String.fromCharCode(104, 116, 116, 112)', true],
    ['goes to escaped letters', `location = unescape('${escaped('https://other.net')}')`, true],
    ['goes to an address in its second place', "function f(u) { location = atob(u) } location = atob('aHR0')", true],
    ['is not a function that is given an address', 'function go(link) { location.href = atob(link) }', false],
    ['is not an address that a function returns', "location.href = unescape(param('u'))", false],
    ['is not an address whose colon and slashes are escaped', "location = unescape('https%3A%2F%2Fother.net')", false],
    ['is not a name that ends in another name', "menu = 'aHR0cA=='; function go(u) { location = atob(u) }", false],
  ]
  for (const [what, script, hidden] of cases) {
    it(what, () => assert.equal(findObfuscation([script]).redirect !== null, hidden))
  }
})
