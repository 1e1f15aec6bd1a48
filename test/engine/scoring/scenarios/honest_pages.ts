// Honest pages that ask for secrets, or speak of lures: nobody is accused for them, old or of unknown age.
import type { Situation } from './situation.ts'

interface HonestPage {
  /** Completes "is safe for". */
  readonly of: string
  readonly domain: string
  readonly html: string
}

const page = (title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width">${head}</head><body>${body}</body></html>`

const PROSE = `The office is open on weekdays from nine to five. Members find their documents, invoices and the minutes of past
meetings after they log in. Ask the secretary for an account; passwords are changed in the settings.`

const nav = (...paths: string[]): string =>
  `<nav>${paths.map(path => `<a href="/${path}">${path.replaceAll('-', ' ')}</a>`).join('')}</nav>`

const form = (action: string, ...fields: string[]): string =>
  `<form action="${action}" method="post"><input type="hidden" name="csrf_token" value="f3a9">${fields.join('')}<button>Go on</button></form>`

const USER = '<label>User name<input name="username" autocomplete="username"></label>'
const PASSWORD = '<label>Password<input type="password" name="password" autocomplete="current-password"></label>'

const pages: readonly HonestPage[] = [
  {
    of: 'a members’ log-in of a club',
    domain: 'harbour-rowing-club.org',
    html: page(
      'Members – Harbour Rowing Club',
      `${nav('club', 'calendar', 'boats', 'contact', 'imprint')}<main><h1>Members</h1>${form('/members/login', USER, PASSWORD)}<p>${PROSE}</p><a href="/members/forgot">Forgot password</a></main>`,
    ),
  },
  {
    of: 'a blog’s own log-in',
    domain: 'notes-on-bread.net',
    html: page(
      'Log In ‹ Notes on bread — WordPress',
      `<div id="login"><h1><a href="https://wordpress.org/">Powered by WordPress</a></h1><form name="loginform" id="loginform" action="https://notes-on-bread.net/wp-login.php" method="post"><label for="user_login">Username or Email Address</label><input type="text" name="log" id="user_login"><label for="user_pass">Password</label><input type="password" name="pwd" id="user_pass"><input name="rememberme" type="checkbox"><input type="submit" value="Log In"><input type="hidden" name="redirect_to" value="/wp-admin/"></form><p id="nav"><a href="https://notes-on-bread.net/wp-login.php?action=lostpassword">Lost your password?</a></p><p id="backtoblog"><a href="https://notes-on-bread.net/">&larr; Go to Notes on bread</a></p></div>`,
      '<meta name="robots" content="noindex, noarchive"><link rel="stylesheet" href="https://notes-on-bread.net/wp-admin/css/login.min.css?ver=6.4">',
    ),
  },
  {
    of: 'a webmail of a provider of its own',
    domain: 'mail.harbourmail.net',
    html: page(
      'Harbour Mail :: Welcome to Harbour Mail',
      `<img src="skins/elastic/images/logo.svg?s=17" id="logo" alt="Logo"><form id="login-form" name="login-form" method="post" action="./?_task=login"><input type="hidden" name="_token" value="a8"><input type="hidden" name="_task" value="login"><input name="_user" id="rcmloginuser" placeholder="Username" type="text"><input name="_pass" id="rcmloginpwd" placeholder="Password" type="password"><button id="rcmloginsubmit">Login</button></form>`,
      '<link rel="stylesheet" href="skins/elastic/styles/styles.min.css?s=17"><script src="program/js/app.min.js?s=17"></script>',
    ),
  },
  {
    of: 'a shell that a script fills',
    domain: 'app.quillboard.io',
    html: page(
      'Quillboard',
      '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
      '<link rel="manifest" href="/manifest.json"><script type="module" src="/assets/index-4f2a.js"></script>',
    ),
  },
  {
    of: 'a page that is still to come',
    domain: 'oat-and-barley.com',
    html: page(
      'Coming soon',
      '<h1>We are baking something</h1><p>Leave your address and we write to you when the shop opens.</p><form action="/subscribe" method="post"><input type="email" name="email" placeholder="E-mail"><button>Tell me</button></form>',
    ),
  },
  {
    of: 'the state of a service',
    domain: 'status.quillboard.io',
    html: page(
      'Quillboard Status',
      '<h1>All systems operational</h1><ul><li>API – operational</li><li>Log-in – operational</li></ul><h2>Past incidents</h2><p>Resolved: some users were locked out for 20 minutes. We are sorry. No accounts were compromised.</p><a href="/history">History</a><a href="/subscribe">Subscribe</a>',
    ),
  },
  {
    of: 'a check-out of a shop',
    domain: 'wool-and-needles.com',
    html: page(
      'Checkout – Wool and Needles',
      `${nav('yarn', 'needles', 'patterns', 'cart', 'shipping', 'terms', 'privacy', 'contact')}<main><h1>Checkout</h1>${form('/checkout/pay', '<label>Name on card<input name="name" autocomplete="cc-name"></label>', '<label>Card number<input name="cardnumber" autocomplete="cc-number"></label>', '<label>Expiry<input name="exp" autocomplete="cc-exp"></label>', '<label>CVC<input name="cvc" autocomplete="cc-csc"></label>')}<p>Total: 42.00. Delivery in three days. ${PROSE}</p></main>`,
      '<meta name="description" content="Yarn for knitters"><link rel="canonical" href="https://wool-and-needles.com/checkout">',
    ),
  },
  {
    of: 'a shop that takes its own gift cards',
    domain: 'corner-books.com',
    html: page(
      'Gift card balance – Corner Books',
      `${nav('books', 'events', 'gift-cards', 'cart', 'terms', 'contact')}<h1>Check your balance</h1>${form('/gift-cards/balance', '<label>Gift card number<input name="gift_card"></label>', '<label>PIN<input name="pin"></label>')}<p>${PROSE}</p>`,
    ),
  },
  {
    of: 'a library whose readers have a PIN',
    domain: 'townlibrary.org',
    html: page(
      'My account – Town Library',
      `${nav('catalogue', 'events', 'children', 'hours', 'contact', 'help')}<h1>My account</h1>${form('/patron/login', '<label>Library card<input name="barcode"></label>', '<label>PIN<input type="password" name="pin"></label>')}<p>${PROSE}</p>`,
    ),
  },
  {
    of: 'a log-in with a code of an authenticator',
    domain: 'accounts.quillboard.io',
    html: page(
      'Two-factor authentication – Quillboard',
      `<h1>Two-factor authentication</h1>${form('/sessions/two-factor', '<label>Authentication code<input name="otp" autocomplete="one-time-code" inputmode="numeric"></label>')}<p>Open your authenticator app to see the code.</p><a href="/sessions/recovery">Use a recovery code</a><a href="/help">Help</a><a href="/terms">Terms</a>`,
    ),
  },
  {
    of: 'a sign-up of a newspaper',
    domain: 'harbour-gazette.com',
    html: page(
      'Create an account – The Harbour Gazette',
      `${nav('news', 'sport', 'culture', 'opinion', 'subscribe', 'contact', 'terms', 'privacy')}<h1>Create an account</h1>${form('/register', '<label>E-mail<input type="email" name="email"></label>', PASSWORD, '<label>Repeat password<input type="password" name="password2"></label>', '<label><input type="checkbox" name="terms">I accept the terms</label>')}<p>${PROSE}</p>`,
      '<meta property="og:site_name" content="The Harbour Gazette"><link rel="alternate" type="application/rss+xml" href="/feed">',
    ),
  },
  {
    of: 'a log-in by accounts of others',
    domain: 'trail-maps.net',
    html: page(
      'Sign in – Trail Maps',
      `${nav('maps', 'regions', 'pricing', 'help', 'terms', 'privacy')}<h1>Sign in</h1><a href="/auth/google">Continue with Google</a><a href="/auth/facebook">Continue with Facebook</a><a href="/auth/apple">Continue with Apple</a>${form('/session', USER, PASSWORD)}<p>${PROSE}</p>`,
    ),
  },
  {
    of: 'a shop that takes payment by others',
    domain: 'garden-tools-direct.com',
    html: page(
      'Payment methods – Garden Tools Direct',
      `${nav('spades', 'rakes', 'cart', 'terms', 'contact')}<h1>Payment</h1><img src="/img/paypal.svg" alt="PayPal"><img src="/img/visa.svg" alt="Visa"><img src="/img/mastercard.svg" alt="Mastercard"><p>We accept PayPal, Visa and Mastercard. ${PROSE}</p>${form('/account/login', USER, PASSWORD)}`,
    ),
  },
  {
    of: 'an article about pasted commands',
    domain: 'harbour-security.com',
    html: page(
      'How ClickFix works',
      `<article><h1>How ClickFix works</h1><p>The page says: verify you are human, press Windows + R, then Ctrl + V and Enter. Never do that.</p>${`<p>${PROSE}</p>`.repeat(14)}</article>`,
    ),
  },
  {
    of: 'an article about support scares',
    domain: 'consumer-desk.org',
    html: page(
      'The call that costs you',
      `<article><h1>The call that costs you</h1><p>“Your computer is infected with a Trojan. Call Microsoft support at +1 888 555 0134. Do not close this window.” Do not call.</p>${`<p>${PROSE}</p>`.repeat(14)}</article>`,
    ),
  },
  {
    of: 'a repairer of computers with a number',
    domain: 'pc-doctor-harbour.com',
    html: page(
      'PC Doctor: virus removal in Harbour Town',
      `${nav('services', 'prices', 'about', 'contact')}<h1>Virus removal and repair</h1><p>We remove viruses and spyware from your computer. Call us on 020 7946 0018. ${PROSE}</p>`,
    ),
  },
  {
    of: 'an installer that is copied into a terminal',
    domain: 'fastbuild.dev',
    html: page(
      'Fastbuild: a build tool',
      `${nav('docs', 'blog', 'releases', 'community')}<h1>Install</h1><pre>curl -fsSL https://fastbuild.dev/install | bash</pre><button id="c">Copy</button><p>Open a terminal and paste the line.</p><script>c.onclick=()=>navigator.clipboard.writeText('curl -fsSL https://fastbuild.dev/install | bash')</script>`,
    ),
  },
  {
    of: 'a guide to recovery phrases',
    domain: 'coin-basics.org',
    html: page(
      'What is a seed phrase?',
      `<article><h1>What is a seed phrase?</h1><p>A wallet shows 12 or 24 words. Never enter your recovery phrase on a web site.</p><p>${PROSE}</p><form action="/search"><input name="q" type="search"></form></article>`,
    ),
  },
  {
    of: 'a charity that takes coins',
    domain: 'seabird-rescue.org',
    html: page(
      'Donate – Seabird Rescue',
      `${nav('birds', 'rescue', 'donate', 'about', 'contact')}<h1>Donate</h1><p>Send bitcoin to this address and we send you a receipt.</p><code>bc1qexampleexampleexampleexampleexample00</code><p>${PROSE}</p>`,
    ),
  },
  {
    of: 'a portal of a school',
    domain: 'harbour-school.org',
    html: page(
      'Parents’ portal – Harbour School',
      `${nav('school', 'classes', 'calendar', 'contact', 'privacy')}<h1>Parents’ portal</h1>${form('/portal/login', USER, PASSWORD)}<p>${PROSE}</p>`,
    ),
  },
  {
    of: 'a device that is administered on the web',
    domain: 'nas.jensen-family.net',
    html: page(
      'NAS – Log in',
      `<div id="login-box"><h1>NAS</h1><form id="f"><input name="user" placeholder="User"><input type="password" name="pass" placeholder="Password"><label><input type="checkbox">Stay signed in</label><button>Sign in</button></form></div>`,
      '<script src="/webman/login.js?v=72806"></script><link rel="stylesheet" href="/webman/style.css?v=72806">',
    ),
  },
  {
    of: 'a paper that reports on a brand beside its own log-in',
    domain: 'harbour-gazette.com',
    html: page(
      'Netflix raises its prices – The Harbour Gazette',
      `${nav(...Array.from({ length: 24 }, (_, at) => `section-${at}`))}${form('/login', USER, PASSWORD)}<article><h1>Netflix raises its prices</h1><img src="/img/netflix.jpg" alt="Netflix">${`<p>${PROSE}</p>`.repeat(14)}</article>`,
      '<meta name="description" content="Netflix raises its prices">',
    ),
  },
  {
    of: 'a project’s own server for its code',
    domain: 'gitlab.orchard-project.org',
    html: page(
      'Sign in · GitLab',
      `<h1>GitLab of the Orchard Project</h1>${form('/users/sign_in', USER, PASSWORD)}<a href="/explore">Explore</a><a href="/help">Help</a><a href="/users/password/new">Forgot your password?</a>`,
    ),
  },
  {
    of: 'a store’s page on its rewards',
    domain: 'corner-coffee.com',
    html: page(
      'Rewards – Corner Coffee',
      `${nav('menu', 'stores', 'rewards', 'careers', 'contact', 'terms')}<h1>Get rewards</h1><p>Collect a star with each cup and claim your free drink. ${PROSE}</p>${form('/rewards/login', USER, PASSWORD)}`,
    ),
  },
]

const ages = [
  { said: '8 years', age_days: 2_922 },
  { said: 'unknown age', age_days: null },
] as const

/** What would be unjust. */
const NEVER = ['phishing_page', 'impersonated_brand', 'paste_command_lure', 'tech_support_scare', 'coin_doubling']
const NEVER_ASKED = ['asks_for_wallet_phrase', 'asks_for_card_pin', 'asks_for_identity_number', 'fake_browser_window']

export const honestPageSituations: readonly Situation[] = pages.flatMap(({ of, domain, html }) =>
  ages.map(({ said, age_days }) => ({
    of: `${of}, of ${said}`,
    domain,
    age_days,
    mail: 'good' as const,
    page: { html },
    verdict: 'safe' as const,
    signals: [],
    never: [...NEVER, ...NEVER_ASKED],
  })),
)
