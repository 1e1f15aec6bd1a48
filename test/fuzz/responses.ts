// Mutated responses, each read by what reads its kind: nothing throws, nothing takes long, what is read can be told as JSON.
import { encode } from 'dns-packet'
import { robotsText, sitemapsNamed } from '../../src/evidence/crawl_files/robots_text.ts'
import { createSitemapReader } from '../../src/evidence/crawl_files/sitemap.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { readDomain } from '../../src/evidence/registration/rdap.ts'
import { readWhois } from '../../src/evidence/registration/whois_answer.ts'
import { parseCertificate } from '../../src/evidence/tls/certificate.ts'
import { contentCodings } from '../../src/network/content_coding.ts'
import { createQuery, readAnswer, readReply } from '../../src/network/dns_message.ts'
import type { RecordType } from '../../src/network/dns_records.ts'
import { redactSetCookie } from '../../src/network/set_cookie.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { parts } from '../any_text.ts'
import { PAGE } from '../faults/healthy.ts'
import { type Chance, chance } from './corpus.ts'
import { mutated } from './mutate.ts'

const UNHELD = { pause() {}, resume() {} }

export interface Reader {
  readonly kind: string
  /** Healthy responses, to be damaged. */
  readonly seeds: readonly Buffer[]
  /** Pieces that mean something to who reads it. */
  readonly words: readonly string[]
  /** What is made of it, as a check keeps it. Rejects or throws only by mistake. */
  read(octets: Buffer, dice: Chance): unknown
}

export interface ResponseFindings {
  readonly kind: string
  readonly read: number
  readonly slowest_ms: number
  readonly faults: readonly string[]
}

/** Milliseconds of computing that one response may cost. */
const SLOW_MS = 250
const FAULTS = 5
const NOW = Date.UTC(2026, 10, 21)

const types: readonly RecordType[] = ['A', 'AAAA', 'MX', 'TXT', 'CNAME', 'NS', 'SOA', 'CAA', 'DS', 'TLSA', 'PTR']
const answers = [
  { type: 'A', name: 'a.lab', data: '93.184.216.34' },
  { type: 'AAAA', name: 'a.lab', data: '2606:2800:220:1::1' },
  { type: 'MX', name: 'a.lab', data: { preference: 10, exchange: 'mx.a.lab' } },
  { type: 'TXT', name: 'a.lab', data: ['v=spf1 include:b.lab -all', 'more'] },
  { type: 'CNAME', name: 'a.lab', data: 'b.lab' },
  {
    type: 'SOA',
    name: 'a.lab',
    data: { mname: 'ns.a.lab', rname: 'x.a.lab', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 },
  },
  { type: 'CAA', name: 'a.lab', data: { flags: 0, tag: 'issue', value: 'ca.lab' } },
]

const dns: Reader = {
  kind: 'DNS messages',
  seeds: answers.map(answer =>
    encode({
      type: 'response',
      id: 0,
      flags: 0x8180,
      questions: [{ name: 'a.lab', type: answer.type as 'A' }],
      answers: [
        { ttl: 60, ...answer },
        { ttl: 60, ...answer },
      ] as never,
    }),
  ),
  words: ['\xc0\x0c', '\xc0\x00', '\x3f', '\x00\x29', '\x00\x01\x00\x01', '\xff\xff'],
  read(octets, dice) {
    const type = dice.pick(types)
    const query = createQuery('a.lab', type, false)
    // The damage is meant for what lies behind the id and the question
    if (octets.length >= 12) octets.writeUInt16BE(query.id, 0)
    const reply = readReply(octets, query)
    return typeof reply === 'string' ? reply : readAnswer(reply, 'a.lab', type, new Set(), 16)
  },
}

const html: Reader = {
  kind: 'pages',
  seeds: [
    Buffer.from(PAGE),
    Buffer.from(
      `<meta charset=shift_jis><title>x</title><form action=/a method=post><input type=password></form><a href="mailto:a@b.lab?x">x</a><script type="application/ld+json">{"@type":"Thing"}</script><base href=//c.lab><iframe src=x></iframe><img srcset="a 1x, b 2x">`,
    ),
  ],
  words: parts(
    `
      < > <!-- --> <script> </title &#x & " ' <svg><style> <table> javascript: a@b.lab <![CDATA[ <template>
    `,
    '\ufeff',
    '<meta http-equiv=refresh content="0;url=',
    '<base href="',
    '\xff\xfe',
  ),
  read(octets, dice) {
    const parser = createPageParser(
      'https://a.lab/',
      dice.pick([
        'text/html',
        'text/html; charset=utf-16le',
        'text/html; charset=gb18030',
        'application/xhtml+xml',
        null,
      ]),
    )
    const cut = dice.below(octets.length + 1)
    parser.write(octets.subarray(0, cut))
    parser.write(octets.subarray(cut))
    return parser.end(dice.next() < 0.5)
  },
}

const robots: Reader = {
  kind: 'robots.txt files',
  seeds: [
    Buffer.from(
      'User-agent: *\nDisallow: /a*$\nAllow: /\nCrawl-delay: 5\nSitemap: https://a.lab/sitemap.xml\n# remark\n',
    ),
  ],
  words: ['\r', '\n', ':', '*', '$', 'Sitemap: ', 'Sitemap:http://127.0.0.1/', 'User-agent:', '\ufeff', '\0', '%'],
  read(octets) {
    const text = robotsText(octets)
    return { text, sitemaps: sitemapsNamed(text, 'https://a.lab') }
  },
}

const sitemap: Reader = {
  kind: 'sitemaps',
  seeds: [
    Buffer.from(
      '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.lab/</loc></url></urlset>',
    ),
    Buffer.from('1f8b0800000000000003b3292dca29484d2cb103000b2b3f1c0b000000', 'hex'),
  ],
  words: ['<!DOCTYPE', '<!--', '<?', '<urlset', '<sitemapindex', '\x1f\x8b', 'https://'],
  async read(octets) {
    const reader = createSitemapReader(1024 * 1024)
    const take = reader.receive(
      {
        url: 'https://a.lab/sitemap.xml',
        address: '93.184.216.34',
        status: 200,
        http_version: '1.1',
        headers: [],
      },
      UNHELD,
    )
    take?.(octets)
    return reader.end()
  },
}

const registration = JSON.stringify({
  objectClassName: 'domain',
  ldhName: 'a.lab',
  status: ['active', 'client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z' },
    { eventAction: 'expiration', eventDate: '2030-01-01T00:00:00.123+02:00' },
  ],
  entities: [
    {
      roles: ['registrar'],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', 'Lab'],
        ],
      ],
    },
  ],
  secureDNS: { delegationSigned: true },
  nameservers: [{ ldhName: 'ns1.a.lab' }],
})

const rdap: Reader = {
  kind: 'RDAP answers',
  seeds: [Buffer.from(registration)],
  words: parts('null [ ] { } " 1e999 "__proto__": "ldhName":5 - T true [[[[[[[', '\\u0000'),
  read: octets => readDomain(octets, 'a.lab', NOW),
}

const whois: Reader = {
  kind: 'WHOIS answers',
  seeds: [
    Buffer.from(
      'Domain Name: A.LAB\r\nRegistrar: Lab\r\nCreation Date: 2001-02-03T04:05:06Z\r\nExpiry: 03.02.2030\r\nDomain Status: ok\r\nName Server: ns1.a.lab\r\n',
    ),
    Buffer.from(
      '[Domain] A.LAB\n[\u767b\u9332\u5e74\u6708\u65e5] 2001/02/03\nregistered: before Aug-1996\nNo match for "A.LAB"',
    ),
  ],
  words: ['\r\n', ':', '%', '>>>', 'Creation Date:', '0000-00-00', '99999999', 'refer:', '\x1b[', 'No match', '\xe9'],
  read: octets => readWhois(octets, 'a.lab', NOW),
}

const cookies: Reader = {
  kind: 'header fields',
  seeds: [
    'sid=abc; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=3600',
    '__Host-a="b c"; Expires=Wed, 09 Jun 2021 10:18:14 GMT',
    'gzip, br;q=1.0, , identity',
  ].map(text => Buffer.from(text)),
  words: [';', '=', ',', '"', 'Expires=', 'Domain=', '__proto__', '\t', '\xff'],
  read(octets) {
    const text = octets.toString('latin1')
    return [redactSetCookie(text), contentCodings([text], 2)]
  },
}

function certificates(): Reader {
  const authority = createAuthority()
  const pem = [
    authority.certificate,
    authority.issue({ names: ['a.lab', '*.b.lab'], ips: ['93.184.216.34', '2606:2800:220:1::1'] }).cert,
  ]
  const seeds = pem.map(text => Buffer.from(text.split('-----')[2] ?? '', 'base64'))
  return {
    kind: 'certificates',
    seeds,
    words: ['\x30\x80', '\x30\x84\xff\xff\xff\xff', '\x06\x00', '\x17\x0d', '\xa3', '\x82\xff\xff', '\x05\x00'],
    read: octets => parseCertificate(octets),
  }
}

export const readers = (): readonly Reader[] => [dns, html, robots, sitemap, rdap, whois, cookies, certificates()]

/** `count` mutations of a kind's healthy responses, and every cut of each of them. */
export async function fuzzResponses(reader: Reader, count: number, seed: number): Promise<ResponseFindings> {
  const dice = chance(seed)
  const faults: string[] = []
  let [read, slowest] = [0, 0]
  const look = async (octets: Buffer) => {
    const kept = Buffer.from(octets)
    const began = process.cpuUsage()
    const wrong = await Promise.resolve()
      .then(() => reader.read(octets, dice))
      .then(requireTellable)
      .catch(error => String(error?.stack ?? error).slice(0, 300))
    const { user, system } = process.cpuUsage(began)
    const took = (user + system) / 1_000
    read += 1
    slowest = Math.max(slowest, took)
    const fault = wrong ?? (took > SLOW_MS ? `took ${Math.round(took)} ms` : null)
    if (fault !== null && faults.length < FAULTS) faults.push(`${fault} of ${kept.subarray(0, 600).toString('base64')}`)
  }
  for (const octets of reader.seeds)
    for (let cut = 0; cut <= octets.length && read < count / 2; cut++) await look(Buffer.from(octets.subarray(0, cut)))
  while (read < count) await look(mutated(dice.pick(reader.seeds), dice, reader.words))
  return { kind: reader.kind, read, slowest_ms: Math.round(slowest), faults }
}

/** What goes into an answer is JSON of well-formed text. */
function requireTellable(value: unknown): null {
  const text = JSON.stringify(value) ?? ''
  if (!text.isWellFormed()) throw new Error('not well-formed')
  return null
}
