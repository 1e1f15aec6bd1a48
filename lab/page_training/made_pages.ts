// Generated honest pages of kinds that are rare in corpora: device log-ins, small members' areas, Wi-Fi portals,
// check-outs, forms, notices, empty application shells. The output is always the same.
import { createRandom, type Random } from '../training/random.ts'

type Words = ReturnType<typeof words>

const words = (line: string) => {
  const [lang = '', logIn = '', user = '', password = '', send = '', forgot = '', contact = '', closed = ''] =
    line.split('|')
  return { lang, logIn, user, password, send, forgot, contact, closed }
}

const LANGUAGES: readonly Words[] = [
  'en|Log in|User name|Password|Continue|Forgot your password?|Contact|We are working on our site. Please come back later.',
  'en|Sign in|E-mail address|Password|Sign in|Reset password|Help|Our new site opens soon. Leave your address and we write to you.',
  'de|Anmelden|Benutzername|Passwort|Weiter|Passwort vergessen?|Kontakt|Diese Seite wird gerade überarbeitet.',
  'fr|Connexion|Identifiant|Mot de passe|Valider|Mot de passe oublié ?|Contact|Site en cours de maintenance. Merci de revenir plus tard.',
  'es|Iniciar sesión|Usuario|Contraseña|Entrar|¿Olvidó su contraseña?|Contacto|Estamos mejorando nuestra página.',
  'it|Accedi|Nome utente|Password|Entra|Password dimenticata?|Contatti|Sito in manutenzione.',
  'pt|Entrar|Usuário|Senha|Acessar|Esqueceu a senha?|Contato|Página em construção.',
  'pl|Zaloguj się|Nazwa użytkownika|Hasło|Dalej|Nie pamiętasz hasła?|Kontakt|Strona w budowie.',
  'ru|Войти|Логин|Пароль|Продолжить|Забыли пароль?|Контакты|Сайт скоро откроется.',
].map(words)

const DEVICES = ['Router AX-1800', 'WLAN-Controller', 'NVR Web Client', 'UPS Management', 'IP Camera', 'PBX Admin']
const MORE_DEVICES = ['Switch GS-24', 'Print Server', 'Heat pump', 'Solar inverter', 'NAS station', 'Weather gateway']
const OWNERS = [
  'Harbour Rowing Club',
  'Schule am Park',
  'Mairie de Vezins',
  'Alder & Sons',
  'St. Anne Parish',
  'Lumo CRM',
]
const MORE_OWNERS = [
  'Northfield Library',
  'Autohaus Krell',
  'Clinique du Lac',
  'Peak Payroll',
  'Coro Verdi',
  'Tidepool Labs',
]

interface Making {
  readonly random: Random
  readonly words: Words
  readonly pick: <Item>(from: readonly Item[]) => Item
  readonly chance: (share: number) => boolean
}

const field = ({ pick, chance }: Making, type: string, name: string, label: string): string => {
  const input = (extra: string) => `<input type="${type}" name="${name}" ${chance(0.5) ? `id="${name}"` : ''} ${extra}>`
  return pick([
    `<label>${label} ${input('')}</label>`,
    `<tr><td>${label}:</td><td>${input('size="20" maxlength="32"')}</td></tr>`,
    `<div class="form-group"><label for="${name}">${label}</label>${input('class="form-control" required')}</div>`,
    input(`placeholder="${label}" class="input"`),
  ])
}

const userName = (making: Making) =>
  field(making, 'text', making.pick(['username', 'user', 'login', 'uname', 'email']), making.words.user)
const secret = (making: Making) =>
  field(making, 'password', making.pick(['password', 'passwd', 'pwd', 'pass']), making.words.password)

const action = ({ pick }: Making): string =>
  pick([
    '',
    '#',
    'login.php',
    '/login',
    '/cgi-bin/login.cgi',
    'goform/login',
    'check.php',
    '/index.php',
    '/auth/local',
    'login.asp',
    '/users/sign_in',
    './/',
  ])

const form = (making: Making, fields: string, to = action(making)): string => {
  const { chance, words, pick } = making
  const token = chance(0.35)
    ? `<input type="hidden" name="${pick(['_token', 'csrf', 'next', 'lang'])}" value="${words.lang}1f">`
    : ''
  const button = pick([`<button type="submit">${words.send}</button>`, `<input type="submit" value="${words.send}">`])
  const where = to === '' ? '' : ` action="${to}"`
  return `<form method="${chance(0.85) ? 'post' : 'get'}"${where}>${token}${fields}${button}</form>`
}

const links = ({ pick, chance, words }: Making, most: number): string => {
  const all = [
    'about',
    'calendar',
    'news',
    'imprint',
    'privacy',
    'shop',
    'members',
    'jobs',
    'downloads',
    'faq',
    'terms',
  ]
  const write = pick([(name: string) => `/${name}`, (name: string) => `${name}.html`, (name: string) => `${name}.php`])
  const some = all.filter(() => chance(most / all.length))
  return [...some, ...(chance(0.6) ? [words.contact] : [])]
    .map(name => `<a href="${write(name)}">${name}</a>`)
    .join(' ')
}

function page(making: Making, title: string, body: string): string {
  const { pick, chance, words } = making
  const look = pick([
    '<link rel="stylesheet" href="css/style.css">',
    '<link rel="stylesheet" href="/static/app.css"><link rel="icon" href="/favicon.ico">',
    '<style>body{font:14px sans-serif;background:#eee}.box{width:320px;margin:80px auto;background:#fff}</style>',
    '<link href="https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/css/bootstrap.min.css" rel="stylesheet">',
    '<link rel="stylesheet" href="../style.css"><script src="../js/jquery.min.js"></script>',
  ])
  const script = pick([
    '',
    '<script src="js/main.js"></script>',
    '<script src="/assets/app.js" defer></script>',
    '<script>document.forms[0]&&document.forms[0].elements[0].focus()</script>',
  ])
  const metas = [
    chance(0.7) ? '<meta charset="utf-8">' : '',
    chance(0.6) ? '<meta name="viewport" content="width=device-width, initial-scale=1">' : '',
    chance(0.3) ? '<meta name="robots" content="noindex">' : '',
    chance(0.3) ? `<meta name="description" content="${title}">` : '',
  ].join('')
  const logo = chance(0.5)
    ? `<img src="${pick(['logo.png', '/img/logo.svg', 'images/logo.gif'])}"${chance(0.6) ? ` alt="${title}"` : ''}>`
    : ''
  const doctype = chance(0.85) ? '<!DOCTYPE html>' : ''
  const lang = chance(0.65) ? ` lang="${words.lang}"` : ''
  return `${doctype}<html${lang}><head>${metas}<title>${title}</title>${look}</head><body>${logo}${body}${script}</body></html>`
}

const heading = ({ pick }: Making, text: string): string =>
  pick([`<h1>${text}</h1>`, `<h2>${text}</h2>`, `<div class="title"><b>${text}</b></div>`, ''])

const footer = ({ pick, chance }: Making, owner: string): string =>
  chance(0.6)
    ? pick([
        `<footer>© 2024 ${owner}</footer>`,
        `<p class="small">${owner}, 12 Quay Street, +44 20 7946 0${chance(0.5) ? '101' : '734'}</p>`,
        '<div>Firmware 3.2.1 build 0417</div>',
      ])
    : ''

const PROSE = [
  'Guests use the network at their own risk. Access ends after twelve hours; ask at the desk for another voucher.',
  'Members find the minutes, the calendar and their invoices here. Accounts are made by the office.',
  'The archive is open on weekdays from nine to five. Groups of more than ten people register a week ahead.',
]

const KINDS: readonly ((making: Making) => string)[] = [
  function device(making) {
    const name = making.pick([...DEVICES, ...MORE_DEVICES])
    const fields = `${making.chance(0.75) ? userName(making) : ''}${secret(making)}`
    const layout = making.chance(0.4) ? `<table>${fields}</table>` : fields
    return page(
      making,
      name,
      `<div class="box">${heading(making, name)}${form(making, layout)}${footer(making, name)}</div>`,
    )
  },
  function members(making) {
    const owner = making.pick([...OWNERS, ...MORE_OWNERS])
    const forgot = making.chance(0.7)
      ? `<a href="${making.pick(['/forgot', 'forgot.php', 'reset.html'])}">${making.words.forgot}</a>`
      : ''
    const remember = making.chance(0.5) ? '<input type="checkbox" name="remember"> ' : ''
    const prose = making.chance(0.4) ? `<p>${making.pick(PROSE)}</p>` : ''
    const body = `${making.chance(0.6) ? `<nav>${links(making, 5)}</nav>` : ''}${heading(making, making.words.logIn)}${form(making, userName(making) + secret(making) + remember)}${forgot}${prose}${footer(making, owner)}`
    return page(making, making.pick([owner, `${making.words.logIn} – ${owner}`, making.words.logIn]), body)
  },
  function signUp(making) {
    const owner = making.pick([...OWNERS, ...MORE_OWNERS])
    const names = field(making, 'text', 'first_name', 'First name') + field(making, 'text', 'last_name', 'Last name')
    const mail = field(making, 'email', 'email', 'E-mail')
    return page(
      making,
      `${owner}`,
      `${heading(making, owner)}${form(making, names + mail + secret(making) + secret(making))}${links(making, 4)}${footer(making, owner)}`,
    )
  },
  function guests(making) {
    const owner = making.pick([...OWNERS, ...MORE_OWNERS])
    const code = making.pick([
      field(making, 'text', 'voucher', 'Voucher code'),
      field(making, 'text', 'room', 'Room') + field(making, 'text', 'surname', 'Last name'),
    ])
    return page(
      making,
      `${owner} Wi-Fi`,
      `${heading(making, `${owner} Wi-Fi`)}<p>${making.pick(PROSE)}</p>${form(making, code)}`,
    )
  },
  function checkOut(making) {
    const owner = making.pick([...OWNERS, ...MORE_OWNERS])
    const card =
      field(making, 'text', 'cardnumber', 'Card number') +
      field(making, 'text', 'expiry', 'MM/YY') +
      field(making, 'text', 'cvc', 'CVC')
    const address =
      field(making, 'text', 'address', 'Street') +
      field(making, 'text', 'city', 'City') +
      field(making, 'text', 'zip', 'Postcode')
    const order =
      '<table><tr><td>2 × Oak shelf</td><td>58.00</td></tr><tr><td>Shipping</td><td>6.90</td></tr><tr><td>Total</td><td>64.90</td></tr></table>'
    return page(
      making,
      `Checkout – ${owner}`,
      `<nav>${links(making, 7)} <a href="/cart">Cart</a></nav>${heading(making, 'Checkout')}${order}${form(making, address + card, making.pick(['/checkout', '/order/pay', 'pay.php']))}${footer(making, owner)}`,
    )
  },
  function inquiry(making) {
    const owner = making.pick([...OWNERS, ...MORE_OWNERS])
    const fields =
      field(making, 'text', 'name', 'Name') +
      field(making, 'email', 'email', 'E-mail') +
      '<textarea name="message"></textarea>'
    return page(
      making,
      making.words.contact,
      `<nav>${links(making, 6)}</nav>${heading(making, making.words.contact)}<p>${making.pick(PROSE)}</p>${form(making, fields, making.pick(['contact.php', '/contact', 'send.php', 'mail.php', 'https://formspree.io/f/xyzzy']))}${footer(making, owner)}`,
    )
  },
  function notice(making) {
    const owner = making.pick([...OWNERS, ...MORE_OWNERS])
    const address = making.chance(0.6)
      ? form(making, field(making, 'email', 'email', 'E-mail'), making.pick(['#', 'subscribe.php', '/subscribe', '']))
      : ''
    return page(
      making,
      owner,
      `${heading(making, owner)}<p>${making.words.closed}</p>${address}${footer(making, owner)}`,
    )
  },
  function shell(making) {
    const owner = making.pick([...OWNERS, ...MORE_OWNERS])
    const root = making.pick([
      '<div id="root"></div>',
      '<div id="app"></div>',
      '<app-root></app-root>',
      '<div id="__next"></div>',
    ])
    const inner = making.chance(0.4)
      ? root.replace('><', `>${form(making, userName(making) + secret(making), '')}<`)
      : root
    return page(
      making,
      making.pick([owner, making.words.logIn]),
      `<noscript>You need to enable JavaScript to run this app.</noscript>${inner}<script type="module" src="/assets/index-9a1c.js"></script>`,
    )
  },
  function secondStep(making) {
    const owner = making.pick([...OWNERS, ...MORE_OWNERS])
    const code = field(making, 'text', making.pick(['code', 'otp', 'token']), 'Code from your authenticator app')
    return page(
      making,
      owner,
      `<div class="box">${heading(making, owner)}<p>Enter the code to finish the log-in.</p>${form(making, code)}<a href="/logout">Cancel</a></div>`,
    )
  },
]

const OF_EACH = 20
const SEED = 20_261_125

export interface MadePage {
  /** Its kind and a number: `device-3`. */
  readonly name: string
  readonly html: string
}

export function makePages(): MadePage[] {
  return KINDS.flatMap((kind, at) => {
    const random = createRandom(SEED + at)
    const chance = (share: number): boolean => random() < share
    const pick = <Item>(from: readonly Item[]): Item => from[Math.floor(random() * from.length)] as Item
    return Array.from({ length: OF_EACH }, (_, number) => ({
      name: `${kind.name}-${number}`,
      html: kind({ random, words: pick(LANGUAGES), pick, chance }),
    }))
  })
}
