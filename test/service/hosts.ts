// Names of every kind a check meets, for the tests of the whole service.
import { demoHosts } from '../../src/testing/demo/hosts.ts'
import { plainPage } from '../../src/testing/demo/pages.ts'
import type { LabFault, LabQuestion } from '../../src/testing/lab_dns.ts'
import type { LabHost, LabInternet } from '../../src/testing/lab_internet.ts'
import type { LabHandler } from '../../src/testing/lab_web.ts'

/** In a cookie's value and in a page's markup: neither may leave the service. */
export const COOKIE_CANARY = 'canary0cookie0value'
export const MARKUP_CANARY = 'canary0page0markup'

const page = plainPage('A plain page')
const plain: LabHandler = () => ({ body: page })
const redirectTo =
  (location: string): LabHandler =>
  () => ({ status: 302, headers: [['Location', location]] })

const canary: LabHandler = ({ url }) => {
  if (url !== '/') return { status: 404 }
  const headers = [['Set-Cookie', `session=${COOKIE_CANARY}; Secure; HttpOnly; Path=/`] as const]
  return { headers, body: page.replace('<body>', `<body data-page="${MARKUP_CANARY}">`) }
}

const site = (name: string, addresses: readonly string[], https: LabHandler = plain): LabHost => ({
  name,
  addresses,
  https,
})

const ownHosts: readonly LabHost[] = [
  site('canary.lab', ['193.0.14.50'], canary),
  site('mixed.lab', ['127.0.0.1', '193.0.14.51', '10.0.0.5']),
  site('mixed-families.lab', ['::1', '193.0.14.52']),
  { name: 'only-plain.lab', addresses: ['193.0.14.53'], http: plain },
  { name: 'closed.lab', addresses: ['193.0.14.54'] },
  { name: 'black-hole.lab', addresses: ['193.0.14.55'], http: plain },
  { name: 'silent.lab', addresses: ['193.0.14.56'] },
  site('leads-inside.lab', ['193.0.14.57'], redirectTo('http://169.254.169.254/latest/')),
  site('leads-inside-by-name.lab', ['193.0.14.58'], redirectTo('https://points-inside.lab/')),
  { ...site('193.0.14.60', ['193.0.14.60']), certificate: { ips: ['193.0.14.60'], names: [] } },
  { ...site('2a10:3781:1::61', ['2a10:3781:1::61']), certificate: { ips: ['2a10:3781:1::61'], names: [] } },
  site('two-machines.lab', ['193.0.14.62']),
  { name: 'no-address.lab', addresses: [], records: { TXT: ['v=spf1 -all'] } },
  { name: 'broken-zone.lab', addresses: ['193.0.14.63'] },
  site('slow.lab', ['193.0.14.64'], () => new Promise(() => {})),
  site('elsewhere.lab', ['193.0.14.65']),
]

/** Two of the known blocklists, with their test points; one of them lists the phishing page. */
export const LISTS = ['spamhaus_zen', 'spamhaus_dbl']

const blocklists: LabHost = {
  name: 'blocklists.lab',
  addresses: [],
  zones: {
    '2.0.0.127.zen.spamhaus.org': { A: ['127.0.0.2'] },
    'test.dbl.spamhaus.org': { A: ['127.0.1.2'] },
    'dbltest.com.dbl.spamhaus.org': { A: ['127.0.1.2'] },
    'secure-paypal-login.lab.dbl.spamhaus.org': { A: ['127.0.1.4'] },
  },
}

/** Certificates are dated from then: a minute ago, so that the count of days does not depend on the second of a test. */
export const hostsSince = new Date(Date.now() - 60_000)

export const serviceHosts: readonly LabHost[] = [...demoHosts(hostsSince), ...ownHosts, blocklists]

export const hostsNamed = (...names: string[]): readonly LabHost[] =>
  serviceHosts.filter(host => names.includes(host.name) || host === blocklists)

/** Ports that swallow what is sent to them. */
export function digBlackHoles({ web }: LabInternet): void {
  web.place('193.0.14.55', 443, 'black_hole')
  for (const port of [80, 443]) web.place('193.0.14.56', port, 'black_hole')
}

export const zoneFaults = ({ name }: LabQuestion): LabFault | undefined =>
  name === 'broken-zone.lab' || name.endsWith('.broken-zone.lab') ? { rcode: 'SERVFAIL' } : undefined

/** Waits for what never answers; long enough for a busy machine to answer in. */
export const LAB_LIMITS = { connect_ms: 2_000, headers_ms: 3_000 }
