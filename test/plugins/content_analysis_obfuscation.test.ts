import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
    ['is text that another script decodes', 'document.write(unescape(page))', true],
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
