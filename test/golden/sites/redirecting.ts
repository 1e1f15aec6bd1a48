import { crawlFiles, goodMail, redirectTo, site } from '../../../src/testing/demo/pages.ts'
import { COOKIE_VALUE, type GoldenSite, MARKUP } from '../site.ts'

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Northern Ferries: timetables and tickets</title>
<meta name="description" content="Timetables, fares and tickets for all ferries between the northern islands, with live sailings and disruptions.">
<link rel="canonical" href="https://www.redirecting.lab/en/">
<link rel="alternate" hreflang="en" href="https://www.redirecting.lab/en/">
<link rel="alternate" hreflang="de" href="https://www.redirecting.lab/de/">
<link rel="alternate" hreflang="x-default" href="https://www.redirecting.lab/en/">
</head><body data-kept="${MARKUP}"><h1>Ferries between the islands</h1>
<p>All boats sail today as the timetable says. Cars should be at the pier half an hour before, walkers ten minutes; bicycles
travel free of charge on every crossing, and dogs on all but the fast boat to the outer skerries.</p>
<p><a href="/en/timetable">Timetable for winter</a> <a href="/en/tickets">Tickets and passes</a></p></body></html>`

const mail = goodMail('redirecting.lab', '193.0.14.117')
const greeting = ['Set-Cookie', `lang=${COOKIE_VALUE}; Path=/; Domain=redirecting.lab; Secure; SameSite=Lax`] as const

/** From http without TLS at the bare name, to https at `www`, to the page in the visitor's language. */
export const redirecting: GoldenSite = {
  kind: 'redirecting',
  asked: { domain: 'redirecting.lab' },
  age_days: 2_800,
  hosts: [
    { name: 'redirecting.lab', addresses: ['193.0.14.115'], ...mail, http: redirectTo('https://www.redirecting.lab/') },
    {
      name: 'www.redirecting.lab',
      addresses: ['193.0.14.116'],
      http: redirectTo('https://www.redirecting.lab/'),
      https: site({
        ...crawlFiles('https://www.redirecting.lab'),
        '/': { status: 302, headers: [['Location', '/en/'], greeting] },
        '/en/': {
          headers: [
            ['Server', 'nginx'],
            ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
            ['X-Content-Type-Options', 'nosniff'],
            ['X-Frame-Options', 'SAMEORIGIN'],
            ['Referrer-Policy', 'strict-origin-when-cross-origin'],
          ],
          body: page,
        },
      }),
    },
  ],
}
