// What the fuzzers are made of: words by fast-check, kept in a corpus and joined by a seeded generator, which is far faster.
import fc from 'fast-check'
import { anyText, parts } from '../any_text.ts'
import { random } from '../faults/options.ts'

export interface Chance {
  /** 0 to below 1. */
  next(): number
  below(most: number): number
  pick<T>(list: readonly T[]): T
}

export function chance(seed: number): Chance {
  const next = random(seed)
  const below = (most: number) => Math.floor(next() * most)
  return { next, below, pick: list => list[below(list.length)] as (typeof list)[number] }
}

const label = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z0-9_-]{1,12}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^xn--[a-z0-9-]{0,12}$/) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  { weight: 1, arbitrary: anyText({ maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '*',
      '.',
      '%2e',
      'a'.repeat(63),
      'a'.repeat(64),
      '\u3002',
      '\u202e',
      '0x7f',
      '127',
      '\u2460',
      '__proto__',
      'constructor',
      '%00',
      '[',
      'ｅ',
    ),
  },
)
const suffix = fc.constantFrom(...parts('com lab co.uk test local github.io xn--p1ai onion in-addr.arpa com. COM', ''))
const name = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), suffix)
  .map(([labels, end]) => [...labels, end].join('.'))
const ip = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6(),
  fc.tuple(fc.ipV6(), fc.string({ maxLength: 4 })).map(([address, zone]) => `${address}%${zone}`),
  fc.array(fc.integer({ min: -1, max: 300 }), { maxLength: 6 }).map(parts => parts.join('.')),
  fc
    .array(fc.integer({ min: 0, max: 0x1ffff }), { maxLength: 10 })
    .map(parts => parts.map(part => part.toString(16)).join(':')),
  fc.constantFrom(
    ...parts(':: ::1 0 0x7f000001 010.0.0.1 ::ffff:7f00:1 64:ff9b::1 1.1.1.1/8 [::1] 1.1.1.1.', '٣.1.1.1'),
  ),
)
/** What parsers of URLs disagree about, in any order and between any names. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(name, ip) },
  { weight: 1, arbitrary: anyText({ maxLength: 6 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...parts(
        '/ // @ : :80 :8443 :0 ? # %2f %40 %25 [ ] [::1] ../ %2e%2e/ user:pass@',
        '\\',
        '\t',
        '\n',
        ' ',
        '\u3002',
        '\uff0f',
        '\uff20',
        '\ud800',
        'x'.repeat(2_000),
        '?u=https://',
        '&',
        '=',
      ),
    ),
  },
)
const url = fc
  .tuple(
    fc.constantFrom(
      'https://',
      'http://',
      'https://',
      'HTTPS://',
      'https:/',
      'https:',
      'https:\\\\',
      '//',
      'ftp://',
      '',
    ),
    fc.oneof(
      name,
      ip.map(address => (address.includes(':') ? `[${address}]` : address)),
    ),
    fc.array(piece, { maxLength: 5 }),
  )
  .map(([scheme, host, rest]) => `${scheme}${host}${rest.join('')}`)
const other = fc.tuple(fc.string({ maxLength: 8 }), anyText({ maxLength: 20 }))

/** Names and values as clients may write them: raw, encoded, encoded twice, cut. */
const written = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.constantFrom('once', 'twice', 'plus', 'latin1', 'cut'))
    .map(([value, how]) => encodeAs(value.toWellFormed(), how))

function encodeAs(value: string, how: string): string {
  const once = encodeURIComponent(value)
  if (how === 'twice') return encodeURIComponent(once)
  if (how === 'plus') return once.replaceAll('%20', '+')
  if (how === 'latin1') return [...Buffer.from(value)].map(octet => `%${octet.toString(16).padStart(2, '0')}`).join('')
  return how === 'cut' ? once.slice(0, -1) : once
}

const header = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      ...parts(`
        Accept X-Request-Id Accept-Language X-Forwarded-For X-Forwarded-Proto Forwarded Cookie Authorization
        traceparent If-None-Match Range Expect Upgrade TE Via __proto__ Origin Referer
      `),
    ),
    fc.stringMatching(/^[ -~]{0,40}$/),
  ),
  fc.tuple(fc.stringMatching(/^[A-Za-z-]{1,20}$/), fc.stringMatching(/^[ -~\x80-\xff]{0,60}$/)),
  fc.constantFrom(
    ['Accept', 'application/json'],
    ['Accept', '*/*;q=0.1, text/html'],
    ['Accept', ','.repeat(900)],
    ['Accept', 'application/json;q=0'],
  ),
)

export interface Corpus {
  readonly names: readonly string[]
  readonly ips: readonly string[]
  readonly urls: readonly string[]
  readonly others: readonly string[]
  readonly headers: readonly string[]
}

export function requestCorpus(seed: number, words: number): Corpus {
  const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: words, seed })
  return {
    names: sample(written(name)),
    ips: sample(written(ip)),
    urls: sample(written(url)),
    others: sample(other).map(
      ([key, value]) => `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
    ),
    headers: sample(header)
      .map(([key, value]) => `${key}: ${value}`)
      .filter(
        line =>
          !/^(?:content-length|transfer-encoding|connection|host|expect|upgrade|trailer|keep-alive|te|proxy-connection)\s*:/i.test(
            line,
          ),
      ),
  }
}

/** One query string: mostly a target, sometimes two, sometimes among others, sometimes damaged. */
export function anyQuery({ names, ips, urls, others }: Corpus, { below, pick, next }: Chance): string {
  const parts: string[] = []
  const isLink = next() < 0.3
  if (isLink) parts.push(`url=${pick(urls)}`)
  if (next() < (isLink ? 0.1 : 0.7)) parts.push(`domain=${pick(names)}`)
  if (next() < (isLink ? 0.1 : 0.35)) parts.push(`ip=${pick(ips)}`)
  if (next() < 0.1) parts.push(`visit=${pick(['true', 'false', '', '1'])}`)
  while (next() < 0.2) parts.push(pick(others))
  const joined = parts.join(next() < 0.05 ? ';' : '&')
  if (next() < 0.9 || joined.length === 0) return joined
  const at = below(joined.length)
  return `${joined.slice(0, at)}${pick(DAMAGE)}${joined.slice(at + below(3))}`
}

const DAMAGE = parts(`% & = &&& %% %ZZ %c0%ae ? # + ; %00 %0d%0a ' " < { %ud800`, '\\')
