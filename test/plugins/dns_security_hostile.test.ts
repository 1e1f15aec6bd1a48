// Whatever a zone says, the section keeps to its schema, is printable and well-formed, and the same each time.
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { served, type Zone } from '../evidence/mail_zone.ts'
import { find } from './dns_security_checked.ts'

const octets = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code)),
  maxLength: 200,
})
const opening = fc.constantFrom('v=spf1 ', 'v=DMARC1;', 'v=STSv1;', 'v=TLSRPTv1;', 'v=BIMI1;', '')
const piece = fc.constantFrom(
  ' include:example.com',
  ' a:x.example.com',
  ' mx',
  ' ?all',
  ' exists:%{d2r}.com',
  'p=reject;',
  'rua=mailto:a@b.example,',
  'id=1;',
  'l=https://\ud83d\ude00;',
  '%',
  '\u0000',
)
const text = fc
  .tuple(opening, fc.array(fc.oneof(piece, octets), { maxLength: 6 }))
  .map(([v, rest]) => v + rest.join(''))
const exchange = fc.oneof(octets, fc.constantFrom('', '10.0.0.1', '::1', 'mx.example.com', 'x'.repeat(300)))
const records = fc.record({
  TXT: fc.array(text, { maxLength: 3 }),
  MX: fc.array(fc.record({ preference: fc.nat(65_535), exchange }), { maxLength: 4 }),
  A: fc.array(fc.constantFrom('10.0.0.1', '192.0.2.1'), { maxLength: 2 }),
})
const names = ['', 'x.', 'mx.', '_dmarc.', '_mta-sts.', '_smtp._tls.', 'default._bimi.'].map(
  label => `${label}example.com`,
)
const zones: fc.Arbitrary<Zone> = fc
  .tuple(...names.map(() => fc.option(records, { nil: undefined })))
  .map(all => Object.fromEntries(names.flatMap((name, index) => (all[index] ? [[name, all[index]]] : []))))

test('a hostile zone gives a valid, printable and deterministic section', async () => {
  await fc.assert(
    fc.asyncProperty(zones, octets, async (zone, body) => {
      const finding = await find('example.com', zone, { fetched: served(body) })
      const printed = JSON.stringify(finding)
      ok(!/[\p{Cc}\p{Cs}]/u.test(printed) && !/\\u00[01]|\\u[dD][89a-fA-F]/.test(printed))
      const reversed = Object.fromEntries(
        Object.entries(zone).map(([name, { TXT = [] }]) => [name, { ...zone[name], TXT: [...TXT].reverse() }]),
      )
      deepEqual(JSON.stringify(await find('example.com', reversed, { fetched: served(body) })), printed)
    }),
  )
})
