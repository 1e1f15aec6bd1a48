// Gathering mail records: which queries are sent, how few, and compatibility with a real resolver.
import { deepEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { walkNames } from '../../src/evidence/mail_records/dmarc.ts'
import { askWith } from '../../src/evidence/mail_records/dns_records.ts'
import { askMailExchangers, gatherMailRecords } from '../../src/evidence/mail_records/gather.ts'
import { walkSpf } from '../../src/evidence/mail_records/spf_tree.ts'
import { parseResolver } from '../../src/network/endpoints.ts'
import { limits } from '../../src/network/limits.ts'
import { createResolver } from '../../src/network/resolver.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { ipTarget } from '../evidence_of.ts'
import { gatherMail, served, type Zone } from './mail_zone.ts'

describe('the queries of a check', () => {
  test('are few for an ordinary domain', async () => {
    const zone: Zone = {
      'example.com': { MX: [{ preference: 10, exchange: 'mx.example.com' }], TXT: ['v=spf1 mx -all'] },
      'mx.example.com': { A: ['192.0.2.25'] },
      '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@example.com'] },
    }
    const { questions, fetches } = await gatherMail('example.com', zone)
    deepEqual([...new Set(questions)].sort(), [
      'A mx.example.com',
      'AAAA mx.example.com',
      'MX example.com',
      'TXT _dmarc.example.com',
      'TXT _domainkey.example.com',
      'TXT _mta-sts.example.com',
      'TXT _smtp._tls.example.com',
      'TXT default._bimi.example.com',
      'TXT example.com',
    ])
    deepEqual(fetches, [])
  })

  test('that need no answer go out at once', async () => {
    const { questions } = await gatherMail('example.com', {})
    deepEqual(questions.slice(0, 7).sort(), [
      'MX example.com',
      'TXT _dmarc.example.com',
      'TXT _domainkey.example.com',
      'TXT _mta-sts.example.com',
      'TXT _smtp._tls.example.com',
      'TXT default._bimi.example.com',
      'TXT example.com',
    ])
  })

  test('stay within 70 for the most expensive zone', async () => {
    const terms = Array.from({ length: 10 }, (_, index) => `a:v6-${index}.a.b.c.d.e.f.g.h.example.com`)
    const name = 'a.b.c.d.e.f.g.h.example.com'
    const zone: Zone = {
      [name]: {
        MX: Array.from({ length: 60 }, (_, preference) => ({ preference, exchange: `mx${preference}.example.com` })),
        TXT: [`v=spf1 ${terms.join(' ')} -all`],
      },
      ...Object.fromEntries(terms.map(term => [term.slice(2), { AAAA: ['2001:db8::1'] }])),
      [`own._domainkey.${name}`]: { TXT: ['v=DKIM1; p='] },
      '_dmarc.example.com': {
        TXT: [`v=DMARC1; p=reject; rua=${Array.from({ length: 9 }, (_, n) => `mailto:d@h${n}.example`).join()}`],
      },
    }
    const { questions } = await gatherMail(name, zone)
    deepEqual(new Set(questions).size, 69)
    ok(questions.length === new Set(questions).size)
  })

  test('fetch an MTA-STS policy only where a record announces it', async () => {
    const zone: Zone = { '_mta-sts.example.com': { TXT: ['v=STSv1; id=1;'] } }
    const { mail, fetches } = await gatherMail('example.com', zone, served('version: STSv1\nmode: none\nmax_age: 1\n'))
    deepEqual(
      fetches.map(({ url, redirects, verify_certificate, max_bytes }) => ({
        url,
        redirects,
        verify_certificate,
        max_bytes,
      })),
      [
        {
          url: 'https://mta-sts.example.com/.well-known/mta-sts.txt',
          redirects: 0,
          verify_certificate: true,
          max_bytes: 65_536,
        },
      ],
    )
    deepEqual(mail.mta_sts.policy?.mode, 'none')
  })

  test('are asked of DNS only where DNS has room for the name', async () => {
    const name = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(55)}.com`
    const { mail, questions } = await gatherMail(name, {})
    ok(questions.includes(`MX ${name}`) && !questions.includes(`TXT _dmarc.${name}`))
    deepEqual(mail.dmarc.steps[0]?.status, 'not_found')
  })

  test('are not asked for an address', async () => {
    const context = { target: ipTarget('192.0.2.1') } as Parameters<typeof gatherMailRecords>[0]
    const reason = await gatherMailRecords(context).catch(error => [error.name, error.reason])
    deepEqual(reason, ['NotApplicable', 'ip_target'])
  })
})

describe('the DMARC tree walk', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['com', []],
    ['example.com', ['com']],
    ['a.mail.example.com', ['mail.example.com', 'example.com', 'com']],
    [
      'b.c.d.e.f.g.example.com',
      [
        'c.d.e.f.g.example.com',
        'd.e.f.g.example.com',
        'e.f.g.example.com',
        'f.g.example.com',
        'g.example.com',
        'example.com',
        'com',
      ],
    ],
    [
      'a.b.c.d.e.f.g.h.i.j.mail.example.com',
      [
        'g.h.i.j.mail.example.com',
        'h.i.j.mail.example.com',
        'i.j.mail.example.com',
        'j.mail.example.com',
        'mail.example.com',
        'example.com',
        'com',
      ],
    ],
  ]
  for (const [name, above] of rows) {
    test(`goes from ${name} to ${above.length} names above`, () => deepEqual(walkNames(name), above))
  }
})

describe('with a real resolver', () => {
  let dns: LabDns
  const ended = new AbortController()
  before(async () => {
    dns = await startLabDns({
      zones: {
        'example.com': {
          MX: [{ preference: 0, exchange: '' }],
          TXT: ['v=spf1 include:alias.example.com a:macro%%name.example.com ~all', 'caf\xc3\xa9 \x96'],
        },
        'alias.example.com': { CNAME: ['spf.example.net'] },
        'spf.example.net': { TXT: ['note', 'v=spf1 ip4:192.0.2.0/24 -all'] },
        'macro%name.example.com': { AAAA: ['2001:db8::1'] },
        'broken.example.com': { TXT: ['v=spf1 include:fails.example.com -all'] },
        'fails.example.com': {},
        'loop.example.com': { CNAME: ['loop.example.com'] },
      },
      fault: ({ name }) => (name === 'fails.example.com' ? { rcode: 'SERVFAIL' } : undefined),
    })
  })
  after(async () => {
    ended.abort()
    await dns.close()
  })
  const ask = () => {
    const server = parseResolver(dns.address)
    if (server === null) throw new TypeError(dns.address)
    return askWith(createResolver({ servers: [server], limits, signal: ended.signal }), ended.signal)
  }
  const walk = async (name: string) => {
    const asking = ask()
    return walkSpf(name, await asking(name, 'TXT'), asking)
  }

  test('an SPF tree is walked through an alias', async () => {
    const { root, ...counts } = await walk('example.com')
    deepEqual(counts, { lookups: 2, void_lookups: 0, complete: true })
    deepEqual(
      root.lookups.map(({ name, status, child }) => [name, status, child?.candidates]),
      [
        ['alias.example.com', 'answered', ['v=spf1 ip4:192.0.2.0/24 -all']],
        ['macro%name.example.com', 'answered', undefined],
      ],
    )
  })

  test('an include that fails is unknown and a loop of aliases is too', async () => {
    const broken = await walk('broken.example.com')
    deepEqual([broken.root.lookups[0]?.status, broken.root.lookups[0]?.reason], ['unknown', 'servfail'])
    deepEqual((await walk('loop.example.com')).root.reason, 'cname_loop')
  })

  test('a null MX is a host without a name', async () => {
    const { status, total, hosts } = await askMailExchangers('example.com', ask(), () => null)
    deepEqual(
      [status, total, hosts.map(({ exchange, status }) => [exchange, status])],
      ['found', 1, [['', 'not_asked']]],
    )
  })
})
