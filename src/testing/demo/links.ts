// The demo's links: a compromised bakery site, with a phishing kit under a path that its front page never shows, and a
// shortener that leads there.
import type { LabHost } from '../lab_internet.ts'
import type { LabHandler } from '../lab_web.ts'
import { crawlFiles, plainPage, redirectTo, simpleMail, site } from './pages.ts'

const BAKERY = 'corner-bakery.lab'
const KIT = '/wp-content/uploads/2026/mailbox/verify.php'
/** Reported to the feed of pages; the kit is not yet. */
const LISTED_PATH = '/wp-includes/css/parcel/track.php'

const bakeryPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="WordPress 6.4.3">
<title>The Corner Bakery</title>
<meta name="description" content="Sourdough, rolls and cakes, baked every night and sold from six in the morning.">
<link rel="stylesheet" href="/wp-content/themes/bakery/style.css?ver=2.1">
</head>
<body class="home">
<h1>The Corner Bakery</h1>
<p>Sourdough, rolls and cakes, baked every night and sold from six in the morning. On Mondays the oven rests, and so do we.</p>
<h2>Order a cake</h2>
<p>Write to <a href="mailto:cakes@corner-bakery.lab">cakes@corner-bakery.lab</a> two days ahead, or call <a href="tel:+4930901821">+49 30 901821</a>.</p>
</body>
</html>`

const kitPage = `<!doctype html>
<html><head><meta charset="utf-8"><meta name="robots" content="noindex"><title>Sign in to your Microsoft account</title></head>
<body>
<div><img src="data:image/png;base64,iVBORw0KGgo=" alt="Microsoft"></div>
<h1>Sign in</h1>
<p>Your Outlook mailbox is almost full. Verify your password within 24 hours, or incoming messages will be deleted.</p>
<form action="post.php" method="post">
<input type="email" name="login" placeholder="Email, phone or Skype"><input type="password" name="passwd" placeholder="Password">
<button>Next</button>
</form>
<p>© Microsoft 2026. Privacy &amp; cookies</p>
</body></html>`

const parcelPage = `<!doctype html>
<html><head><title>Your parcel is waiting</title></head>
<body><h1>Your parcel is waiting</h1><p>Pay the customs fee of 1.99 to receive it.</p>
<form action="pay.php" method="post"><input name="card" autocomplete="cc-number"><input name="cvv"><button>Pay</button></form></body></html>`

/** By path alone: every recipient of the mail has a query of their own. */
const byPath =
  (handler: LabHandler): LabHandler =>
  request =>
    handler({ ...request, url: request.url.replace(/\?.*/, '') })

/** The shortener's links and where they lead. */
const short: Readonly<Record<string, string>> = {
  '/cake': `https://${BAKERY}/`,
  '/mail': `https://${BAKERY}${KIT}?user=jane.doe%40healthy-shop.lab`,
  '/pay': 'https://secure-paypal-login.lab/',
}

const shortener: LabHandler = request => {
  const to = short[request.url]
  return to === undefined ? site({ '/': { body: plainPage('Short links') } })(request) : redirectTo(to, 302)(request)
}

export const linkHosts: readonly LabHost[] = [
  {
    name: BAKERY,
    addresses: ['193.0.14.78'],
    records: simpleMail(BAKERY),
    zones: { [`_dmarc.${BAKERY}`]: { TXT: ['v=DMARC1; p=reject'] } },
    mail: [{ name: `mail.${BAKERY}`, address: '193.0.14.66' }],
    http: redirectTo(`https://${BAKERY}/`),
    https: byPath(
      site({
        ...crawlFiles(`https://${BAKERY}`),
        '/': { headers: [['Server', 'nginx']], body: bakeryPage },
        [KIT]: { headers: [['Server', 'nginx']], body: kitPage },
        [LISTED_PATH]: { headers: [['Server', 'nginx']], body: parcelPage },
      }),
    ),
  },
  {
    name: 'short-link.lab',
    addresses: ['193.0.14.79'],
    records: simpleMail('short-link.lab'),
    zones: { '_dmarc.short-link.lab': { TXT: ['v=DMARC1; p=reject'] } },
    mail: [{ name: 'mail.short-link.lab', address: '193.0.14.67' }],
    http: redirectTo('https://short-link.lab/'),
    https: shortener,
  },
]

/** Links to check in the demo. */
export const demoLinks: readonly string[] = [
  `https://${BAKERY}${KIT}?user=jane.doe%40healthy-shop.lab`,
  `https://${BAKERY}${LISTED_PATH}`,
  ...Object.keys(short).map(path => `https://short-link.lab${path}`),
]

/** The demo's feed of pages. */
export const listedPages: readonly string[] = [`https://${BAKERY}${LISTED_PATH}`]
