// The demo's pages, short but similar to real ones, and building blocks of lab sites: fixed paths, text and XML files,
// redirects, well-configured mail.
import type { LabHost } from '../lab_internet.ts'
import type { LabHandler, LabResponse } from '../lab_web.ts'

export const shopPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Walnut &amp; Oak: furniture made to order</title>
<meta name="description" content="Tables, shelves and chairs in walnut and oak, made to order in our own workshop and delivered in four weeks.">
<link rel="canonical" href="https://healthy-shop.lab/">
<script src="/assets/cart.js" defer></script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Store","name":"Walnut & Oak"}</script>
</head>
<body>
<h1>Furniture made to order</h1>
<p>Every piece is built in our workshop. Choose wood, size and finish; we deliver in four weeks, and take it back if it does not fit. The wood comes from forests within a day's drive, and
every table bears the name of the joiner who made it.</p>
<img src="/assets/table.webp" alt="A walnut table for six" width="640" height="480">
<h2>Visit or write</h2>
<p>Write to <a href="mailto:hello@healthy-shop.lab">hello@healthy-shop.lab</a> or call <a href="tel:+4930901820">+49 30 901820</a>.</p>
<p><a href="https://www.instagram.com/walnutandoak">Our work in pictures</a></p>
</body>
</html>`

export const parkedPage = `<!doctype html>
<html><head><title>parked-name.lab is for sale</title></head>
<body><h1>parked-name.lab</h1><p>This domain is for sale. Buy this domain.</p>
<p>Related searches: insurance, loans, hotels</p></body></html>`

export const phishingPage = `<!doctype html>
<html><head><title>PayPal: confirm your account</title></head>
<body>
<h1>Your account is limited</h1>
<p>Confirm your password within 24 hours to keep your account.</p>
<form action="http://collector.lab/drop.php" method="post">
<input type="email" name="login"><input type="password" name="pass"><button>Log in</button>
</form>
</body></html>`

export const blogPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="WordPress 6.4.3">
<title>Notes from a small kitchen</title>
<meta name="description" content="Bread, soups and pickles from a small kitchen, with all the mistakes that came before them.">
<link rel="stylesheet" href="/wp-content/themes/twentytwentyfour/style.css?ver=1.0">
<script src="/wp-includes/js/jquery/jquery.min.js?ver=3.7.1"></script>
<script async src="https://www.googletagmanager.com/gtag/js?id=G-0DEM0DEM0X"></script>
</head>
<body class="home blog">
<h1>Notes from a small kitchen</h1>
<h2><a href="/rye/">Rye bread, the ninth attempt</a></h2>
<p>It rose. After eight bricks it rose, and the only thing that I changed was patience. <a href="/rye/">Read more</a></p>
<img src="/wp-content/uploads/rye.jpg">
<p>Write to kitchen [at] example [dot] org, or see the <a href="https://www.youtube.com/@smallkitchen">films</a>.</p>
</body>
</html>`

export const refusalPage = `<!doctype html>
<html lang="en"><head><title>Attention Required! | Cloudflare</title></head>
<body><h1>Sorry, you have been blocked</h1><p>This website uses a security service to protect itself.</p>
<p>Performance and security by Cloudflare</p></body></html>`

/** Sent as ISO 8859-1, as declared. */
export const oldPage = `<html><head>
<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">
<title>B\u00e4ckerei M\u00fcller in Gro\u00dfenhain</title>
</head><body><h1>B\u00e4ckerei M\u00fcller</h1>
<p>T\u00e4glich frische Br\u00f6tchen, K\u00e4sekuchen und Stollen. Ge\u00f6ffnet ab sechs Uhr fr\u00fch.</p>
<p>Bestellungen: <a href="tel:+4935225550">03522 5550</a></p></body></html>`

export const plainPage = (title: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1></body></html>`

/** The shell of an application: everything that a visitor sees is written by its script. */
export const scriptWrittenPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Customer area</title><script src="/assets/app.js" defer></script></head>
<body><noscript>Enable JavaScript to see this page.</noscript><div id="root"></div></body></html>`

export const framedPage = (title: string, frame: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head>
<body style="margin:0"><iframe src="${frame}" style="border:0;width:100%;height:100vh"></iframe></body></html>`

export const refreshPage = (to: string) =>
  `<!doctype html><html lang="en"><head><meta http-equiv="refresh" content="0; url=${to}"></head><body></body></html>`

/** A site with fixed paths; anything else is 404. */
export const site =
  (paths: Readonly<Record<string, LabResponse>>): LabHandler =>
  ({ url }) =>
    paths[url] ?? { status: 404, body: plainPage('Not found') }

export const redirectTo =
  (url: string, status = 301): LabHandler =>
  () => ({ status, headers: [['Location', url]] })

export const text = (body: string): LabResponse => ({ body, headers: [['Content-Type', 'text/plain; charset=utf-8']] })

export const xml = (body: string): LabResponse => ({ body, headers: [['Content-Type', 'application/xml']] })

/** A `robots.txt` that allows everything, and the sitemap it names. */
export const crawlFiles = (origin: string): Readonly<Record<string, LabResponse>> => ({
  '/robots.txt': text(`User-agent: *\nAllow: /\nSitemap: ${origin}/sitemap.xml\n`),
  '/sitemap.xml': xml(
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/</loc></url></urlset>`,
  ),
})

/** One mail exchanger, which alone may send. */
export const simpleMail = (name: string) => ({
  MX: [{ preference: 10, exchange: `mail.${name}` }],
  TXT: ['v=spf1 mx -all'],
})

/** A public key of Ed25519: any 32 octets are one. */
const DKIM_KEY = Buffer.from('a key that no server signs with!').toString('base64')

/** One mail exchanger, SPF and DMARC that reject, a DKIM key, and reports. */
export const goodMail = (name: string, address: string): Pick<LabHost, 'records' | 'zones'> => ({
  records: simpleMail(name),
  zones: {
    [`mail.${name}`]: { A: [address] },
    [`default._domainkey.${name}`]: { TXT: [`v=DKIM1; k=ed25519; p=${DKIM_KEY}`] },
    [`_dmarc.${name}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:dmarc@${name}`] },
    [`_smtp._tls.${name}`]: { TXT: [`v=TLSRPTv1; rua=mailto:tls@${name}`] },
  },
})
