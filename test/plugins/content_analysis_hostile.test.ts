import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeProtected, findEmails } from '../../plugins/content_analysis/emails.ts'
import { findPhones } from '../../plugins/content_analysis/phones.ts'
import { profileOf } from '../../plugins/content_analysis/social.ts'
import { printable } from '../../src/base/printable.ts'
import type { Document } from '../../src/engine/plugin.ts'
import { parseRefresh } from '../../src/evidence/document/refresh.ts'
import { anyText, anyUrl, parts } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'
import { sampled } from '../sample.ts'
import { findingOf, linksTo, sectionOf } from './content_analysis_page.ts'

const SIZE = 2 * 1024 * 1024
const fill = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length)).slice(0, SIZE)

const everywhere = (text: string): Partial<Document> => ({
  title: text,
  lang: text,
  base: text,
  metas: ['refresh', 'description', 'og:title', 'content-language'].map(name => ({ name, content: text })),
  links: [{ rel: ['canonical'], href: text, hreflang: null, type: null }],
  anchors: linksTo(
    text,
    `mailto:${text}`,
    `tel:${text}`,
    `https://facebook.com/${text}`,
    `/cdn-cgi/l/email-protection#${text}`,
  ),
  iframes: [text],
  forms: [{ action: text, formactions: [text], method: text, inputs: ['password'] }],
  headings: [{ level: 1, text }],
  text,
  inline_scripts: [text],
})

describe('two megabytes of hostile markup end in time', () => {
  const units = parts(
    `
      @ a@ a@a. a.@ + +1 [ (at)(dot) % %E0 < &#0; _0x eval( location= atob( http:// https://x.com/ / ? # . 0;
      0;url= '
    `,
    'a@b.com ',
    '+49 ',
    '+4 (',
    ' ',
    '\t',
    '[ at ] ',
    '[[[ [  ',
    '\\x41',
    '0; url="',
    '\u202e',
    '\u0000',
    '\ud800',
    '😀',
    'é',
    '\u0301',
    'PаyPal ',
    'e\u0301',
  )
  for (const unit of sampled(units, 10)) {
    it(`of ${JSON.stringify(unit)}`, () => {
      const page = everywhere(fill(unit))
      // Each of ten places holds all of it, and is walked over some twenty times.
      assertCheap(() => findingOf(page), 100)
    })
  }

  it('of a hundred thousand addresses', () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `p${i}@example${i}.zz`).join(' ')
    assertCheap(() => findEmails({ anchors: [], text, cloaked_emails: [], json_ld: [] }))
  })

  it('of twenty thousand links', () => {
    const anchors = linksTo(
      ...Array.from({ length: 20_000 }, (_, i) => `https://n${i}.example${i % 99}.com/a/${i}?q#x`),
    )
    assertCheap(() => findingOf({ anchors }))
  })
})

describe('whatever the page holds', () => {
  const anything = fc.oneof(
    anyText({ maxLength: 200 }),
    fc
      .array(fc.constantFrom(...parts(`a @ . com [at] (dot) +49 1 mailto: %40 - ' /`, ' ', '\ud800')), {
        maxLength: 40,
      })
      .map(parts => parts.join('')),
  )

  it('is answered with a valid section and without an exception', () => {
    fc.assert(fc.property(anything, text => void sectionOf(everywhere(text))))
  })

  it('becomes text that is printable, well-formed and short', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 50 }), (text, max) => {
        const clean = printable(text, max)
        return clean.length <= max && !/[\p{Cc}\p{Cs}]/u.test(clean) && clean === clean.trim()
      }),
    )
  })

  it('yields addresses that are addresses', () => {
    fc.assert(
      fc.property(anything, text =>
        findEmails({ anchors: linksTo(`mailto:${text}`), text, cloaked_emails: [text], json_ld: [] }).every(
          email => email.length <= 254 && /^[\x21-\x7e]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(email),
        ),
      ),
    )
  })

  it('yields numbers that are numbers', () => {
    fc.assert(
      fc.property(anything, text =>
        findPhones({ anchors: linksTo(`tel:${text}`), text }).every(phone => /^\+?\d{3,15}$/.test(phone)),
      ),
    )
  })

  it('yields profiles on https', () => {
    fc.assert(
      fc.property(anyUrl(), href => {
        const profile = profileOf(href)
        return profile === null || profile.url.startsWith('https://')
      }),
    )
  })

  it('gives back every address that a CDN protects', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.integer({ min: 0, max: 255 }), (address, key) => {
        const octets = [key, ...Buffer.from(address).map(octet => octet ^ key)]
        const decoded = decodeProtected(Buffer.from(octets).toString('hex'))
        assert.equal(decoded?.toLowerCase(), address.toLowerCase())
      }),
    )
  })

  it('never breaks the reading of a refresh', () => {
    fc.assert(
      fc.property(anything, text => {
        const refresh = parseRefresh(text, 'https://example.com/')
        return refresh === null || (Number.isSafeInteger(refresh.seconds) && refresh.seconds >= 0)
      }),
    )
  })

  it('fits 32 KiB of JSON', () => {
    const wide = '\u{10ffff}'.repeat(1_000)
    const long = (i: number) => `${'a'.repeat(60)}${i}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(54)}.com`
    const section = sectionOf({
      ...everywhere(wide),
      metas: ['description', 'og:title', 'og:description', 'og:site_name'].map(name => ({ name, content: wide })),
      headings: Array.from({ length: 50 }, () => ({ level: 1, text: wide })),
      anchors: linksTo(
        ...Array.from({ length: 60 }, (_, i) => [
          `mailto:${long(i)}`,
          `https://x.com/${'n'.repeat(95)}${i}`,
          `tel:+4930${100_000 + i}`,
        ]).flat(),
      ),
      forms: Array.from({ length: 20 }, () => ({
        action: `/${'x'.repeat(1_000)}`,
        formactions: [],
        method: 'post',
        inputs: [],
      })),
    })
    assert.equal(section.emails?.length, 50)
    assert.ok(Buffer.byteLength(JSON.stringify(section)) <= 32 * 1024)
  })
})
