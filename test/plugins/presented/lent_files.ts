// Honest pages that load an icon or pictures from hosts of brands, or from hosts of brands where anybody's files lie.
import type { HonestPage } from './vendor_logins.ts'

const LOG_IN =
  '<form action="/session" method="post"><input name="user" placeholder="User name"><input type="password" name="password" placeholder="Password"><button>Log in</button></form>'

const icon = (href: string, rel = 'icon'): string => `<link rel="${rel}" href="${href}">`
const picture = (src: string, alt = ''): string => `<img src="${src}" alt="${alt}">`

interface Lent {
  readonly name?: string
  readonly domain?: string
  readonly head?: string
  readonly body: string
}

/** A page with a log-in of its own, under its own name. */
const page = ({ name = 'Hollis Weavers', head = '', body }: Lent): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Log in – ${name}</title>${head}</head><body><a href="/">${name}</a>${body}<footer>© 2026 ${name}</footer></body></html>`

/** A page with little but a log-in, that gives no name at all. */
const bare = ({ head = '', body }: Lent): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Log in</title>${head}</head><body>${body}</body></html>`

const named: Readonly<Record<string, Lent>> = {
  'buttons to log in with others': {
    body: `${LOG_IN}<a href="/auth/google">${picture('https://www.google.com/favicon.ico', 'Google')} Continue with Google</a><a href="/auth/apple">${picture('https://appleid.cdn-apple.com/appleid/button', 'Apple')} Continue with Apple</a>`,
  },
  'logos of means to pay': {
    body: `${LOG_IN}<p>We take ${picture('https://www.paypalobjects.com/webstatic/mktg/logo/pp_cc_mark_37x23.jpg', 'PayPal')}</p>`,
  },
  'logos of papers and shops that know it': {
    body: `${LOG_IN}<h2>As seen on</h2>${picture('https://assets.nflxext.com/us/ffe/siteui/common/icons/nficon2016.png', 'Netflix')}${picture('https://abs.twimg.com/favicons/twitter.ico', 'Twitter')}`,
  },
  'a preview of its link from a brand’s host': {
    head: '<meta property="og:image" content="https://www.paypalobjects.com/webstatic/icon/pp258.png"><meta name="twitter:image" content="https://store.akamai.steamstatic.com/a.png">',
    body: LOG_IN,
  },
  'an article with a picture from a brand’s host': {
    body: `<article><h2>Netflix raises its fees</h2><time>12 May</time>${picture('https://assets.nflxext.com/press/a.jpg', 'The offices of Netflix')}<p>Netflix said on Monday that its fees would rise.</p></article>${LOG_IN}`,
  },
  'an icon that it copied from a brand': {
    head: icon('https://www.redditstatic.com/favicon.ico', 'shortcut icon'),
    body: `<p>For the makers of the forum.</p>${LOG_IN}`,
  },
}

const unnamed: Readonly<Record<string, Lent>> = {
  'an icon among files of customers': { head: icon('https://s3.amazonaws.com/hollis/favicon.png'), body: LOG_IN },
  'an icon among pictures of users': {
    head: icon('https://lh3.googleusercontent.com/a/x=s32', 'apple-touch-icon'),
    body: LOG_IN,
  },
  'the icon of its app in a shop': {
    head: icon('https://is5-ssl.mzstatic.com/image/thumb/Purple/icon.png'),
    body: LOG_IN,
  },
  'its own icon, by a service of Google': {
    head: icon('https://www.google.com/s2/favicons?domain=hollis-weavers.com'),
    body: LOG_IN,
  },
  'its profile picture at Facebook': { head: icon('https://graph.facebook.com/hollisweavers/picture'), body: LOG_IN },
  'a picture of a user of Facebook': { head: icon('https://scontent-fra3-1.xx.fbcdn.net/v/1.jpg'), body: LOG_IN },
  'the icon of whoever it built its site with': { head: icon('https://www.wix.com/favicon.ico'), body: LOG_IN },
  'a shop’s icon at Shopify': { head: icon('https://cdn.shopify.com/s/files/1/favicon.png'), body: LOG_IN },
  'the icon of the directory its staff are in': {
    head: icon('https://logincdn.msauth.net/shared/1.0/content/images/favicon_a_eupayfgghqiai7k9sol6lg2.ico'),
    body: LOG_IN,
  },
  'scripts and styles of brands': {
    head: '<link rel="stylesheet" href="https://www.paypalobjects.com/a.css"><script src="https://www.paypalobjects.com/api/checkout.js"></script>',
    body: LOG_IN,
  },
}

const listed = (pages: Readonly<Record<string, Lent>>, write: (lent: Lent) => string): HonestPage[] =>
  Object.entries(pages).map(([of, lent]) => ({ of, domain: lent.domain ?? 'hollis-weavers.com', html: write(lent) }))

export const lentFiles: readonly HonestPage[] = [...listed(named, page), ...listed(unnamed, bare)]
