// The site for cold checks: healthy, and of a typical size.
import { gzipSync } from 'node:zlib'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import type { LabResponse } from '../../src/testing/lab_web.ts'

export const domain = 'walnut-and-oak.lab'
export const address = '193.0.14.10'

const origin = `https://${domain}`

const products = Array.from({ length: 120 }, (_, number) => {
  const path = `/furniture/${number}-table-of-solid-wood`
  return `<li class="product card" id="product-${number}"><a href="${path}"><img src="/img/${number}.webp" alt="Table ${number}" width="320" height="240"></a>
<h3><a href="${path}">Table number ${number} of solid wood</a></h3>
<p>Made to order in our own workshop in walnut or oak, ${number + 4} weeks from order to delivery, taken back within a month.</p>
<form action="/cart" method="post"><input type="hidden" name="product" value="${number}"><button>Into the cart</button></form></li>`
})

/** About 60 KiB. */
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Walnut &amp; Oak: furniture made to order</title>
<meta name="description" content="Tables, shelves and chairs in walnut and oak, made to order in our own workshop and delivered in four weeks.">
<link rel="canonical" href="${origin}/">
<link rel="stylesheet" href="/assets/shop.css">
<script src="/assets/cart.js" defer></script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Store","name":"Walnut & Oak"}</script>
</head>
<body>
<header><nav><a href="/">Home</a> <a href="/furniture">Furniture</a> <a href="/about">About us</a></nav></header>
<h1>Furniture made to order</h1>
<p>Write to <a href="mailto:hello@${domain}">hello@${domain}</a> or call <a href="tel:+4930901820">+49 30 901820</a>.</p>
<p><a href="https://www.instagram.com/walnutandoak">Our work in pictures</a></p>
<ul>
${products.join('\n')}
</ul>
</body>
</html>`

const served = (type: string, body: string): LabResponse => ({
  headers: [
    ['Content-Type', type],
    ['Content-Encoding', 'gzip'],
    ['Server', 'nginx'],
    ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
    ['Content-Security-Policy', "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Set-Cookie', '__Host-session=Zm9vYmFy; Path=/; Secure; HttpOnly; SameSite=Lax'],
  ],
  body: gzipSync(body),
})

const files: Readonly<Record<string, LabResponse>> = {
  '/': served('text/html; charset=utf-8', page),
  '/robots.txt': served('text/plain', `User-agent: *\nDisallow: /cart\nSitemap: ${origin}/sitemap.xml\n`),
  '/sitemap.xml': served(
    'application/xml',
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/</loc></url></urlset>`,
  ),
}

const missing: LabResponse = { status: 404, body: 'Not found' }

export const healthySite: LabHost = {
  name: domain,
  addresses: [address],
  records: {
    MX: [{ preference: 10, exchange: `mail.${domain}` }],
    TXT: [`v=spf1 mx include:_spf.${domain} -all`],
    NS: [`ns1.${domain}`, `ns2.${domain}`],
    CAA: [{ critical: false, tag: 'issue', value: 'lab.example' }],
    SOA: [
      {
        mname: `ns1.${domain}`,
        rname: `hostmaster.${domain}`,
        serial: 1,
        refresh: 7200,
        retry: 900,
        expire: 1_209_600,
        minimum: 300,
      },
    ],
  },
  zones: {
    [`mail.${domain}`]: { A: ['193.0.14.11'] },
    [`_spf.${domain}`]: { TXT: ['v=spf1 ip4:193.0.14.0/24 -all'] },
    [`_dmarc.${domain}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:dmarc@${domain}`] },
    [`_smtp._tls.${domain}`]: { TXT: [`v=TLSRPTv1; rua=mailto:tls@${domain}`] },
  },
  http: () => ({ status: 301, headers: [['Location', `${origin}/`]] }),
  https: ({ url }) => files[url] ?? missing,
}

/** Any number of shops with the same page. */
export const manyShops = {
  ...healthySite,
  name: '*.shops.lab',
  addresses: ['193.0.14.12'],
  zones: {},
} satisfies LabHost

const nested = served('text/html; charset=utf-8', '<!doctype html><title>Deep</title>'.padEnd(2 * 1024 * 1024, '<b>'))

/** Any number of sites with a page of 2 MiB of nested tags, the most expensive markup that a check reads; 5 KiB on the wire. */
export const deepPages: LabHost = { name: '*.deep.lab', addresses: ['193.0.14.15'], https: () => nested }

/** Names with non-public addresses: a check costs DNS and analysis but no page. */
export const inside: LabHost = { name: '*.inside.lab', addresses: ['10.0.0.5'] }

/** For an MMDB file. */
export const places = {
  '193.0.14.0/24': {
    country: { iso_code: 'NL' },
    city: { names: { en: 'Amsterdam' } },
    autonomous_system_number: 64_496,
    autonomous_system_organization: 'Lab Hosting Cooperative',
  },
}
