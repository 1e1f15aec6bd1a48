// Honest pages that tell their visitors to do what lures tell them to do, each on its own host and under its own name.
import type { HonestPage } from './vendor_logins.ts'

interface Site {
  readonly name: string
  readonly domain: string
  readonly lang: string
}

const page = ({ name, lang }: Site, title: string, body: string): string =>
  `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${title} – ${name}</title><meta name="viewport" content="width=device-width"></head><body><header><a href="/"><img src="/img/logo.svg" alt="${name}"></a><nav><a href="/about">1</a><a href="/help">2</a><a href="/contact">3</a></nav></header><main><h1>${title}</h1>${body}</main><footer>© 2026 ${name} <a href="/privacy">Privacy</a></footer></body></html>`

const form = (action: string, ...fields: readonly string[]): string =>
  `<form action="${action}" method="post"><input type="hidden" name="csrf_token" value="a">${fields.join('')}<button>OK</button></form>`
const field = (name: string, label: string, type = 'text'): string =>
  `<label>${label}<input name="${name}" type="${type}"></label>`
const CARD = [
  field('cardholder', 'Name on card'),
  field('cardnumber', 'Card number'),
  field('exp', 'MM/YY'),
  field('cvc', 'CVC'),
]

/** What is told, and the pages that tell it: `name | domain | language | title`, and what is below the title. */
const TOLD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a town’s parking or toll payment': {
    'Hollis Town Council | hollis-town.gov.uk | en | Pay a parking fine': `<p>Pay your outstanding fine.</p>${form('/fines/pay', field('notice', 'Notice number'), ...CARD)}`,
    'Stadt Hollis | stadt-hollis.de | de | Parkgebühr bezahlen': `<p>Offene Gebühr bezahlen.</p>${form('/parken', field('kennzeichen', 'Kennzeichen'), ...CARD)}`,
    'Ville de Hollis | ville-hollis.fr | fr | Payer une amende': `<p>Payez les frais de votre amende.</p>${form('/amende', field('avis', 'Numéro d’avis'), ...CARD)}`,
    'Hollis Bridge Toll | hollisbridge.org | en | Pay a toll': `<p>Pay an unpaid toll of the last seven days.</p>${form('/pay', field('plate', 'Licence plate'), ...CARD)}`,
    'Ayuntamiento de Hollis | hollis-ayuntamiento.es | es | Pagar una multa': `<p>Pague la multa o el peaje.</p>${form('/multas', field('numero', 'Número'), ...CARD)}`,
  },
  'a shop’s parcel fee at customs': {
    'Hollis Imports | hollis-imports.com | en | Pay customs duty': `<p>Your parcel comes by DHL or UPS. Pay the customs duty before delivery.</p>${form('/duty', ...CARD)}`,
    'Hollis Teehaus | hollis-teehaus.de | de | Zoll bezahlen': `<p>Wir versenden mit DHL. Zoll und Versandkosten bezahlen.</p>${form('/zoll', ...CARD)}`,
    'Boutique Hollis | boutique-hollis.fr | fr | Payer les frais de douane': `<p>Colissimo livre votre colis.</p>${form('/douane', ...CARD)}`,
    'Hollis Libri | hollis-libri.it | it | Pagare la dogana': `<p>Paga le spese di spedizione, con Poste Italiane.</p>${form('/dogana', ...CARD)}`,
    'Księgarnia Hollis | ksiegarnia-hollis.pl | pl | Opłata za przesyłkę': `<p>Opłać przesyłkę InPost.</p>${form('/oplata', ...CARD)}`,
  },
  'a working dapp that connects a wallet': {
    'Hollis Swap | hollisswap.io | en | Swap':
      '<p>Connect your wallet to swap tokens.</p><button>Connect wallet</button><p>MetaMask, WalletConnect, Coinbase Wallet</p>',
    'Hollis Bridge | hollis-bridge.xyz | en | Bridge':
      '<p>Connect a wallet to move tokens between chains.</p><button>Connect wallet</button>',
    'Hollis Apes | hollisapes.com | en | Mint':
      '<p>Connect your wallet to mint. 3 of 500 left. See us on OpenSea.</p><button>Connect wallet</button>',
    'Hollis DAO | hollisdao.org | en | Claim':
      '<p>Claim your tokens: connect your wallet.</p><button>Connect wallet</button>',
    'Hollis Staking | hollisstaking.fi | es | Conectar':
      '<p>Conecte su billetera.</p><button>Conectar billetera</button>',
  },
  'a vendor’s firmware help': {
    'Hollis Networks | hollis-networks.com | en | Update your router’s firmware':
      '<ol><li>Log in to the router with its password.</li><li>Choose Update firmware.</li></ol><a href="/downloads">Downloads</a>',
    'Hollis Netzwerke | hollis-netzwerke.de | de | Firmware des Routers aktualisieren':
      '<p>Öffnen Sie die Oberfläche des Routers und geben Sie das Kennwort ein.</p>',
    'Hollis Réseaux | hollis-reseaux.fr | fr | Mise à jour du firmware': '<p>Ouvrez la page du routeur.</p>',
    'Hollis Reti | hollis-reti.it | it | Aggiornare il firmware del router': '<p>Aprite la pagina del modem.</p>',
    'Hollis Redes | hollis-redes.es | es | Actualizar el firmware del router': '<p>Abra la página del módem.</p>',
  },
  'a hotel’s captive portal': {
    'Hollis Hotel | wifi.hollis-hotel.com | en | Wi-Fi': form(
      '/connect',
      field('room', 'Room number'),
      field('surname', 'Surname'),
    ),
    'Gasthof Hollis | wlan.gasthof-hollis.de | de | WLAN': form(
      '/verbinden',
      field('zimmer', 'Zimmer'),
      field('code', 'Zugangscode', 'password'),
    ),
    'Hôtel Hollis | wifi.hotel-hollis.fr | fr | Wi-Fi': form('/connexion', field('email', 'E-mail', 'email')),
    'Hollis Cafe | hollis-cafe.net | en | Free Wi-Fi': `<p>Ask at the counter for the Wi-Fi password.</p>${form('/go', field('password', 'Wi-Fi password', 'password'))}`,
    'Hollis Airport | wifi.hollis-airport.aero | en | Wi-Fi': `<a href="/auth/facebook">Continue with Facebook</a>${form('/go', field('email', 'E-mail', 'email'))}`,
  },
  'a craftsman’s number': {
    'Hollis Plumbing | hollis-plumbing.com | en | Burst pipe? Call now':
      '<p>Call immediately: +1 (415) 555-0142. Do not turn on the water.</p>',
    'Hollis Computer Repair | hollis-computers.com | en | Virus on your PC? Call us':
      '<p>Windows slow or infected? Call +1 (415) 555-0143. We repair Apple and Microsoft devices.</p>',
    'Klempner Hollis | klempner-hollis.de | de | Notdienst': '<p>Rufen Sie an: +49 30 5550142</p>',
    'Plombier Hollis | plombier-hollis.fr | fr | Urgence': '<p>Appelez le +33 1 55 50 01 42</p>',
    'Fontanero Hollis | fontanero-hollis.es | es | Urgencias': '<p>Llame al +34 915 550 142</p>',
  },
  'a menu’s QR code': {
    'Hollis Diner | hollis-diner.com | en | Menu':
      '<p>Scan the QR code on your table to order.</p><img src="/qr.png" alt="QR code">',
    'Wirtshaus Hollis | wirtshaus-hollis.de | de | Speisekarte': '<p>QR-Code scannen und bestellen.</p>',
    'Osteria Hollis | osteria-hollis.it | it | Menu': '<p>Inquadra il codice QR.</p>',
    'Hollis Pay | hollispay.com | en | Log in':
      '<p>Scan the code with the Hollis Pay app to log in.</p><img src="/qr.png" alt="QR code">',
    'Hollis Museum | hollismuseum.org | en | Audio guide':
      '<p>Scan the QR code. Also on Spotify and Apple Podcasts.</p>',
  },
  'a television’s activation code': {
    'Hollis TV | hollis.tv | en | Activate your TV': form('/activate', field('code', 'Enter the code on your TV')),
    'Hollis Fernsehen | hollis-fernsehen.de | de | Gerät verbinden': form('/verbinden', field('code', 'Code')),
    'Hollis Films | hollisfilms.com | en | Connect a device': `<p>Enter the activation code that your Samsung or LG television shows.</p>${form('/device', field('code', 'Activation code'))}`,
    'Hollis Ciné | hollis-cine.fr | fr | Activer un appareil': form('/activer', field('code', 'Code')),
    'Hollis Cloud | cloud.hollis.dev | en | Device log-in': `<p>Enter the following code: it is shown in your terminal.</p>${form('/device', field('user_code', 'Code'))}`,
  },
  'commands to install something': {
    'Hollis CLI | hollis-cli.dev | en | Install':
      '<p>Open a terminal and paste:</p><pre>curl -fsSL https://hollis-cli.dev/install.sh | sh</pre><button>Copy</button>',
    'Hollis Docs | docs.hollis.dev | en | Getting started on Windows':
      '<p>Open PowerShell and paste this command:</p><pre>iwr https://hollis.dev/install.ps1 | iex</pre>',
    'Hollis DB | hollisdb.org | en | Install with Docker':
      '<pre>docker run hollis/db</pre><p>Also on GitHub and AWS.</p>',
    'Hollis Editor | hollis-editor.com | en | Fix a broken install':
      '<p>Press Windows + R, type cmd, and run <code>hollis --repair</code>.</p>',
    'Hollis Linux | hollislinux.org | de | Installation': '<pre>sudo apt install hollis</pre>',
  },
  'the confirmation of an account': {
    'Hollis Books | hollis-books.com | en | Confirm your account': `<p>Verify your account: enter the code from our mail.</p>${form('/confirm', field('code', 'Verification code'))}`,
    'Buchladen Hollis | buchladen-hollis.de | de | Konto bestätigen': form('/bestaetigen', field('code', 'Code')),
    'Librairie Hollis | librairie-hollis.fr | fr | Confirmer votre compte': form('/confirmer', field('code', 'Code')),
    'Livraria Hollis | livraria-hollis.pt | pt | Confirmar conta': form('/confirmar', field('codigo', 'Código')),
    'Книги Холлис | hollis-knigi.ru | ru | Подтвердите аккаунт': form('/confirm', field('code', 'Код')),
  },
  'a survey with a prize': {
    'Hollis Panel | hollis-panel.com | en | Survey': `<p>Answer ten questions and win a gift card of Amazon or Netflix.</p>${form('/survey', field('q1', 'How old are you?'))}`,
    'Hollis Umfragen | hollis-umfragen.de | de | Umfrage': `<p>Gutschein von Amazon sichern.</p>${form('/umfrage', field('q1', 'Wie alt sind Sie?'))}`,
    'Hollis Sondages | hollis-sondages.fr | fr | Sondage': `<p>Recevez un cadeau.</p>${form('/sondage', field('q1', 'Votre âge'))}`,
    'Hollis Games | hollis-games.com | en | Giveaway': `<p>Claim your prize: a Steam or PlayStation gift card.</p>${form('/giveaway', field('email', 'E-mail', 'email'))}`,
    'Hollis Anket | hollis-anket.com.tr | tr | Anket': `<p>Hediye kazan.</p>${form('/anket', field('q1', 'Yaşınız'))}`,
  },
  'a donation by card': {
    'Hollis Relief | hollisrelief.org | en | Donate': `<p>Give by card or with PayPal.</p>${form('/donate', field('amount', 'Amount'), ...CARD)}`,
    'Hollis Hilfe | hollis-hilfe.de | de | Spenden': form('/spenden', field('betrag', 'Betrag'), ...CARD),
    'Hollis Secours | hollis-secours.fr | fr | Faire un don': form('/don', field('montant', 'Montant'), ...CARD),
    'Hollis Ayuda | hollis-ayuda.es | es | Donar': form('/donar', field('importe', 'Importe'), ...CARD),
    'Hollis Hulp | hollis-hulp.nl | nl | Doneren': form('/doneren', field('bedrag', 'Bedrag'), ...CARD),
  },
}

export const honestActs: readonly HonestPage[] = Object.entries(TOLD).flatMap(([kind, pages]) =>
  Object.entries(pages).map(([told, body]) => {
    const [name = '', domain = '', lang = '', title = ''] = told.split(' | ')
    return { of: `${kind}: ${name}`, domain, html: page({ name, domain, lang }, title, body) }
  }),
)
