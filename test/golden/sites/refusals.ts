// Answers that are not the site's own: refused, challenged, parked.
import { redirectTo, site } from '../../../src/testing/demo/pages.ts'
import { COOKIE_VALUE, type GoldenSite, MARKUP } from '../site.ts'

const blockPage = `<!DOCTYPE html>
<html lang="en-US">
<head><title>Attention Required! | Cloudflare</title><meta charset="UTF-8" /><meta name="robots" content="noindex, nofollow" />
<meta name="viewport" content="width=device-width,initial-scale=1" /></head>
<body data-kept="${MARKUP}"><h1 data-translate="block_headline">Sorry, you have been blocked</h1>
<h2><span data-translate="unable_to_access">You are unable to access</span> block-page.lab</h2>
<p>This website is using a security service to protect itself from online attacks. The action you just performed triggered
the security solution.</p>
<p>Cloudflare Ray ID: 8f2a1c0d9e3b4a5c. Performance &amp; security by Cloudflare</p></body></html>`

const challengePage = `<!DOCTYPE html>
<html lang="en-US"><head><title>Just a moment...</title>
<meta http-equiv="refresh" content="390"><meta name="robots" content="noindex,nofollow"></head>
<body data-kept="${MARKUP}"><noscript><div>Enable JavaScript and cookies to continue</div></noscript>
<script>(function(){window._cf_chl_opt = {cvId: '3', cZone: 'challenge.lab', cType: 'managed'};
var a = document.createElement('script'); a.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1';
document.getElementsByTagName('head')[0].appendChild(a);}());</script></body></html>`

const parkedPage = `<!doctype html>
<html><head><title>parking.lab</title><meta name="viewport" content="width=device-width"></head>
<body data-kept="${MARKUP}"><h1>parking.lab</h1><p>This domain is for sale. Make an offer on this domain.</p>
<p>Related searches: car insurance, personal loans, cheap hotels</p>
<script src="https://img.sedoparking.com/templates/js/arrows.js"></script></body></html>`

/** A firewall refuses us; the site behind it may be anything. */
export const blockPageSite: GoldenSite = {
  kind: 'block_page',
  asked: { domain: 'block-page.lab' },
  age_days: 3_000,
  hosts: [
    {
      name: 'block-page.lab',
      addresses: ['193.0.14.108'],
      http: redirectTo('https://block-page.lab/'),
      https: () => ({
        status: 403,
        headers: [
          ['Server', 'cloudflare'],
          ['CF-RAY', '8f2a1c0d9e3b4a5c-AMS'],
          ['Cache-Control', 'private, max-age=0, no-store'],
          ['Set-Cookie', `__cf_bm=${COOKIE_VALUE}; path=/; domain=.block-page.lab; HttpOnly; Secure; SameSite=None`],
        ],
        body: blockPage,
      }),
    },
  ],
}

/** A test for being human stands before the site. */
export const challenge: GoldenSite = {
  kind: 'challenge',
  asked: { domain: 'challenge.lab' },
  age_days: 1_200,
  hosts: [
    {
      name: 'challenge.lab',
      addresses: ['193.0.14.109'],
      https: () => ({
        status: 503,
        headers: [
          ['Server', 'cloudflare'],
          ['CF-Mitigated', 'challenge'],
          ['Cross-Origin-Opener-Policy', 'same-origin'],
          ['X-Frame-Options', 'SAMEORIGIN'],
        ],
        body: challengePage,
      }),
    },
  ],
}

/** A name for sale, with an advertiser's page. */
export const parking: GoldenSite = {
  kind: 'parking',
  asked: { domain: 'parking.lab' },
  age_days: 200,
  hosts: [
    {
      name: 'parking.lab',
      addresses: ['193.0.14.110'],
      records: { NS: ['ns1.sedoparking.com', 'ns2.sedoparking.com'], TXT: ['v=spf1 -all'] },
      http: site({ '/': { headers: [['Server', 'nginx']], body: parkedPage } }),
    },
  ],
}
