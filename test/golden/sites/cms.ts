import { redirectTo, site, text, xml } from '../../../src/testing/demo/pages.ts'
import { COOKIE_VALUE, type GoldenSite, MARKUP } from '../site.ts'

const page = `<!DOCTYPE html>
<html lang="en-US" prefix="og: https://ogp.me/ns#">
<head>
<meta charset="UTF-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Two Wheels South: cycling from Oslo to Cape Town</title>
<meta name="description" content="A travel diary: one bicycle, nineteen countries, and everything that broke on the way." />
<link rel="canonical" href="https://cms.lab/" />
<meta property="og:title" content="Two Wheels South" />
<meta property="og:description" content="One bicycle, nineteen countries." />
<meta property="og:type" content="website" />
<script type="application/ld+json" class="yoast-schema-graph">{"@context":"https://schema.org","@graph":[{"@type":"WebSite","url":"https://cms.lab/","name":"Two Wheels South"}]}</script>
<link rel='stylesheet' id='wp-block-library-css' href='https://cms.lab/wp-includes/css/dist/block-library/style.min.css?ver=6.4.3' media='all' />
<link rel='stylesheet' id='theme-css' href='https://cms.lab/wp-content/themes/twentytwentyfour/style.css?ver=1.0' media='all' />
<script src="https://cms.lab/wp-includes/js/jquery/jquery.min.js?ver=3.7.1" id="jquery-core-js"></script>
<script src="https://cms.lab/wp-content/plugins/contact-form-7/includes/js/index.js?ver=5.8.6"></script>
<link rel="https://api.w.org/" href="https://cms.lab/wp-json/" />
<link rel="EditURI" type="application/rsd+xml" title="RSD" href="https://cms.lab/xmlrpc.php?rsd" />
<meta name="generator" content="WordPress 6.4.3" />
</head>
<body class="home blog wp-embed-responsive" data-kept="${MARKUP}">
<a class="skip-link" href="#content">Skip to content</a>
<h1>Two Wheels South</h1>
<article class="post-412 type-post"><h2><a href="https://cms.lab/the-sand-road/">The sand road</a></h2>
<p>Eleven days without asphalt. The tyres sink, the water runs short, and every evening somebody who owns nothing insists
that I eat first. <a href="https://cms.lab/the-sand-road/">Read more</a></p></article>
<article class="post-398 type-post"><h2><a href="https://cms.lab/a-broken-hub/">A broken hub in Nouakchott</a></h2>
<p>There is one man in the city who can rebuild it, everyone agrees, and nobody agrees where he lives.
<a href="https://cms.lab/a-broken-hub/">Read more</a></p>
<img src="https://cms.lab/wp-content/uploads/2026/10/hub.jpg" alt="" /></article>
<form role="search" method="get" action="https://cms.lab/"><input type="search" name="s" /><button>Search</button></form>
<p>Post: ingrid [at] example [dot] org</p>
<p><a href="https://www.instagram.com/twowheelssouth/">Instagram</a> <a href="https://www.youtube.com/@twowheelssouth">YouTube</a>
<a href="https://www.facebook.com/sharer/sharer.php?u=https://cms.lab/">Share</a></p>
<p>Proudly powered by <a href="https://wordpress.org">WordPress</a></p>
</body>
</html>`

/** A blog as its installer leaves it: works, is somewhat old, and sets no security header. */
export const cms: GoldenSite = {
  kind: 'cms',
  asked: { domain: 'cms.lab' },
  age_days: 2_400,
  hosts: [
    {
      name: 'cms.lab',
      addresses: ['193.0.14.102'],
      records: {
        NS: ['ns1.hosting-cooperative.lab', 'ns2.hosting-cooperative.lab'],
        MX: [{ preference: 10, exchange: 'mail.cms.lab' }],
        TXT: ['v=spf1 a mx ~all'],
      },
      zones: { 'mail.cms.lab': { A: ['193.0.14.103'] }, '_dmarc.cms.lab': { TXT: ['v=DMARC1; p=none'] } },
      http: redirectTo('https://cms.lab/'),
      https: site({
        '/': {
          headers: [
            ['Server', 'Apache/2.4.58 (Ubuntu)'],
            ['X-Powered-By', 'PHP/8.1.27'],
            ['X-Pingback', 'https://cms.lab/xmlrpc.php'],
            ['Link', '<https://cms.lab/wp-json/>; rel="https://api.w.org/"'],
            ['Set-Cookie', `PHPSESSID=${COOKIE_VALUE}; path=/`],
            ['Set-Cookie', `cookie_notice_accepted=${COOKIE_VALUE}; path=/; max-age=2592000; secure; SameSite=Lax`],
          ],
          body: page,
        },
        '/robots.txt': text(
          'User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\nSitemap: https://cms.lab/wp-sitemap.xml\n',
        ),
        '/wp-sitemap.xml': xml(
          '<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://cms.lab/wp-sitemap-posts-post-1.xml</loc></sitemap></sitemapindex>',
        ),
      }),
    },
  ],
}
