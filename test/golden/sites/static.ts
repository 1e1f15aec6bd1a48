import { crawlFiles, goodMail, redirectTo, site } from '../../../src/testing/demo/pages.ts'
import { type GoldenSite, MARKUP } from '../site.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Hugo 0.139.2">
<title>Field notes on growing apples</title>
<meta name="description" content="Notes from forty years in a small orchard: grafting, pruning, storing and pressing apples, with a calendar for every month.">
<link rel="canonical" href="https://static.lab/">
<link rel="stylesheet" href="/css/main.css">
<link rel="alternate" type="application/rss+xml" href="/index.xml">
</head>
<body data-kept="${MARKUP}">
<h1>Field notes on growing apples</h1>
<p>These pages collect what I have learned about old varieties: which keep until spring, which want a pollinator beside
them, and which are better pressed than eaten. Begin with the calendar, or with the notes on grafting.</p>
<h2>This month</h2>
<p>Prune while the tree sleeps, burn what is cankered, and order rootstocks before the frost is out of the ground.</p>
<p><a href="/calendar/">The orchard calendar</a> · <a href="/grafting/">How to graft</a></p>
<img src="/img/orchard.webp" alt="Rows of old apple trees in blossom" width="800" height="400">
<footer>Write to <a href="mailto:notes@static.lab">notes@static.lab</a>, or follow
<a rel="me" href="https://mastodon.social/@orchardnotes">the notes on Mastodon</a>.</footer>
</body>
</html>`

const mail = goodMail('static.lab', '193.0.14.101')

/** A small site made with care, on a host that runs on green energy. */
export const staticSite: GoldenSite = {
  kind: 'static',
  asked: { domain: 'static.lab' },
  age_days: 5_200,
  hosts: [
    {
      name: 'static.lab',
      addresses: ['193.0.14.100', '2a10:3781:1::100'],
      zones: { ...mail.zones },
      records: {
        ...mail.records,
        NS: ['ns1.static.lab', 'ns2.static.lab'],
        CAA: [{ critical: false, tag: 'issue', value: 'ca.lab' }],
      },
      http: redirectTo('https://static.lab/'),
      https: site({
        ...crawlFiles('https://static.lab'),
        '/': {
          headers: [
            ['Server', 'nginx'],
            ['Strict-Transport-Security', 'max-age=63072000; includeSubDomains; preload'],
            [
              'Content-Security-Policy',
              "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ],
            ['X-Content-Type-Options', 'nosniff'],
            ['X-Frame-Options', 'DENY'],
            ['Referrer-Policy', 'no-referrer'],
            ['Permissions-Policy', 'camera=(), geolocation=(), microphone=()'],
            ['Cross-Origin-Opener-Policy', 'same-origin'],
            ['Cross-Origin-Embedder-Policy', 'require-corp'],
            ['Cross-Origin-Resource-Policy', 'same-origin'],
          ],
          body: page,
        },
      }),
      certificate: { names: ['static.lab', 'www.static.lab'] },
    },
  ],
}
