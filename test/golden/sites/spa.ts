import { redirectTo } from '../../../src/testing/demo/pages.ts'
import { type GoldenSite, MARKUP } from '../site.ts'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="UTF-8" />
    <link rel="icon" type="image/svg+xml" href="/tally.svg" />
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <title>Tallyboard: shared lists for small teams</title>
    <script type="module" crossorigin src="/assets/index-BdQ3mXk7.js"></script>
    <link rel="modulepreload" crossorigin href="/assets/react-CkZ1pQ2e.js">
    <link rel="stylesheet" crossorigin href="/assets/index-D4fTzY1w.css">
  </head>
  <body data-kept="${MARKUP}">
    <noscript>You need to enable JavaScript to run this app.</noscript>
    <div id="root"></div>
  </body>
</html>`

/** An application that is drawn by scripts; its server answers every path with the same page. */
export const spa: GoldenSite = {
  kind: 'spa',
  asked: { domain: 'spa.lab' },
  age_days: 400,
  hosts: [
    {
      name: 'spa.lab',
      addresses: ['193.0.14.107'],
      records: { TXT: ['v=spf1 -all'], MX: [{ preference: 0, exchange: '' }] },
      zones: { '_dmarc.spa.lab': { TXT: ['v=DMARC1; p=reject'] } },
      http: redirectTo('https://spa.lab/', 308),
      https: () => ({
        headers: [
          ['Server', 'Vercel'],
          ['X-Vercel-Id', 'fra1::9xk2d-1790000000000-0a1b2c3d4e5f'],
          ['X-Vercel-Cache', 'HIT'],
          ['Access-Control-Allow-Origin', '*'],
          ['Strict-Transport-Security', 'max-age=63072000'],
        ],
        body: page,
      }),
    },
  ],
}
