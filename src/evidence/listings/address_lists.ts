// Lists of addresses, as their operators document them. Most list senders of spam, which tells little of a web site.
import { type BlockList, blockList, means } from './block_list.ts'

const notCommercial = 'free for small, non-commercial use; a paid service needs an agreement'

/** Patterns that mean the same. */
const same = <T>(patterns: readonly string[], value: T): Record<string, T> =>
  Object.fromEntries(patterns.map(pattern => [pattern, value]))

const codes = (...last: readonly number[]): string[] => last.map(octet => `127.0.0.${octet}`)

const attacks = (service: string) => means('attack', 'weak', `attacked ${service} in the last 48 hours`)

export const addressLists: readonly BlockList[] = [
  blockList({
    id: 'spamcop',
    name: 'SpamCop',
    zone: 'bl.spamcop.net',
    asks: ['ipv4'],
    codes: { '127.0.0.2': means('spam', 'weak', 'reported by recipients of spam') },
    terms: 'free to use',
  }),
  blockList({
    id: 'psbl',
    name: 'Passive Spam Block List',
    zone: 'psbl.surriel.com',
    asks: ['ipv4'],
    codes: { '127.0.0.2': means('spam', 'weak', 'wrote to a spam trap') },
    terms: 'free for everybody',
  }),
  blockList({
    id: 'dronebl',
    name: 'DroneBL',
    zone: 'dnsbl.dronebl.org',
    asks: ['ipv4', 'ipv6'],
    codes: {
      '127.0.0.2': means('unknown', 'none', 'sample data'),
      '127.0.0.3': means('botnet', 'moderate', 'IRC drone'),
      '127.0.0.5': means('attack', 'weak', 'bottler'),
      '127.0.0.6': means('botnet', 'moderate', 'unknown worm or spam bot'),
      '127.0.0.7': means('botnet', 'moderate', 'DDoS drone'),
      ...same(codes(8, 9, 10, 11, 14), means('proxy', 'weak', 'open proxy')),
      '127.0.0.12': means('policy', 'none', 'open DNS resolver'),
      '127.0.0.13': means('attack', 'weak', 'brute-force attacker'),
      '127.0.0.15': means('botnet', 'moderate', 'compromised router or gateway'),
      '127.0.0.16': means('malware', 'moderate', 'autorooting worm'),
      '127.0.0.17': means('botnet', 'moderate', 'automatically determined botnet address'),
      '127.0.0.18': means('abused_legit', 'weak', 'possibly compromised DNS or mail server'),
      '127.0.0.19': means('proxy', 'weak', 'abused VPN service'),
      '127.0.0.255': means('unknown', 'none', 'listed without a class'),
    },
    terms: 'free for commercial and other use',
  }),
  blockList({
    id: 'blocklist_de',
    name: 'blocklist.de',
    zone: 'bl.blocklist.de',
    asks: ['ipv4'],
    codes: {
      ...same(codes(2, 7, 9, 10, 13), attacks('a mail service')),
      ...same(codes(3, 5, 11, 12, 15, 17, 18), attacks('a web service')),
      ...same(codes(6, 14, 21, 22), attacks('a log-in')),
      '127.0.0.4': attacks('a telephone service'),
      '127.0.0.8': means('botnet', 'moderate', 'IRC bot seen in the last 48 hours'),
      '127.0.0.16': attacks('by flooding ports'),
      '127.0.0.19': means('spam', 'weak', 'wrote to a spam trap in the last 48 hours'),
      '127.0.0.20': attacks('a reporter, who entered it by hand'),
    },
    terms: 'free to use',
  }),
  blockList({
    id: 'nordspam',
    name: 'NordSpam addresses',
    zone: 'bl.nordspam.com',
    asks: ['ipv4', 'ipv6'],
    codes: { '127.0.0.2': means('spam', 'weak', 'source of spam to Nordic and European networks') },
    daily: 10_000,
    terms: 'free for commercial and other use up to 10 000 questions a day',
    off: 'the daily allowance is small, and three addresses a check use it up soon',
  }),
  blockList({
    id: 'spamhaus_zen',
    name: 'Spamhaus ZEN',
    zone: 'zen.spamhaus.org',
    asks: ['ipv4', 'ipv6'],
    codes: {
      '127.0.0.2': means('spam', 'moderate', 'SBL: spam operation or its supporter'),
      '127.0.0.3': means('spam', 'weak', 'CSS: source of low-reputation mail'),
      ...same(codes(4, 5, 6, 7), means('botnet', 'moderate', 'XBL: exploited or infected host')),
      '127.0.0.9': means('malware', 'strong', 'DROP: network leased or stolen by criminals'),
      ...same(codes(10, 11), means('policy', 'none', 'PBL: should not send mail directly')),
      '127.0.0.30': means('botnet', 'strong', 'BCL: botnet controller'),
    },
    refuses_public_resolvers: true,
    daily: 100_000,
    terms: notCommercial,
    off: 'its terms forbid commercial use without a contract; a Data Query Service key goes into the zone',
  }),
  blockList({
    id: 'barracuda',
    name: 'Barracuda Reputation Block List',
    zone: 'b.barracudacentral.org',
    asks: ['ipv4'],
    codes: { '127.0.0.2': means('spam', 'weak', 'source of spam') },
    terms: 'free for registered resolvers',
    off: 'answers only resolvers whose addresses were registered',
  }),
  blockList({
    id: 'mailspike',
    name: 'Mailspike',
    zone: 'bl.mailspike.net',
    asks: ['ipv4'],
    codes: {
      '127.0.0.2': means('spam', 'weak', 'part of a distributed wave of spam'),
      ...same(codes(10, 11, 12), means('spam', 'weak', 'worst reputations as a sender')),
    },
    daily: 100_000,
    terms: notCommercial,
    off: 'its terms restrict public questions to small sites',
  }),
  blockList({
    id: 'uceprotect_1',
    name: 'UCEPROTECT level 1',
    zone: 'dnsbl-1.uceprotect.net',
    asks: ['ipv4'],
    codes: { '127.0.0.2': means('spam', 'weak', 'wrote to a spam trap in the last 7 days') },
    terms: 'free to use',
    off: 'takes money for early removal and lists widely: much noise for a web site',
  }),
  blockList({
    id: '0spam',
    name: '0Spam',
    zone: 'bl.0spam.org',
    asks: ['ipv4'],
    codes: { '127.0.0.*': means('spam', 'weak', 'wrote to a spam trap') },
    terms: 'free for mail providers',
    off: 'offered to mail providers; other use is not spoken of',
  }),
  blockList({
    id: 'dnswl',
    name: 'DNSWL',
    zone: 'list.dnswl.org',
    asks: ['ipv4', 'ipv6'],
    codes: { '127.0.*.*': means('white', 'none', 'known sender of wanted mail') },
    errors: { '127.0.0.255': 'volume_exceeded', '127.0.10.*': 'volume_exceeded' },
    test_points: { listed: ['2.0.0.127'], unlisted: [] },
    daily: 100_000,
    terms: notCommercial,
    off: 'its terms forbid commercial use, and it speaks of mail only',
  }),
]
