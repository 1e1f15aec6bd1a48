import { crawlFiles, redirectTo, site, text } from '../../../src/testing/demo/pages.ts'
import { COOKIE_VALUE, type GoldenSite, MARKUP } from '../site.ts'

const page = `<!doctype html>
<html class="js" lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Harbour Wool: jumpers knitted in Shetland</title>
<meta name="description" content="Jumpers, hats and blankets knitted from undyed Shetland wool. Free delivery over £80 and returns within sixty days.">
<link rel="canonical" href="https://shop.lab/">
<link rel="preconnect" href="https://cdn.shopify.com" crossorigin>
<meta property="og:site_name" content="Harbour Wool"><meta property="og:image" content="https://shop.lab/cdn/shop/files/jumper@2x.png">
<link rel="stylesheet" href="//shop.lab/cdn/shop/t/7/assets/base.css?v=1697451">
<script src="//shop.lab/cdn/shop/t/7/assets/global.js?v=1697451" defer></script>
<script>var Shopify = Shopify || {}; Shopify.shop = "harbour-wool.myshopify.com"; Shopify.theme = {"name":"Dawn","id":1283};</script>
<script async src="https://www.googletagmanager.com/gtag/js?id=G-7XK2M0QW1E"></script>
<script>window.dataLayer = window.dataLayer || []; function gtag(){dataLayer.push(arguments)} gtag('config', 'G-7XK2M0QW1E')</script>
<script>!function(f,b,e,v){f.fbq||(f.fbq=function(){})}(window,document,'script','https://connect.facebook.net/en_US/fbevents.js'); fbq('init', '1234567890')</script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization","name":"Harbour Wool","url":"https://shop.lab","sameAs":["https://www.instagram.com/harbourwool"]}</script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Fair Isle jumper","offers":{"@type":"Offer","price":"129.00","priceCurrency":"GBP"}}</script>
</head>
<body class="gradient" data-kept="${MARKUP}">
<h1>Jumpers knitted in Shetland</h1>
<p>Every piece is knitted to order from the wool of sheep that graze within sight of the workshop. Choose a pattern and a
size; we knit it within two weeks, and send it with a skein for mending.</p>
<h2>Best sellers</h2>
<ul><li><a href="/products/fair-isle"><img src="//shop.lab/cdn/shop/files/fair-isle.jpg" alt="Fair Isle jumper in grey"> Fair Isle jumper, £129</a></li>
<li><a href="/products/watch-cap"><img src="//shop.lab/cdn/shop/files/cap.jpg" alt="Watch cap in brown"> Watch cap, £28</a></li></ul>
<form method="post" action="/contact#newsletter"><input type="email" name="contact[email]"><button>Subscribe</button></form>
<form method="post" action="https://shop.lab/cart/add"><input type="hidden" name="id" value="44"><button>Add to cart</button></form>
<a href="/account/login">Log in</a>
<footer><a href="tel:+441595123456">01595 123456</a> <a href="mailto:orders@shop.lab?subject=Order">orders@shop.lab</a>
<a href="https://www.instagram.com/harbourwool">Instagram</a> <a href="https://www.pinterest.co.uk/harbourwool/">Pinterest</a></footer>
</body>
</html>`

/** A shop on a shop platform behind a CDN, with the trackers that shops have. */
export const shop: GoldenSite = {
  kind: 'shop',
  asked: { domain: 'shop.lab' },
  age_days: 1_500,
  hosts: [
    {
      name: 'shop.lab',
      addresses: ['193.0.14.104'],
      records: {
        MX: [
          { preference: 1, exchange: 'aspmx.l.google.com' },
          { preference: 5, exchange: 'alt1.aspmx.l.google.com' },
        ],
        TXT: [
          'v=spf1 include:_spf.google.com -all',
          'google-site-verification=0A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1',
        ],
      },
      zones: {
        'aspmx.l.google.com': { A: ['193.0.14.105'] },
        'alt1.aspmx.l.google.com': { A: ['193.0.14.106'] },
        '_spf.google.com': { TXT: ['v=spf1 ip4:193.0.14.105 ip4:193.0.14.106 -all'] },
        '_dmarc.shop.lab': { TXT: ['v=DMARC1; p=quarantine; rua=mailto:dmarc@shop.lab'] },
      },
      http: redirectTo('https://shop.lab/'),
      https: site({
        ...crawlFiles('https://shop.lab'),
        '/.well-known/security.txt': text('Contact: mailto:security@shop.lab\nExpires: 2026-06-30T00:00:00Z\n'),
        '/': {
          headers: [
            ['Server', 'cloudflare'],
            ['CF-RAY', '8f2a1c0d9e3b4a5c-AMS'],
            ['Powered-By', 'Shopify'],
            ['X-ShopId', '72114'],
            ['Strict-Transport-Security', 'max-age=7889238'],
            [
              'Content-Security-Policy',
              "block-all-mixed-content; frame-ancestors 'none'; upgrade-insecure-requests; report-uri /csp-report",
            ],
            ['X-Frame-Options', 'DENY'],
            ['X-Content-Type-Options', 'nosniff'],
            ['X-XSS-Protection', '1; mode=block'],
            ['Set-Cookie', `localization=${COOKIE_VALUE}; path=/; max-age=31536000; SameSite=Lax`],
            ['Set-Cookie', `_shopify_y=${COOKIE_VALUE}; domain=shop.lab; path=/; max-age=31536000; SameSite=Lax`],
            ['Set-Cookie', `_shopify_s=${COOKIE_VALUE}; domain=shop.lab; path=/; max-age=1800; SameSite=Lax`],
            ['Set-Cookie', `cart=${COOKIE_VALUE}; path=/; max-age=1209600; SameSite=Lax; Secure`],
            ['Set-Cookie', `_secure_session_id=${COOKIE_VALUE}; path=/; secure; HttpOnly; SameSite=Lax`],
          ],
          body: page,
        },
      }),
    },
  ],
}
