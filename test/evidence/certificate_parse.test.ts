import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { rootCertificates } from 'node:tls'
import fc from 'fast-check'
import { type ParsedCertificate, parseCertificate } from '../../src/evidence/tls/certificate.ts'
import { implicit, octets, oid, sequence } from '../../src/testing/der.ts'
import {
  type CertificateOptions,
  createAuthority,
  extension,
  type KeyKind,
  selfSign,
} from '../../src/testing/lab_ca.ts'

const der = (pem: string): Buffer => new X509Certificate(pem).raw
const root = createAuthority()

function facts(options: CertificateOptions): ParsedCertificate['facts'] {
  const [leaf = ''] = root.issue(options).chain
  const parsed = parseCertificate(der(leaf))
  assert.ok(parsed !== null)
  return parsed.facts
}

const rawNames = (...entries: readonly Buffer[]) => sequence(oid('2.5.29.17'), octets(sequence(...entries)))

describe('the fields of a certificate', () => {
  it('an ordinary certificate is described completely', () => {
    const found = facts({
      names: ['shop.test', '*.Shop.test'],
      ips: ['192.0.2.7', '2001:db8::7'],
      subject: [
        ['C', 'DE'],
        ['O', 'Shop'],
        ['CN', 'shop.test'],
      ],
      serial: 0x1234567890abcdefn,
      not_before: new Date('2026-01-02T03:04:05Z'),
      not_after: new Date('2027-06-01T12:00:00Z'),
    })
    assert.deepEqual(
      { ...found, fingerprint_sha256: found.fingerprint_sha256.length },
      {
        subject: { label: 'shop.test', common_name: 'shop.test', organization: 'Shop', country: 'DE' },
        issuer: { label: 'Lab Root', common_name: 'Lab Root', organization: 'Lab', country: null },
        serial: '1234567890abcdef',
        not_before: '2026-01-02T03:04:05Z',
        not_after: '2027-06-01T12:00:00Z',
        dns_names: ['shop.test', '*.shop.test'],
        ip_addresses: ['192.0.2.7', '2001:db8::7'],
        key: { kind: 'ec', bits: null, curve: 'P-256' },
        signature_algorithm: 'ecdsa-with-SHA256',
        is_ca: false,
        extended_key_usage: ['1.3.6.1.5.5.7.3.1'],
        fingerprint_sha256: 64,
      },
    )
  })

  const keys: readonly [KeyKind, ParsedCertificate['facts']['key'], string][] = [
    ['rsa1024', { kind: 'rsa', bits: 1024, curve: null }, 'sha256WithRSAEncryption'],
    ['rsa2048', { kind: 'rsa', bits: 2048, curve: null }, 'sha256WithRSAEncryption'],
    ['p256', { kind: 'ec', bits: null, curve: 'P-256' }, 'ecdsa-with-SHA256'],
    ['p521', { kind: 'ec', bits: null, curve: 'P-521' }, 'ecdsa-with-SHA256'],
    ['ed25519', { kind: 'ed25519', bits: null, curve: null }, 'ed25519'],
  ]
  for (const [key, expected, algorithm] of keys) {
    it(`a ${key} key and its signature are described`, () => {
      const parsed = parseCertificate(der(selfSign({ names: ['a.test'], key }).cert))
      assert.deepEqual([parsed?.facts.key, parsed?.facts.signature_algorithm], [expected, algorithm])
    })
  }

  const dates: readonly [string, string][] = [
    ['1950-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
    ['1949-12-31T23:59:59Z', '2050-01-01T00:00:00Z'],
    ['2049-12-31T23:59:59Z', '2000-02-29T00:00:00Z'],
  ]
  for (const [from, until] of dates) {
    it(`the times ${from} and ${until} are read`, () => {
      const found = facts({ names: ['a.test'], not_before: new Date(from), not_after: new Date(until) })
      assert.deepEqual([found.not_before, found.not_after], [from, until])
    })
  }

  const serials: readonly [bigint, string][] = [
    [0n, '0'],
    [-1n, '-1'],
    [-129n, '-81'],
    [255n, 'ff'],
    [2n ** 159n, `8${'0'.repeat(39)}`],
  ]
  for (const [serial, expected] of serials) {
    it(`the serial number ${serial} is read as ${expected}`, () => {
      assert.equal(facts({ names: ['a.test'], serial }).serial, expected)
    })
  }

  it('extended key usages are absent, or listed', () => {
    const usages = (extended_key_usage: CertificateOptions['extended_key_usage'] = null) =>
      facts({ names: ['a.test'], extended_key_usage }).extended_key_usage
    assert.deepEqual(
      [usages(null), usages(['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'])],
      [null, ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0']],
    )
  })

  it('every root that Node trusts is read as Node reads it', () => {
    const read = rootCertificates.map(pem => {
      const parsed = parseCertificate(der(pem))
      const { not_before = '', not_after = '', serial, fingerprint_sha256, is_ca } = parsed?.facts ?? {}
      return [
        Date.parse(not_before),
        Date.parse(not_after),
        serial?.toUpperCase().padStart(2, '0'),
        fingerprint_sha256,
        is_ca,
      ]
    })
    const expected = rootCertificates.map(pem => {
      const root = new X509Certificate(pem)
      const fingerprint = root.fingerprint256.replaceAll(':', '').toLowerCase()
      const serial = root.serialNumber.replace(/^0+(?=..)/, '')
      return [
        Date.parse(root.validFrom),
        Date.parse(root.validTo),
        serial.replace(/^0(?=.)/, '').padStart(2, '0'),
        fingerprint,
        root.ca,
      ]
    })
    assert.deepEqual(read, expected)
  })
})

describe('distinguished names', () => {
  const labels: readonly [string, CertificateOptions['subject'], string | null][] = [
    [
      'the common name comes first',
      [
        ['O', 'Shop'],
        ['CN', 'shop.test'],
      ],
      'shop.test',
    ],
    [
      'the organization stands in',
      [
        ['C', 'DE'],
        ['OU', 'IT'],
        ['O', 'Shop'],
      ],
      'Shop',
    ],
    [
      'the unit stands in',
      [
        ['C', 'DE'],
        ['OU', 'IT'],
      ],
      'IT',
    ],
    [
      'all of it stands in',
      [
        ['C', 'DE'],
        ['L', 'Ulm'],
      ],
      'C=DE, L=Ulm',
    ],
    [
      'a repeated organization gives its first',
      [
        ['O', 'One'],
        ['O', 'Two'],
      ],
      'One',
    ],
    ['controls are replaced, direction marks dropped', [['CN', 'a\0b\r\nc\u202ed']], 'a b cd'],
    ['quotes and scripts stay text', [['CN', '"<b>Übergröße €</b>"']], '"<b>Übergröße €</b>"'],
    ['nothing printable shows the kind of name', [['CN', '\0\0']], 'CN='],
    ['a long name is cut', [['CN', 'x'.repeat(5_000)]], 'x'.repeat(256)],
    ['an empty name is none', [], null],
  ]
  for (const [title, subject, label] of labels) {
    it(title, () => {
      assert.equal(facts({ names: ['a.test'], ...(subject && { subject }) }).subject?.label ?? null, label)
    })
  }

  it('an issuer without a name has a label', () => {
    const nameless = createAuthority({ subject: [] }).issue({ names: ['a.test'] })
    assert.equal(parseCertificate(der(nameless.cert))?.facts.issuer.label, '(unnamed)')
  })

  it('names match regardless of case and white space', () => {
    const key = (name: string) => parseCertificate(der(selfSign({ subject: [['CN', name]] }).cert))?.subjectKey
    assert.equal(key('Lab  Root '), key('lab root'))
    assert.notEqual(key('Lab Root'), key('LabRoot'))
  })
})

describe('alternative names', () => {
  const entries: readonly [string, Buffer, readonly string[]][] = [
    ['a NUL stays visible', implicit(2, Buffer.from('bank.test\0.evil.test')), ['bank.test\\x00.evil.test']],
    ['UTF-8 stays visible', implicit(2, Buffer.from('é.test')), ['\\xc3\\xa9.test']],
    ['a backslash cannot imitate that', implicit(2, Buffer.from('\\x00.test')), ['\\x5cx00.test']],
    [
      'blanks and line ends stay visible',
      implicit(2, Buffer.from('a.test, DNS:b.test\n')),
      ['a.test,\\x20dns:b.test\\x0a'],
    ],
    ['an empty name is kept', implicit(2, Buffer.alloc(0)), ['']],
    ['a name beyond any host is cut', implicit(2, Buffer.alloc(5_000, 'a')), ['a'.repeat(256)]],
    ['an address of no known length is kept apart', implicit(7, Buffer.from([1, 2, 3, 4, 5])), ['#0102030405']],
    ['other kinds of names are left out', implicit(1, Buffer.from('a@shop.test')), []],
  ]
  for (const [title, entry, expected] of entries) {
    it(title, () => {
      const found = facts({ extensions: [rawNames(entry)] })
      assert.deepEqual([...found.dns_names, ...found.ip_addresses], expected)
    })
  }
})

describe('extensions', () => {
  const unknown = (at: number) => extension(`1.3.6.1.4.1.99999.${at}`, false, octets(Buffer.of(at)))
  const name = (label: string) => rawNames(implicit(2, Buffer.from(label)))
  const lone = extension('2.5.29.19', true, Buffer.from('3003', 'hex'))

  it('names behind the 64th extension are read', () => {
    const many = Array.from({ length: 100 }, (_, at) => unknown(at))
    assert.deepEqual(facts({ extensions: [...many, name('a.test')] }).dns_names, ['a.test'])
  })

  const rows: readonly [string, readonly Buffer[], boolean][] = [
    ['different extensions are sound', [unknown(1), unknown(2)], false],
    ['a repeated extension is malformed, and its first value counts', [name('a.test'), name('b.test')], true],
    ['names that are cut are malformed', [extension('2.5.29.17', false, Buffer.from('300582', 'hex'))], true],
    ['constraints that are cut are malformed', [lone], true],
  ]
  for (const [title, extensions, malformed] of rows) {
    it(title, () => {
      const [leaf = ''] = root.issue({ extensions }).chain
      const parsed = parseCertificate(der(leaf))
      assert.equal(parsed?.extensions.malformed, malformed)
      if (title.startsWith('a repeated')) assert.deepEqual(parsed?.facts.dns_names, ['a.test'])
    })
  }
})

describe('dates that are no dates', () => {
  const [leaf = ''] = root.issue({ names: ['a.test'], not_after: new Date('2026-03-28T23:00:00Z') }).chain
  const sound = der(leaf).toString('latin1')
  const rows = ['260230230000Z', '260431230000Z', '260229230000Z', '260328240000Z', '260328236000Z', '261328230000Z']
  for (const written of rows) {
    it(`make a certificate unreadable: ${written}`, () => {
      assert.notEqual(parseCertificate(Buffer.from(sound, 'latin1')), null)
      assert.equal(parseCertificate(Buffer.from(sound.replace('260328230000Z', written), 'latin1')), null)
    })
  }
})

describe('malformed certificates', () => {
  const sample = der(root.issue({ names: ['a.test', 'b.test'], ips: ['192.0.2.1'], key: 'rsa2048' }).chain[0] ?? '')

  it('a truncated certificate is not described', () => {
    for (let length = 0; length < sample.length; length += 1) {
      assert.equal(parseCertificate(sample.subarray(0, length)), null)
    }
  })

  it('changed octets result in valid descriptions or none', () => {
    const change = fc.record({ at: fc.nat(sample.length - 1), octet: fc.nat(255) })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), changes => {
        const bytes = Buffer.from(sample)
        for (const { at, octet } of changes) bytes[at] = octet
        const parsed = parseCertificate(bytes)
        if (parsed === null) return
        const { issuer, not_before, not_after, dns_names } = parsed.facts
        assert.match(issuer.label, /^[^\p{Cc}]{1,256}$/u)
        assert.ok(!Number.isNaN(Date.parse(not_before)) && !Number.isNaN(Date.parse(not_after)))
        assert.ok(dns_names.every(name => /^[!-~]*$/.test(name)))
      }),
      { numRuns: 1_000 },
    )
  })

  it('random octets never throw', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), bytes => parseCertificate(Buffer.from(bytes)) === null))
  })
})
