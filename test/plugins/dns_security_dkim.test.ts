// DKIM (RFC 6376): which selectors are asked for, and what receivers can do with what they hold.
import { deepEqual } from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { gatherMail, type Zone } from '../evidence/mail_zone.ts'
import { check, healthy as signing } from './dns_security_checked.ts'

const { 'default._domainkey.example.com': _, ...healthy } = signing

const rsa = (bits: number, type: 'spki' | 'pkcs1' = 'spki') =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ type, format: 'der' }).toString('base64')
const keys = { 512: rsa(512), 1024: rsa(1024), 2048: rsa(2048), bare: rsa(2048, 'pkcs1') }
const ed25519 = Buffer.alloc(32, 7).toString('base64')
const sound = `v=DKIM1; k=rsa; p=${keys[2048]}`

const at = (selector: string) => `${selector}._domainkey.example.com`
const zoneOf = (texts: Readonly<Record<string, readonly string[]>>): Zone => ({
  ...healthy,
  ...Object.fromEntries(Object.entries(texts).map(([selector, TXT]) => [at(selector), { TXT }])),
})
const dkimCodes = (codes: readonly string[]) => codes.filter(code => /dkim/.test(code))

describe('a DKIM record', () => {
  type Row = readonly [what: string, texts: readonly string[], status: string, codes: readonly string[]]
  const rows: readonly Row[] = [
    ['with a key of 2048 bits', [sound], 'valid', []],
    ['without a version', [`k=rsa; p=${keys[2048]}`], 'valid', []],
    ['with nothing but a key', [`p=${keys[2048]}`], 'valid', []],
    ['with a key that white space folds', [`v=DKIM1; p=${keys[2048].replace(/.{60}/g, '$& ')}`], 'valid', []],
    ['with a bare key', [`v=DKIM1; p=${keys.bare}`], 'valid', []],
    ['with a tag that nobody knows', [`${sound}; x=y`], 'valid', []],
    ['with a key of Ed25519', [`v=DKIM1; k=ed25519; p=${ed25519}`], 'valid', []],
    ['for e-mail among others', [`v=DKIM1; s=tlsrpt:email; p=${keys[2048]}`], 'valid', []],
    ['with a key of 1024 bits', [`v=DKIM1; p=${keys[1024]}`], 'valid', ['dkim_short_key']],
    ['in test mode', [`v=DKIM1; t=y:s; p=${keys[2048]}`], 'valid', ['dkim_testing']],
    ['for the name alone', [`v=DKIM1; t=s; p=${keys[2048]}`], 'valid', []],
    ['with a key of 512 bits', [`v=DKIM1; p=${keys[512]}`], 'invalid', ['dkim_invalid_key']],
    ['of a revoked key', ['v=DKIM1; k=rsa; p='], 'revoked', ['dkim_revoked_key']],
    ['without a key', ['v=DKIM1; k=rsa'], 'invalid', ['dkim_invalid_key']],
    ['with a key that is no base64', ['v=DKIM1; p=not a key!'], 'invalid', ['dkim_invalid_key']],
    ['with a key that is cut', [`v=DKIM1; p=${keys[2048].slice(0, 100)}`], 'invalid', ['dkim_invalid_key']],
    ['with a key of a kind that nobody knows', [`v=DKIM1; k=dsa; p=${keys[2048]}`], 'invalid', ['dkim_invalid_key']],
    [
      'with a key of Ed25519 that is no such key',
      [`v=DKIM1; k=ed25519; p=${keys[2048]}`],
      'invalid',
      ['dkim_invalid_key'],
    ],
    ['with a key twice', [`v=DKIM1; p=${keys[2048]}; p=${keys[1024]}`], 'invalid', ['dkim_invalid_key']],
    ['with text that is no tag', [`v=DKIM1; p=${keys[2048]}; junk`], 'invalid', ['dkim_invalid_key']],
    ['of another version', [`v=DKIM2; p=${keys[2048]}`], 'invalid', ['dkim_invalid_key']],
    ['whose version is not first', [`p=${keys[2048]}; v=DKIM1`], 'invalid', ['dkim_invalid_key']],
    ['for SHA-1 alone', [`v=DKIM1; h=sha1; p=${keys[2048]}`], 'invalid', ['dkim_invalid_key']],
    ['for another service', [`v=DKIM1; s=tlsrpt; p=${keys[2048]}`], 'invalid', ['dkim_invalid_key']],
    ['beside a second one', [sound, `v=DKIM1; p=${keys[1024]}`], 'invalid', ['dkim_invalid_key']],
    ['beside another text', [sound, 'google-site-verification=x'], 'valid', []],
  ]
  for (const [what, texts, status, codes] of rows)
    it(`${what} is ${status}`, async () => {
      const { section, codes: found } = await check('example.com', zoneOf({ google: texts }))
      deepEqual([section.dkim.keys?.map(key => key.status), dkimCodes(found)], [[status], codes])
      deepEqual(section.dkim.status, status === 'valid' ? 'valid' : 'invalid')
    })

  it('is described with its key', async () => {
    const { section } = await check('example.com', zoneOf({ s1: [`v=DKIM1; t=y; p=${keys[1024]}`] }))
    deepEqual(section.dkim.keys, [
      { selector: 's1', status: 'valid', type: 'rsa', bits: 1024, testing: true, alias: null },
    ])
  })
})

describe('the DKIM of a name', () => {
  const wildcard = (name: string): Zone => {
    const answers = (key: string) => key.endsWith(`.${name}`)
    return new Proxy(healthy, {
      getOwnPropertyDescriptor: (zone, key) =>
        answers(String(key)) && !Object.hasOwn(zone, key)
          ? { configurable: true, enumerable: true, value: { TXT: [sound] } }
          : Object.getOwnPropertyDescriptor(zone, key),
      get: (zone, key) => (answers(String(key)) && !Object.hasOwn(zone, key) ? { TXT: [sound] } : zone[String(key)]),
    })
  }
  type Row = readonly [
    what: string,
    zone: Zone,
    status: string,
    selectors: readonly string[] | null,
    unknown: string | null,
  ]
  const provider = { 'k.mail.example': { TXT: [sound] } }
  const rows: readonly Row[] = [
    ['without a name below _domainkey', healthy, 'missing', [], null],
    ['with one well-known selector', zoneOf({ selector1: [sound] }), 'valid', ['selector1 valid'], null],
    ['with several', zoneOf({ k1: [sound], s1: ['p='] }), 'valid', ['k1 valid', 's1 revoked'], null],
    ['with revoked keys alone', zoneOf({ k1: ['v=DKIM1; p='] }), 'invalid', ['k1 revoked'], null],
    ['with a selector of its own invention', zoneOf({ 'x-2026': [sound] }), 'unlisted', [], null],
    [
      'with a key of its mail service',
      { ...healthy, ...provider, [at('google')]: { CNAME: ['k.mail.example'] } },
      'valid',
      ['google valid'],
      null,
    ],
    [
      'with an alias that leads nowhere',
      { ...healthy, [at('k1')]: { CNAME: ['gone.mail.example'] } },
      'invalid',
      ['k1 dangling'],
      null,
    ],
    ['where every name has a text', wildcard('example.com'), 'unknown', null, null],
    [
      'where the first question is not answered',
      { ...healthy, '_domainkey.example.com': { fails: 'timeout' } },
      'unknown',
      null,
      'timeout',
    ],
    [
      'where a selector is not answered',
      { ...zoneOf({ 'x-2026': [sound] }), [at('google')]: { fails: 'servfail' } },
      'unknown',
      ['google unknown'],
      'servfail',
    ],
    [
      'where a selector is not answered, and another has a key',
      { ...zoneOf({ k1: [sound] }), [at('google')]: { fails: 'servfail' } },
      'valid',
      ['google unknown', 'k1 valid'],
      'servfail',
    ],
    [
      'whose server denies no name',
      { ...zoneOf({ 'x-2026': [sound] }), [at('no-such-selector')]: { A: ['192.0.2.1'] } },
      'unknown',
      null,
      null,
    ],
  ]
  for (const [what, zone, status, selectors, unknown] of rows)
    it(`${what} is ${status}`, async () => {
      const checked = await check('example.com', zone)
      const { dkim } = checked.section
      deepEqual(
        [dkim.status, dkim.keys?.map(key => `${key.selector} ${key.status}`) ?? null, checked.unknown],
        [status, selectors, unknown],
      )
    })

  it('is worth an issue where a name with mail servers has no keys', async () => {
    deepEqual(dkimCodes((await check('example.com', healthy)).codes), ['missing_dkim_keys'])
    const { [`example.com`]: own, ...rest } = healthy
    const silent = { ...rest, 'example.com': { ...own, MX: [] } }
    deepEqual(dkimCodes((await check('example.com', silent)).codes), [])
  })

  it('names the aliases', async () => {
    const { section } = await check('example.com', {
      ...healthy,
      ...provider,
      [at('s1')]: { CNAME: ['k.mail.example'] },
    })
    deepEqual(
      section.dkim.keys?.map(({ alias }) => alias),
      ['k.mail.example'],
    )
  })

  it('costs one question where there are no keys, and 21 more where there are', async () => {
    const asked = async (zone: Zone) =>
      (await gatherMail('example.com', zone)).questions.filter(question => /_domainkey/.test(question)).length
    deepEqual([await asked(healthy), await asked(zoneOf({ k1: [sound] }))], [1, 22])
  })
})
