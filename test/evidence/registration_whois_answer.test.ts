import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { notRegistered, type RegistrationFacts } from '../../src/evidence/registration/facts.ts'
import type { Reading } from '../../src/evidence/registration/registry.ts'
import { parseMoment } from '../../src/evidence/registration/values.ts'
import { readWhois } from '../../src/evidence/registration/whois_answer.ts'
import { assertCheap } from '../cpu.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

const read = (text: string | Buffer, domain = 'example.com'): Reading<RegistrationFacts> =>
  readWhois(typeof text === 'string' ? Buffer.from(text) : text, domain, NOW)

function facts(text: string | Buffer, domain?: string): RegistrationFacts {
  const reading = read(text, domain)
  assert.ok(reading.ok, JSON.stringify(reading))
  return reading.facts
}

const lines = (...all: readonly string[]): string => all.join('\r\n')

describe('the date of registration in a WHOIS answer', () => {
  const single = [
    ['Creation Date: 2002-04-18T15:16:22Z', '2002-04-18T15:16:22Z'],
    ['Creation Date: 2014-03-20T12:59:17.0Z', '2014-03-20T12:59:17Z'],
    ['Creation Date: 2002-02-20', '2002-02-20T00:00:00Z'],
    ['Created on: 29-APR-05', '2005-04-29T00:00:00Z'],
    ['Registration date: 26.03.2008 16:18:03', '2008-03-26T16:18:03Z'],
    ['created............: 18.7.2012 04:04:23', '2012-07-18T04:04:23Z'],
    ['created:               1999.10.27 13:00:00', '1999-10-27T13:00:00Z'],
    ['Creation Date: 30/10/2002 00:00:00', '2002-10-30T00:00:00Z'],
    ['Data de registo / Creation Date (dd/mm/yyyy): 30/10/2002', '2002-10-30T00:00:00Z'],
    ['Domain Name Commencement Date: 14-07-1998', '1998-07-14T00:00:00Z'],
    ['Created on..............: 2001-Aug-23.', '2001-08-23T00:00:00Z'],
    ['   Record created on 2000-08-29 (YYYY-MM-DD)', '2000-08-29T00:00:00Z'],
    ['created: 2000-07-26T22:00:00Z', '2000-07-26T22:00:00Z'],
    ['Record created: Tue Feb 10 09:42:42 2004', '2004-02-10T09:42:42Z'],
    ['Domain created: 2009-07-01 12:44:02 (GMT+0:00)', '2009-07-01T12:44:02Z'],
    ['created:          2002-12-04 00:00:00+02', '2002-12-03T22:00:00Z'],
    ['Creation date: 2002-10-22 17:48:23 CLST', '2002-10-22T17:48:23Z'],
    ['[Registered Date]               2019/09/27', '2019-09-27T00:00:00Z'],
    ['First registration date:\r\n1996-02-08', '1996-02-08T00:00:00Z'],
    ['    Relevant dates:\r\n        Registered on: before Aug-1996', '1996-07-31T00:00:00Z'],
    ['changed:      registrar AT ns.example 19990605 (Assigned)', '1999-06-05T00:00:00Z'],
    ['assigned:     05-06-1999', '1999-06-05T00:00:00Z'],
    ['Created On:05-Oct-1997 04:00:00 UTC', '1997-10-05T04:00:00Z'],
    ['Updated Date: 2018-01-01T04:00:00Z<br>Creation Date: 2002-01-23T04:00:00Z<br>', '2002-01-23T04:00:00Z'],
    ['Creation Date: 2008-04-14 18:55:20Z.0Z', '2008-04-14T18:55:20Z'],
    ['Registered Date             : 2007. 03. 02.', '2007-03-02T00:00:00Z'],
    ['Registered: Tue Dec 12 2000', '2000-12-12T00:00:00Z'],
    ['Relevant dates:\r\n  Registered on 30th April 2003 at 00:00:00.000', '2003-04-30T00:00:00Z'],
    ['Domain record activated:    16-Mar-1996', '1996-03-16T00:00:00Z'],
    ['Creation Date: October 8, 1999', '1999-10-08T00:00:00Z'],
    ['Creation Date: 10/30/2002', '2002-10-30T00:00:00Z'],
    ['Creation Date: 2026-11-20T15:00:00Z', '2026-11-20T12:00:00Z'],
  ] as const
  for (const [line, expected] of single) {
    it(`is ${expected} in ${JSON.stringify(line)}`, () => {
      const text = lines('Domain Name: EXAMPLE.COM', line, 'Status: ok', '')
      assert.equal(facts(text).registered_at, expected)
    })
  }

  const none = [
    'Changed: 2018-03-12T21:44:25+01:00',
    'activated on: see at www.register.example',
    'option created:        2014.06.02 23:44:16',
    'Registrar created: 2014-06-02',
    'Registrant:\r\n        NOT DISCLOSED!',
    'domaintype:     ACTIVE',
    'Creation Date: N/A',
    'Creation Date: UNKNOWN',
    'Creation Date:',
    'Creation Date: 0000-00-00',
    'Creation Date: 1970-01-01',
    '\r\n>>> Last update of whois database: Sun, 31 Aug 2008 00:00:00 EDT <<<\r\nCreation Date: 2002-02-20',
    '% Creation Date: 2002-02-20',
    'This database was created: on 2002-02-20',
  ]
  for (const line of none) {
    it(`is unknown in ${JSON.stringify(line)}`, () => {
      const { registered, registered_at } = facts(lines('Domain Name: example.com', 'Status: connect', line, ''))
      assert.deepEqual([registered, registered_at], [true, null])
    })
  }

  it('is never in the future', () => {
    const { registered_at, registered_in_future } = facts('Domain: example.com\nCreation Date: 2031-01-01')
    assert.deepEqual([registered_at, registered_in_future], [null, true])
  })

  const objects: readonly (readonly [what: string, text: string, expected: string | null])[] = [
    [
      'the registry’s before the registrar’s',
      lines(
        '   Domain Name: EXAMPLE.COM',
        '   Creation Date: 15-sep-1997',
        '',
        'Registrar data:',
        'Created on..............: 1997-09-16.',
      ),
      '1997-09-15T00:00:00Z',
    ],
    [
      'the domain’s before its contacts’',
      lines(
        'domain:      example.com',
        'nserver:     ns1.example.net',
        'created:     19990518 #162310',
        '',
        'nic-hdl-br:  ABCDE1',
        'person:      Someone',
        'created:     20100520',
      ),
      '1999-05-18T00:00:00Z',
    ],
    [
      'another word before the contacts’',
      lines(
        'domain:       example.com',
        'registrar:    REG-1',
        'registered:   1997-05-26 00:00:00',
        'changed:      28.02.2017 06:39:42',
        'contact:      CON-66',
        'created:      2013-10-30',
      ),
      '1997-05-26T00:00:00Z',
    ],
    [
      'nobody’s but the domain’s',
      lines('domain: example.com', 'status: ok', '', 'Registrant', '  Name: Someone', '  Created: 2018-03-02 19:04:02'),
      null,
    ],
    [
      'below contacts that come first',
      lines(
        'Domain Name: example.com',
        '',
        'Registrant:',
        '   Someone',
        '   Created: 2018-03-02',
        '',
        '   Record created on 2000-08-29 (YYYY-MM-DD)',
      ),
      '2000-08-29T00:00:00Z',
    ],
  ]
  for (const [what, text, expected] of objects) {
    it(`is ${what}`, () => assert.equal(facts(text).registered_at, expected))
  }
})

describe('a WHOIS answer', () => {
  it('is read in the layout of .uk', () => {
    const text = lines(
      '',
      '    Domain name:',
      '        example.co.uk',
      '',
      '    Registrar:',
      '        Example Ltd t/a Example [Tag = EXAMPLE]',
      '        URL: http://www.example.net',
      '',
      '    Relevant dates:',
      '        Registered on: 05-Dec-1999',
      '        Expiry date:  05-Dec-2027',
      '        Last updated:  23-Oct-2023',
      '',
      '    Registration status:',
      '        Registered until expiry date.',
      '',
      '    Name servers:',
      '        ns1.example.net',
      '        ns2.example.co.uk      192.0.2.1  2001:db8:0:0:0:0:0:1',
      '',
      '    DNSSEC:',
      '        Signed',
      '',
      '    WHOIS lookup made at 11:55:41 18-Apr-2026',
      '',
      'which includes restrictions on (C) exceeding query rate or volume limits.',
    )
    assert.deepEqual(facts(text, 'example.co.uk'), {
      registered: true,
      registered_at: '1999-12-05T00:00:00Z',
      registered_in_future: false,
      expires_at: '2027-12-05T00:00:00Z',
      updated_at: '2023-10-23T00:00:00Z',
      registrar: 'Example Ltd t/a Example [Tag = EXAMPLE]',
      status: ['registered until expiry date.'],
      dnssec_signed: true,
      name_servers: ['ns1.example.net', 'ns2.example.co.uk'],
    })
  })

  it('is read in the layout of EPP', () => {
    const text = lines(
      'Domain Name: EXAMPLE.COM',
      'Registry Expiry Date: 2027-09-14T04:00:00Z',
      'Registrar: Example Registrar, Inc.',
      'Domain Status: clientHold https://icann.org/epp#clientHold',
      'Domain Status: pendingDelete https://icann.org/epp#pendingDelete',
      'Name Server: NS1.EXAMPLE.NET',
      'DNSSEC: unsigned',
      '>>> Last update of whois database: 2026-11-20T11:00:00Z <<<',
      'Domain Status: ok',
    )
    const { status, dnssec_signed, registrar, expires_at, name_servers } = facts(text)
    assert.deepEqual([status, dnssec_signed], [['client hold', 'pending delete'], false])
    assert.deepEqual([registrar, expires_at], ['Example Registrar, Inc.', '2027-09-14T04:00:00Z'])
    assert.deepEqual(name_servers, ['ns1.example.net'])
  })

  const expiries = [
    ['domain: example.com\nexpire-date:   2027-03-01', '2027-03-01T00:00:00Z'],
    ['Registrar Registration Expiration Date: 2027-09-14T04:00:00Z', '2027-09-14T04:00:00Z'],
    ['Expiration Date             : 2027. 07. 28.', '2027-07-28T00:00:00Z'],
    ['Record will expire on: 10/11/2027', null],
    ['Registrar registration: 2027-09-14', null],
  ] as const
  for (const [text, expected] of expiries) {
    it(`ends ${expected ?? 'at no known time'} by ${JSON.stringify(text)}`, () => {
      assert.equal(facts(lines('Domain Status: ok', ...text.split('\n'))).expires_at, expected)
    })
  }

  const registrars = [
    [lines('Domain: example.com', '', 'Registrar:', '        Name: EURO vzw', '        Website: x'), 'EURO vzw'],
    [lines('Domain: example.com', '', 'Registrar', '  Organization:     Mark Ltd', '  Name: MARK-REG'), 'Mark Ltd'],
    [
      lines('domain....: example.com', '', 'Registrar', '', 'registrar....: Computer GmbH', 'www....: x'),
      'Computer GmbH',
    ],
    [lines('REGISTRAR:', 'Corporation Co', '251 Falls Drive', 'tel: 1'), 'Corporation Co'],
    [lines('Registration Service Provider: Mark, Inc.', 'Registration Service URL: x'), 'Mark, Inc.'],
    [lines('Current Registar: REGNIC', 'Registar created: OTHER'), 'REGNIC'],
    [lines('Status: ok', 'Registrar URL: http://x', 'Registrar IANA ID: 625'), null],
    [lines('Registrar:', '  Mark Inc. (http://www.mark.example)', 'Status: ok'), 'Mark Inc.'],
    [lines('Registrar: Mark Inc. (https://mark.example/)', 'Status: ok'), 'Mark Inc.'],
    [lines('domainname:     example.lu', 'registrar-name:         Lux Names'), 'Lux Names'],
    [lines('Authorized Agency           : Mega(http://mega.example)'), 'Mega'],
  ] as const
  for (const [text, expected] of registrars) {
    it(`has ${expected ?? 'no registrar'} in ${JSON.stringify(text)}`, () => {
      assert.equal(facts(lines('Domain Status: ok', text)).registrar, expected)
    })
  }

  const servers = [
    [
      ['nameservers:  dns1.example.pl. [192.0.2.1]', '              dns2.example.pl. [192.0.2.2]'],
      ['dns1.example.pl', 'dns2.example.pl'],
    ],
    [
      ['   Nameserver: example.com  NS   ns2.example.pt.', '   Nameserver: ns2.example.pt.   A   192.0.2.1'],
      ['ns2.example.pt'],
    ],
    [['p. [Name Server]                ns01.example.jp', 's. [Signing Key]'], ['ns01.example.jp']],
    [
      ['** Domain Servers:', 'ns1.example.net', 'ns2.example.net'],
      ['ns1.example.net', 'ns2.example.net'],
    ],
    [['   Domain servers in listed order:', '      ns1.example.net', '', 'other.example.net'], ['ns1.example.net']],
    [['nserver............: ns3.example.net [OK]'], ['ns3.example.net']],
    [['Nserver: not a host', 'Nserver: 192.0.2.1'], []],
  ] as const
  for (const [written, expected] of servers) {
    it(`has the name servers ${expected.join(' and ')} in ${JSON.stringify(written)}`, () => {
      assert.deepEqual(facts(lines('Domain: example.com', 'Status: ok', ...written)).name_servers, expected)
    })
  }

  it('is read in other encodings', () => {
    const latin1 = Buffer.from('Domain: example.com\nRegistrar: Bilişim Yayıncılık é\nCreated: 2001-08-23\n', 'latin1')
    assert.equal(facts(latin1).registered_at, '2001-08-23T00:00:00Z')
    assert.ok(facts(latin1).registrar?.endsWith('é'))
    const eucJp = Buffer.concat([
      Buffer.from('[Domain Name]  EXAMPLE.COM\n[Organization] '),
      Buffer.from([0xb3, 0xf4, 0xbc, 0xb0, 0xb2, 0xf1, 0xbc, 0xd2]),
      Buffer.from('\n[Registered Date]  2019/09/27\n'),
    ])
    assert.equal(facts(eucJp).registered_at, '2019-09-27T00:00:00Z')
  })

  const unregistered = [
    'No match for "EXAMPLE.COM".\r\n>>> Last update of whois database: 2026-11-20T11:00:00Z <<<\r\n',
    'NOT FOUND\n',
    'Domain: example.com\nStatus: free\n',
    'Domain:\texample.com\nStatus:\tAVAILABLE\n',
    'Domain Status: No Object Found\n',
    '% No entries found for the selected source(s).\n',
    '%ERROR:101: no entries found\n%\n',
    '*** Nothing found for this query.\n',
    'The domain has not been registered.\n',
    'We do not have an entry in our database matching your query.\n',
    'example.com is available for registration\n',
    '% This service is free of charge.\nEXAMPLE.COM is free\n',
    '    No match for "example.com".\n\n-- \nThis includes restrictions on (C) exceeding query rate or volume limits.\n',
    'No_Se_Encontro_El_Objeto/Object_Not_Found\n',
  ]
  for (const text of unregistered) {
    it(`reports an unregistered domain in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(read(text), { ok: true, facts: notRegistered })
    })
  }

  const unknown = [
    ['Your connection limit exceeded. Please slow down and try again later.', 'limited'],
    ['% Query rate limit exceeded.', 'limited'],
    ['WHOIS LIMIT EXCEEDED - SEE THE WEBSITE FOR DETAILS', 'limited'],
    ['Error: too many requests; no data found', 'limited'],
    ['Requests of this client are not permitted. Please use https://www.nic.example/whois/', 'limited'],
    ['', 'unreadable'],
    ['Welcome to the registry.', 'unreadable'],
    ['% The terms of use: a copy is available at https://nic.example/\n% Internal error', 'unreadable'],
    ['% This service is free of charge.\n\nThe database cannot be reached.', 'unreadable'],
    ['Domain: example.com', 'unreadable'],
    ['\u0000\u0001\u0002', 'unreadable'],
    ['<html><body>502 Bad Gateway</body></html>', 'unreadable'],
    ['Domain Name: EXAMPLE.NET\nCreation Date: 1999-01-01', 'other_domain'],
    ['Domain name:\n    notexample.com\n\nRegistered on: 01-Jan-1999', 'other_domain'],
    ['Domain: example.net\nStatus: free', 'other_domain'],
  ] as const
  for (const [text, failure] of unknown) {
    it(`has no data in ${JSON.stringify(text)}`, () => assert.deepEqual(read(text), { ok: false, failure }))
  }

  it('never throws, and never has a registration or change in the future', () => {
    const key = fc.constantFrom(
      'Creation Date',
      'created',
      'changed',
      'Updated Date',
      'expires',
      'Domain',
      'Registrar',
      'status',
    )
    const value = fc.oneof(
      fc.string(),
      fc.date({ noInvalidDate: true }).map(moment => moment.toISOString()),
      fc.tuple(fc.nat(40), fc.nat(14), fc.nat(9_999)).map(parts => parts.join('.')),
      fc.constantFrom('example.com', 'before Foo-1996', '99999999', '31-feb-02'),
    )
    const line = fc.oneof(
      fc.string(),
      fc.tuple(key, value).map(([k, v]) => `${k}: ${v}`),
    )
    const octets = fc.oneof(
      fc.array(line, { maxLength: 60 }).map(all => Buffer.from(all.join('\n'))),
      fc.uint8Array({ maxLength: 2_000 }).map(bytes => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(octets, bytes => {
        const reading = read(bytes)
        if (!reading.ok) return
        const { registered_at, updated_at, expires_at } = reading.facts
        for (const moment of [registered_at, updated_at]) {
          if (moment !== null) assert.ok(Date.parse(moment) <= NOW && Date.parse(moment) >= Date.UTC(1985, 0, 1))
        }
        assert.ok(expires_at === null || !Number.isNaN(Date.parse(expires_at)))
        assert.ok(JSON.stringify(reading).isWellFormed())
      }),
    )
  })

  it('is read in linear time', () => {
    const hostile = [
      'a'.repeat(65_536),
      ' .'.repeat(32_768),
      `Name Server: ${'a.'.repeat(32_000)}`,
      'created: '.repeat(7_000),
      '[a] '.repeat(16_000),
      ': \n'.repeat(21_000),
      '\n'.repeat(65_536),
      '<br '.repeat(16_000),
    ]
    for (const text of hostile) assertCheap(() => read(text), 10)
  })
})

describe('a date that is not exact', () => {
  const rows: readonly (readonly [written: string, registered: string | null, inexact: boolean])[] = [
    ['1996', '1996-12-31T00:00:00Z', true],
    ['1996.', '1996-12-31T00:00:00Z', true],
    ['1996-02', '1996-02-29T00:00:00Z', true],
    ['02/1996', '1996-02-29T00:00:00Z', true],
    ['Aug-1996', '1996-08-31T00:00:00Z', true],
    ['August 1996', '1996-08-31T00:00:00Z', true],
    ['1996-Aug', '1996-08-31T00:00:00Z', true],
    ['before Aug-1996', '1996-07-31T00:00:00Z', true],
    ['before 1996', '1995-12-31T00:00:00Z', true],
    ['before 1996-08-05', '1996-08-04T00:00:00Z', true],
    ['prior to 01-Jan-1996', '1995-12-31T00:00:00Z', true],
    ['pre-1996', '1995-12-31T00:00:00Z', true],
    ['2026', '2026-11-20T12:00:00Z', true],
    ['Nov-2026', '2026-11-20T12:00:00Z', true],
    ['Dec-2026', null, false],
    ['1996-13', null, false],
    ['1984', null, false],
    ['before', null, false],
    ['1996-08-05', '1996-08-05T00:00:00Z', false],
    ['1996-08-05 10:00:00', '1996-08-05T10:00:00Z', false],
  ]
  for (const [written, registered, inexact] of rows)
    it(`has its latest possible day: ${written} is ${registered}`, () => {
      const { registered_at, inexact: dates } = facts(
        lines('Domain Name: EXAMPLE.COM', `Registered on: ${written}`, 'Status: ok'),
      )
      assert.deepEqual([registered_at, dates], [registered, inexact ? ['registered_at'] : undefined])
    })

  it('is marked for each date', () => {
    const { expires_at, updated_at, inexact } = facts(
      lines('Domain Name: EXAMPLE.COM', 'Creation Date: 1999-01-02', 'Expiry Date: 2027-03', 'Last Updated: 2025'),
    )
    assert.deepEqual(
      [expires_at, updated_at, inexact],
      ['2027-03-31T00:00:00Z', '2025-12-31T00:00:00Z', ['expires_at', 'updated_at']],
    )
  })
})

describe('the words of registries', () => {
  const rows: readonly (readonly [registry: string, lines: readonly string[], read: Partial<RegistrationFacts>])[] = [
    [
      '.nl',
      ['Creation Date: 1998-02-20', '', 'Domain nameservers:', '  ns1.a.example', '  ns2.a.example'],
      { name_servers: ['ns1.a.example', 'ns2.a.example'] },
    ],
    ['.nl', ['DNSSEC:      yes'], { dnssec_signed: true }],
    ['.rs', ['Modification date: 11.02.2025 08:24:15'], { updated_at: '2025-02-11T08:24:15Z' }],
    ['.rs', ['DNSSEC signed: no'], { dnssec_signed: false }],
    ['.ve', ['Fecha de Creación: 2003-03-06 00:00:00'], { registered_at: '2003-03-06T00:00:00Z' }],
    ['.ve', ['Fecha de Vencimiento: 2027-03-06 00:00:00'], { expires_at: '2027-03-06T00:00:00Z' }],
    ['.ve', ['Ultima Actualización: 2005-11-17 20:35:01'], { updated_at: '2005-11-17T20:35:01Z' }],
    ['.ve', ['Estatus del dominio: ACTIVO'], { status: ['active', 'activo'] }],
    ['.kg', ['Name servers in the listed order:', '', 'NS1.A.EXAMPLE'], { name_servers: [] }],
    ['.kg', ['Name servers in the listed order:', 'NS1.A.EXAMPLE'], { name_servers: ['ns1.a.example'] }],
    [
      '.kz',
      ['', 'Domain created: 2009-07-01 12:44:02 (GMT+0:00)', 'Last modified : 2022-08-04 10:20:10 (GMT+0:00)'],
      { updated_at: '2022-08-04T10:20:10Z' },
    ],
    ['.lv', ['', '[Registrar]', '  Type: Legal person', '  Name: Mega Inc.'], { registrar: 'Mega Inc.' }],
    ['.at', ['registrar: Mega Inc. ( https://registrar.example/434 )'], { registrar: 'Mega Inc.' }],
    ['.kr', ['Last Updated Date : 2024. 03. 02.'], { updated_at: '2024-03-02T00:00:00Z' }],
    [
      '.my',
      ['d. [Record Created]  02-May-2006', 'e. [Record Expired]  02-May-2027', 'f. [Record Last Modified] 09-Jan-2024'],
      { registered_at: '2006-05-02T00:00:00Z', expires_at: '2027-05-02T00:00:00Z', updated_at: '2024-01-09T00:00:00Z' },
    ],
    ['.sg', ['Modified Date: 09-Jan-2024 10:00:00'], { updated_at: '2024-01-09T10:00:00Z' }],
    [
      '.de',
      ['Dnskey: 257 3 8 AwEAAcBs30zg', 'Changed: 2016-04-11T11:09:54+02:00'],
      { dnssec_signed: true, updated_at: '2016-04-11T09:09:54Z' },
    ],
    ['a contact', ['', 'person: A', 'last modified: 2020-01-01'], { updated_at: null }],
  ]
  for (const [registry, written, read] of rows)
    it(`are read: ${registry}, ${written.join(' ').trim().slice(0, 60)}`, () => {
      const found = facts(lines('Domain Name: EXAMPLE.COM', 'Status: ok', ...written))
      assert.deepEqual(
        Object.fromEntries(Object.keys(read).map(key => [key, found[key as keyof RegistrationFacts]])),
        read,
      )
    })
})

describe('an answer about an internationalized name', () => {
  const ASKED = 'xn--bcher-kva.example'
  const CREATED = ['created: 2002-02-20']
  const rows: readonly (readonly [title: string, lines: readonly string[], registered: string | null | undefined])[] = [
    ['in A-labels', [`domain: ${ASKED}`, ...CREATED], '2002-02-20T00:00:00Z'],
    ['in A-labels and capitals', ['domain: XN--BCHER-KVA.EXAMPLE', ...CREATED], '2002-02-20T00:00:00Z'],
    ['in U-labels', ['domain: bücher.example', ...CREATED], '2002-02-20T00:00:00Z'],
    ['in U-labels and capitals', ['Domain Name: BÜCHER.EXAMPLE', ...CREATED], '2002-02-20T00:00:00Z'],
    ['in decomposed letters', ['domain: bu\u0308cher.example', ...CREATED], '2002-02-20T00:00:00Z'],
    ['in both', [`domain: bücher.example (${ASKED})`, ...CREATED], '2002-02-20T00:00:00Z'],
    ['in both, the other way round', [`domain: ${ASKED} (bücher.example)`, ...CREATED], '2002-02-20T00:00:00Z'],
    ['in both, in two fields', ['Domain: bücher.example', `Domain-Ace: ${ASKED}`, ...CREATED], '2002-02-20T00:00:00Z'],
    [
      'in both, with a field for Punycode',
      ['Domain Name: bücher.example', `Punycode: ${ASKED}`, ...CREATED],
      '2002-02-20T00:00:00Z',
    ],
    ['without a name', ['Creation Date: 2002-02-20'], '2002-02-20T00:00:00Z'],
    ['by another name in U-labels', ['domain: müller.example', ...CREATED], undefined],
    ['by another name in A-labels', ['domain: xn--mller-kva.example', ...CREATED], undefined],
    ['by the name without its mark', ['domain: bucher.example', ...CREATED], undefined],
    ['that is free, in U-labels', ['bücher.example is free'], null],
    ['that is free, in A-labels', [`${ASKED} is available`], null],
  ]
  for (const [title, written, registered] of rows)
    it(`${title} is ${registered === undefined ? 'of another domain' : registered === null ? 'none' : 'read'}`, () => {
      const reading = read(lines(...written), ASKED)
      assert.deepEqual(
        reading.ok ? [reading.facts.registered, reading.facts.registered_at] : reading.failure,
        registered === undefined ? 'other_domain' : [registered !== null, registered],
      )
    })
})

describe('a date', () => {
  it('is read in every layout', () => {
    const day = fc.date({ min: new Date('1985-01-01'), max: new Date('2060-12-31'), noInvalidDate: true })
    const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
    const two = (part: number) => String(part).padStart(2, '0')
    fc.assert(
      fc.property(day, date => {
        const [y, m, d] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
        const expected = Date.UTC(y, m, d)
        const [name, mm, dd] = [months[m], two(m + 1), two(d)]
        const layouts = [
          `${y}-${mm}-${dd}`,
          `${y}.${m + 1}.${d}`,
          `${y}${mm}${dd}`,
          `${dd}.${mm}.${y}`,
          `${dd}/${mm}/${y}`,
        ]
        const named = [`${dd}-${name}-${y}`, `${y}-${name}-${dd}`, `${d} ${name} ${y}`, `${name} ${d}, ${y}`]
        for (const written of [...layouts, ...named])
          assert.deepEqual(parseMoment(written), { from: expected, to: expected }, written)
      }),
    )
  })
})
