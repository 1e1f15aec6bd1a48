// The sites of the demo's internet, healthy and not.
import { contains } from '../../evidence/ip_network/network_answer.ts'
import { reverseZone } from '../../evidence/reverse_names/gather.ts'
import type { LabFault, LabQuestion } from '../lab_dns.ts'
import type { LabHost, LabInternet } from '../lab_internet.ts'
import type { LabResponse } from '../lab_web.ts'
import { linkHosts } from './links.ts'
import { demoLookalikes, iconResponse } from './lookalikes.ts'
import type { LabNetwork, Outside } from './outside.ts'
import {
  blogPage,
  crawlFiles,
  framedPage,
  goodMail,
  oldPage,
  parkedPage,
  phishingPage,
  plainPage,
  redirectTo,
  refreshPage,
  refusalPage,
  scriptWrittenPage,
  shopPage,
  simpleMail,
  site,
} from './pages.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const SILENT_ADDRESS = '193.0.14.77'
const daysFrom = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS)

const goodHeaders: LabResponse['headers'] = [
  ['Server', 'nginx'],
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains; preload'],
  ['Content-Security-Policy', "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
  ['Set-Cookie', '__Host-session=Zm9vYmFy; Path=/; Secure; HttpOnly; SameSite=Lax'],
]

const blogHeaders: LabResponse['headers'] = [
  ['Server', 'Apache/2.4.58 (Ubuntu)'],
  ['X-Powered-By', 'PHP/8.1.27'],
  ['Set-Cookie', 'PHPSESSID=Zm9vYmFy; Path=/'],
  ['Set-Cookie', '_ga=Zm9vYmFy; Path=/; Max-Age=63072000; SameSite=Lax; Secure'],
]

/** What the registry publishes of a signed zone. */
const SIGNED_ZONE_DS = [{ key_tag: 1, algorithm: 13, digest_type: 2 }]

const shopMail = goodMail('healthy-shop.lab', '193.0.14.11')

/** Certificate dates are relative to `now`. */
export const demoHosts = (now: Date): readonly LabHost[] => [
  {
    name: 'healthy-shop.lab',
    addresses: ['193.0.14.10', '2a10:3781:1::10'],
    zones: {
      ...shopMail.zones,
      'ns1.healthy-shop.lab': { A: ['193.0.14.53'], AAAA: ['2a10:3781:1::53'] },
      'ns2.healthy-shop.lab': { A: ['193.0.14.54'] },
      ...reverse('193.0.14.10', 'healthy-shop.lab'),
      ...reverse('2a10:3781:1::10', 'healthy-shop.lab'),
      ...reverse('193.0.14.11', 'mail.healthy-shop.lab'),
    },
    mail: [{ name: 'mail.healthy-shop.lab', address: '193.0.14.11', certificate: {}, tlsa: 'own' }],
    records: {
      ...shopMail.records,
      NS: ['ns1.healthy-shop.lab', 'ns2.healthy-shop.lab'],
      SOA: [
        {
          mname: 'ns1.healthy-shop.lab',
          rname: 'hostmaster.healthy-shop.lab',
          serial: 2026_11_01_01,
          refresh: 7200,
          retry: 900,
          expire: 1_209_600,
          minimum: 300,
        },
      ],
      DS: SIGNED_ZONE_DS,
      DNSKEY: [
        { flags: 257, algorithm: 13, bits: 512 },
        { flags: 256, algorithm: 13, bits: 512 },
      ],
      CAA: [{ critical: false, tag: 'issue', value: 'lab.example' }],
    },
    http: redirectTo('https://healthy-shop.lab/'),
    https: site({
      '/': { headers: goodHeaders, body: shopPage },
      '/favicon.ico': iconResponse,
      ...crawlFiles('https://healthy-shop.lab'),
    }),
    certificate: {
      names: ['healthy-shop.lab', 'www.healthy-shop.lab'],
      not_before: daysFrom(now, -20),
      not_after: daysFrom(now, 70),
    },
  },
  {
    name: 'expired-certificate.lab',
    addresses: ['193.0.14.20'],
    records: simpleMail('expired-certificate.lab'),
    zones: { '_dmarc.expired-certificate.lab': { TXT: ['v=DMARC1; p=none'] } },
    mail: [{ name: 'mail.expired-certificate.lab', address: '193.0.14.21', certificate: { self_signed: true } }],
    https: site({
      '/': { headers: [['Server', 'Apache/2.4.41 (Ubuntu)']], body: plainPage('Club of model railways') },
    }),
    certificate: { not_before: daysFrom(now, -120), not_after: daysFrom(now, -30) },
  },
  {
    name: 'kitchen-blog.lab',
    addresses: ['193.0.14.71'],
    records: simpleMail('kitchen-blog.lab'),
    zones: { '_dmarc.kitchen-blog.lab': { TXT: ['v=DMARC1; p=none'] } },
    mail: [{ name: 'mail.kitchen-blog.lab', address: '193.0.14.72' }],
    http: redirectTo('https://kitchen-blog.lab/'),
    https: site({ ...crawlFiles('https://kitchen-blog.lab'), '/': { headers: blogHeaders, body: blogPage } }),
  },
  {
    name: 'refuses-us.lab',
    addresses: ['193.0.14.73'],
    records: simpleMail('refuses-us.lab'),
    zones: { '_dmarc.refuses-us.lab': { TXT: ['v=DMARC1; p=reject'] } },
    mail: [{ name: 'mail.refuses-us.lab', address: '193.0.14.74', certificate: { names: ['mail.hosting.lab'] } }],
    https: () => ({ status: 403, headers: [['Server', 'cloudflare']], body: refusalPage }),
  },
  {
    name: 'old-bakery.lab',
    addresses: ['193.0.14.75'],
    http: site({ '/': { headers: [['Content-Type', 'text/html']], body: Buffer.from(oldPage, 'latin1') } }),
  },
  {
    name: 'town-choir.lab',
    addresses: ['193.0.14.76'],
    https: site({ '/': { headers: [['Server', 'nginx']], body: plainPage('Choir of the old town') } }),
    certificate: { key: 'rsa2048' },
    tls: { minVersion: 'TLSv1', ciphers: 'ALL:COMPLEMENTOFALL:@SECLEVEL=0' },
  },
  {
    name: 'mixed-mail.lab',
    addresses: ['193.0.14.60'],
    records: {
      MX: ['mx1', 'mx2', 'mx3'].map((label, at) => ({ preference: at * 10, exchange: `${label}.mixed-mail.lab` })),
      TXT: ['v=spf1 mx -all'],
    },
    zones: {
      'mx3.mixed-mail.lab': { A: ['10.0.0.25'] },
      '_dmarc.mixed-mail.lab': { TXT: ['v=DMARC1; p=reject'] },
    },
    mail: [
      { name: 'mx1.mixed-mail.lab', address: '193.0.14.61', behaviour: 'nonsense' },
      { name: 'mx2.mixed-mail.lab', address: '193.0.14.62', behaviour: 'tarpit' },
    ],
    https: site({ '/': { headers: goodHeaders, body: plainPage('Office of many servers') } }),
  },
  {
    name: 'strict-mail.lab',
    addresses: ['193.0.14.63'],
    records: { ...simpleMail('strict-mail.lab'), DS: SIGNED_ZONE_DS },
    zones: {
      '_dmarc.strict-mail.lab': { TXT: ['v=DMARC1; p=reject'] },
      '_mta-sts.strict-mail.lab': { TXT: ['v=STSv1; id=1'] },
    },
    mail: [
      {
        name: 'mail.strict-mail.lab',
        address: '193.0.14.64',
        certificate: { names: ['old.strict-mail.lab'] },
        tlsa: 'other',
      },
    ],
    https: site({ '/': { headers: goodHeaders, body: plainPage('Archive with strict mail') } }),
  },
  {
    name: 'parked-name.lab',
    addresses: ['193.0.14.30'],
    records: { MX: [{ preference: 0, exchange: '' }], TXT: ['v=spf1 -all'] },
    zones: { '_dmarc.parked-name.lab': { TXT: ['v=DMARC1; p=reject'] } },
    http: site({ '/': { body: parkedPage } }),
  },
  {
    name: 'script-written.lab',
    addresses: ['193.0.14.31'],
    https: site({ '/': { headers: goodHeaders, body: scriptWrittenPage } }),
  },
  {
    name: 'framed-choir.lab',
    addresses: ['193.0.14.32'],
    https: site({
      '/': { body: framedPage('Choir of the harbour', '/programme') },
      '/programme': { body: plainPage('Choir of the harbour') },
    }),
  },
  {
    name: 'leads-on.lab',
    addresses: ['193.0.14.33'],
    https: site({ '/': { body: refreshPage('/home') }, '/home': { body: plainPage('Rowing club') } }),
  },
  {
    name: 'secure-paypal-login.lab',
    addresses: ['45.130.40.40'],
    https: site({ '/': { headers: [['X-Powered-By', 'PHP/5.6.40']], body: phishingPage } }),
    certificate: { self_signed: true, not_before: daysFrom(now, -1), not_after: daysFrom(now, 364) },
  },
  { name: 'points-inside.lab', addresses: ['127.0.0.1', '10.0.0.5'] },
  // A black hole.
  { name: 'silent-host.lab', addresses: [SILENT_ADDRESS] },
  ...linkHosts,
  ...demoLookalikes,
  // An address on blocklists where nothing answers.
  {
    name: 'vps-66.offshore-servers.lab',
    addresses: ['45.130.40.66'],
    zones: reverse('45.130.40.66', 'vps-66.offshore-servers.lab'),
  },
]

/** Names with failing name servers. The last one is also on the demo's feed. */
export const demoNamesThatFail: readonly string[] = [
  'silent-name-servers.lab',
  'refusing-name-servers.lab',
  'listed-behind-silent-name-servers.lab',
]

const nameServers: Readonly<Record<string, LabFault>> = {
  'silent-name-servers.lab': { silent: true },
  'refusing-name-servers.lab': { rcode: 'REFUSED' },
  'listed-behind-silent-name-servers.lab': { silent: true },
}

/** The faults of the demo's name servers. */
export const demoFaults = ({ name }: LabQuestion): LabFault | undefined =>
  nameServers[name.split('.').slice(-2).join('.')]

/** Ports that drop everything. */
export function digBlackHoles({ web }: Pick<LabInternet, 'web'>): void {
  for (const port of [80, 443]) web.place(SILENT_ADDRESS, port, 'black_hole')
}

/** Addresses for checks of IP targets. */
export const demoAddresses: readonly string[] = ['193.0.14.10', '2a10:3781:1::10', '45.130.40.40', '45.130.40.66']

/** Days since the registration of the demo's names. */
const ages: Readonly<Record<string, number>> = {
  'healthy-shop.lab': 2_900,
  'expired-certificate.lab': 1_300,
  'kitchen-blog.lab': 1_100,
  'refuses-us.lab': 800,
  'old-bakery.lab': 7_800,
  'town-choir.lab': 4_400,
  'mixed-mail.lab': 1_500,
  'strict-mail.lab': 2_100,
  'corner-bakery.lab': 2_600,
  'short-link.lab': 1_500,
  'parked-name.lab': 420,
  'script-written.lab': 12,
  'framed-choir.lab': 3_200,
  'leads-on.lab': 2_200,
  'secure-paypal-login.lab': 2,
  'points-inside.lab': 640,
  'silent-host.lab': 900,
  'silent-name-servers.lab': 400,
  'refusing-name-servers.lab': 700,
  'listed-behind-silent-name-servers.lab': 3,
  'offshore-servers.lab': 380,
  'healthy-sh0p.lab': 4,
  'healthyshop.lab': 2_800,
  'heathy-shop.lab': 60,
  'healthy-shop-login.lab': 1,
  'healthy-shops.lab': 0,
}

/** What third parties know about the demo's sites. */
export const demoKnowledge: Outside = {
  listed: ['secure-paypal-login.lab', '45.130.40.66'],
  green: ['healthy-shop.lab', 'kitchen-blog.lab'],
  ageOf: domain => ages[domain] ?? null,
  networkOf: ip => networks.find(network => contains(network, ip)) ?? null,
}

function reverse(ip: string, name: string): LabHost['zones'] {
  return { [reverseZone(ip)]: { PTR: [name] } }
}

const cooperative: Omit<LabNetwork, 'start_address' | 'end_address'> = {
  name: 'LAB-HOSTING',
  holder: 'Lab Hosting Cooperative',
  country: 'NL',
  registered_at: '2009-04-01T09:30:00Z',
  abuse_email: 'abuse@lab-hosting.lab',
}

/** The demo's address blocks, as in their registry. */
const networks: readonly LabNetwork[] = [
  { ...cooperative, start_address: '193.0.14.0', end_address: '193.0.14.255' },
  { ...cooperative, start_address: '2a10:3781:1::', end_address: '2a10:3781:1:ffff:ffff:ffff:ffff:ffff' },
  {
    start_address: '45.130.40.0',
    end_address: '45.130.43.255',
    name: 'OFFSHORE-SRV',
    holder: 'Offshore Servers Ltd',
    country: 'SC',
    registered_at: '2025-11-03T14:00:00Z',
    abuse_email: 'abuse@offshore-servers.lab',
  },
]

/** Locations of the demo's addresses, for its MMDB file. */
export const demoPlaces = {
  '193.0.14.0/24': place('NL', 'Amsterdam', 64_496, 'Lab Hosting Cooperative'),
  '2a10:3781:1::/48': place('NL', 'Amsterdam', 64_496, 'Lab Hosting Cooperative'),
  '45.130.40.0/24': place('SC', 'Victoria', 64_497, 'Offshore Servers Ltd'),
}

function place(isoCode: string, city: string, number: number, organization: string) {
  return {
    country: { iso_code: isoCode },
    city: { names: { en: city } },
    autonomous_system_number: number,
    autonomous_system_organization: organization,
  }
}

const watchedMail = goodMail('hacked-now-and-then.lab', '193.0.14.92')

/** To watch: it becomes a phishing page every other minute. `now` is the wall clock, in milliseconds. */
export const watchedHost = (now: () => number): LabHost => ({
  name: 'hacked-now-and-then.lab',
  addresses: ['193.0.14.90'],
  ...watchedMail,
  https: () => ({
    body: Math.floor(now() / MINUTE_MS) % 2 === 0 ? plainPage('Club of model railways') : phishingPage,
  }),
})

/** Accepts webhooks at https://hooks.lab/… `onReceive` gets each, as text. */
export const receiverHost = (onReceive: (text: string) => void): LabHost => ({
  name: 'hooks.lab',
  addresses: ['193.0.14.91'],
  https({ method, url, headers, body }) {
    if (method !== 'POST') return { body: 'A receiver of webhooks.' }
    const headerLines = ['webhook-id', 'webhook-attempt', 'webhook-signature'].map(name => `${name}: ${headers[name]}`)
    onReceive([`POST ${url}`, ...headerLines, body].join('\n'))
    return { status: 204 }
  },
})
