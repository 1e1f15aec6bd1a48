// Lures: requests to visitors that no legitimate page makes, found by rules that a person can verify.
import { printable } from '../../src/engine/plugin.ts'
import { actsIn, mendsWallets, toldBy } from './acts.ts'
import type { PageFacts } from './page_model/facts.ts'

/** A lure that was found: a description, and text from the page. */
export interface LureFinding {
  readonly detail: string
  readonly evidence: Readonly<Record<string, unknown>>
}

/** Longer pages are articles, manuals or shops. */
const FEW_WORDS = 400
const TEXT = 8_192
const QUOTE_LENGTH = 80

/** All text, visible or not: a script may show the next step of a lure only after a click. */
const allText = ({ document }: PageFacts): string => document.text.slice(0, TEXT)

/** The matched text for quoting, or null. */
function quote(pattern: RegExp, text: string): string | null {
  const match = pattern.exec(text)
  return match === null ? null : printable(match[0], QUOTE_LENGTH)
}

const RUN_DIALOG =
  /(?:\bwin(?:dows)?|⊞|❖)[ -]?(?:key|button|logo|taste|toets)?[ "'”]{0,3}(?:\+|and|und|et|y|e|plus)[ "'“]{0,3}(?:the )?r\b|\b(?:open|launch|start)[^.]{0,30}\b(?:terminal|powershell|run dialog)|command ?\+ ?space/i
const PASTE =
  /(?:ctrl|strg|⌘|cmd|command|control)[ "'”]{0,3}\+[ "'“]{0,3}v\b|\bpaste\b|einfügen|\bcoll(?:ez|er)\b|\bpega(?:r|ue)?\b|incolla/i
const PRETEXT =
  /captcha|robot|\bhuman\b|verif|cloudflare|ray id|\bfix\b|how to resolve|update (?:failed|required)|root certificate|unusual (?:web )?traffic/i
const TO_CLIPBOARD = /clipboard\.write|execcommand\(\s?['"]copy/i
const COMMAND =
  /\bpowershell\b|\bpwsh\b|\bmshta\b|cmd(?:\.exe)? \/[ck]\b|\bcertutil\b|\bmsiexec\b|\brundll32\b|\bbitsadmin\b|\bwscript\b|invoke-(?:webrequest|expression)|\biwr\b|curl [^\n]{0,200}\| ?(?:ba|z)?sh|\bosascript\b/i

/** "Prove that you are human: press Windows + R, then Ctrl + V", or a script that copies a command for it. */
export function pasteCommand(facts: PageFacts): LureFinding | null {
  const text = allText(facts)
  if (facts.document.word_count > FEW_WORDS || !PRETEXT.test(`${facts.title} ${text}`)) return null
  const keys = quote(RUN_DIALOG, text)
  const pastes = PASTE.test(text)
  const command = TO_CLIPBOARD.test(facts.scripts) ? quote(COMMAND, facts.scripts) : null
  if (!(keys !== null && pastes) && command === null) return null
  const sentence = keys === null ? null : 'The page tells visitors to paste something into a command window'
  const clipboardText = command === null ? null : 'a script puts a command on the clipboard'
  const says = [sentence, clipboardText].filter(one => one !== null).join(', and ')
  return { detail: `${upperFirst(says)}.`, evidence: { keys, command } }
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const ALARM =
  /\b(?:virus(?:es)?|trojan|spyware|malware|adware|ransomware|worm)\b|ウイルス|アドウェア|スパイウェア|危険にさらされ|(?:computer|pc|device|system|windows|mac|account|access)[^.]{0,40}(?:locked|blocked|disabled|infected|hacked|at risk|compromised)/i
const CALL =
  /(?:call|contact|phone|dial|ring)[^.]{0,60}(?:support|technician|microsoft|windows|apple|helpline|help ?desk|toll|immediately|engineer)|(?:support|technician|helpline|toll)[^.]{0,40}(?:call|number|\+?1?[ -]?\(?8\d\d)|電話|appele[rz]|anrufen|rufen sie|llam[ae]/i
const NUMBER = /\+?\(?\d[\d ().-]{7,16}\d|\+\d-?\(?\w{3}\)?-\w{3}-\w{4}/
const PRESSURE =
  /do not (?:close|restart|re-?boot|shut|turn|ignore|use)|error[ _]?code|(?:access|system)[^.]{0,50}(?:restricted|blocked|limited|block)|制限されています|within \d+ (?:minutes|hours)/i
const HOLDS = /onbeforeunload/
const HOLDS_BY_SCRIPT = /beforeunload|requestfullscreen|\.requestpointerlock|keyboard\.lock|contextmenu/i

const THREAT_CLAIM = /threats? (?:detected|found)|virus(?:es)? (?:detected|found)|trojan|\bspyware\b/gi
/** Minimum number of results of a fake scan. */
const SEVERAL = 3

/** Results of a virus scan, which no page can run, under the name of another company's product. */
export function fakeScan({ sights, anchors, ...facts }: PageFacts): LureFinding | null {
  const text = facts.document.text.slice(0, TEXT)
  if (sights.foreign === null || anchors.ownTargets > 3 || facts.document.word_count > FEW_WORDS) return null
  const matches = text.match(THREAT_CLAIM)?.length ?? 0
  if (matches < SEVERAL) return null
  const { name } = sights.foreign.brand
  return {
    detail: `The page shows ${matches} findings of a virus scan under the name of ${name}.`,
    evidence: { found: matches, brand: name },
  }
}

/** A warning about a virus or a lock, a phone number, and something that keeps visitors from leaving. */
export function supportScare(facts: PageFacts): LureFinding | null {
  const text = allText(facts)
  const { document, scripts, anchors } = facts
  if (document.word_count > FEW_WORDS || anchors.ownTargets > 8) return null
  const [alarm, call, number] = [quote(ALARM, text), quote(CALL, text), quote(NUMBER, text)]
  if (alarm === null || call === null || number === null) return null
  const holds = document.look?.handlers.some(one => HOLDS.test(one)) === true || HOLDS_BY_SCRIPT.test(scripts)
  if (!PRESSURE.test(text) && !holds) return null
  const detail = `The page warns of “${alarm}” and gives a number to call${holds ? ', and a script keeps visitors from leaving' : ''}.`
  return { detail, evidence: { alarm, call, number } }
}

/** Names, placeholders and labels of the visible fields; a label may belong to any field. */
function saysOfFields({ document: { look }, asks }: PageFacts): string[] {
  if (look === undefined || asks.visible === 0) return []
  const fields = look.fields.filter(({ type }) => type !== 'hidden')
  const names = fields.map(({ name }) => name.replace(/[_\-[\].]+/g, ' '))
  return [...names, ...fields.map(({ placeholder }) => placeholder), ...look.labels].filter(text => text.trim() !== '')
}

const fieldLure = (what: string, text: string): LureFinding => {
  const field = printable(text.trim(), QUOTE_LENGTH)
  return { detail: `The page asks for ${what} (“${field}”).`, evidence: { field } }
}

const PHRASE =
  /(?:seed|recovery|secret|mnemonic|backup|wallet)[ _-]?phrase|\bmnemonic\b|\b(?:12|24)[ -]words?\b|phrase[ _-]?(?:12|24)/i
const ENTER_PHRASE = /(?<!never |not |n't )\b(?:enter|input|import|type|paste)[^.]{0,40}phrase/i
const WALLET = /wallet|metamask|ledger|trezor|phantom|coinbase|blockchain|\bdapps?\b|crypto/i
const PRIVATE_KEY = /private[ _-]?key/i
/** Types of fields that accept a phrase. */
const PHRASE_FIELDS: ReadonlySet<string> = new Set(['text', 'textarea', 'password'])
/** Minimum number of fields when there is one per word. */
const GRID = 12

/** The recovery phrase gives control of a wallet. */
export function walletPhrase(facts: PageFacts): LureFinding | null {
  const { asks, document, title } = facts
  const text = `${title} ${facts.shown}`
  const isWallet = WALLET.test(text)
  const field = saysOfFields(facts).find(one => PHRASE.test(one) || (isWallet && PRIVATE_KEY.test(one)))
  if (field !== undefined) return fieldLure('the recovery phrase or key of a wallet', field)
  const isGrid = asks.visible >= GRID && isWallet && PHRASE.test(text)
  const isOpen =
    document.look?.fields.some(({ type, name }) => PHRASE_FIELDS.has(type) && !/search|^[qs]$/i.test(name)) === true
  const isTold = isOpen && document.word_count < FEW_WORDS && ENTER_PHRASE.test(text)
  return isGrid || isTold
    ? { detail: 'The page asks for the recovery phrase of a wallet.', evidence: { fields: asks.visible } }
    : null
}

const CARD_PIN =
  /\b(?:atm|card|debit|bank)[ _-]?pin\b|\bpin[ _-]?(?:of|code|number)?[ _-]?(?:atm|card)\b|\batm[ _-]?(?:pin|code)\b|pin de (?:la )?(?:tarjeta|carte)/i
const PIN = /\bpin\b/i
/** Indian postal codes (PIN codes), and cards issued by shops. */
const OTHER_PIN = /zip|postal|pin ?code/i
const OTHER_CARD = /gift|voucher|loyalty|membership|library/i

/** No web site needs a card PIN. */
export function cardPin(facts: PageFacts): LureFinding | null {
  const says = saysOfFields(facts)
  if (says.some(one => OTHER_CARD.test(one))) return null
  const hasCard = facts.asks.fields.card > 0
  const field = says.find(one => CARD_PIN.test(one) || (hasCard && PIN.test(one) && !OTHER_PIN.test(one)))
  return field === undefined ? null : fieldLure('the PIN of a card', field)
}

const IDENTITY_NUMBER = /\bssn\b|social[ _-]?security|national[ _-]?insurance|aadhaar/i

/** An identity number with a password or card is enough to impersonate a person. */
export function identityNumber(facts: PageFacts): LureFinding | null {
  const { passwords, fields } = facts.asks
  if (passwords === 0 && fields.card === 0) return null
  const field = saysOfFields(facts).find(one => IDENTITY_NUMBER.test(one))
  return field === undefined
    ? null
    : fieldLure(`an identity number beside a ${fields.card > 0 ? 'card' : 'password'}`, field)
}

const MAIL_PASSWORD = /\be-?mail[ _-]?pass(?:word|wd)?\b|password (?:of|for) (?:your )?e-?mail|\bmail[ _-]?password\b/i

/** Names of fields with which sites change passwords and addresses of their own accounts. */
const ACCOUNT_UPKEEP = /forgot|reset|update|change|confirm/i

/** A mailbox gives access to all accounts whose passwords can be reset by mail. */
export function mailboxPassword(facts: PageFacts): LureFinding | null {
  const field = saysOfFields(facts).find(one => MAIL_PASSWORD.test(one) && !ACCOUNT_UPKEEP.test(one))
  return field === undefined ? null : fieldLure('the password of a mailbox', field)
}

const CHROME =
  /(?:url|address|title|browser|window|tab)[-_]?bar\b|window[-_]controls|browser[-_](?:window|chrome|frame)|traffic[-_]lights|(?:btn|button)[-_](?:minimi[sz]e|maximi[sz]e)/i
const DRAWN_ADDRESS =
  /https?:\/\/[a-z0-9.-]{4,80}\/?|\b(?:accounts|login|signin|auth|id|steamcommunity|appleid)\.[a-z0-9-]{2,40}\.(?:com|net|org|live)\b/i

/** A fake browser window, drawn by the page, whose address bar shows another site. */
export function fakeBrowser({ document, asks, sights }: PageFacts): LureFinding | null {
  const { look } = document
  if (look === undefined || asks.visible === 0 || document.word_count > FEW_WORDS) return null
  const mark = [...document.ids, ...document.classes].find(one => CHROME.test(one))
  const address = mark === undefined ? null : quote(DRAWN_ADDRESS, look.shown.slice(0, 2_048))
  if (mark === undefined || address === null || sights.atHome) return null
  return {
    detail: `The page draws a browser window whose address bar shows ${address}.`,
    evidence: { address, element: printable(mark, QUOTE_LENGTH) },
  }
}

const DOUBLING =
  /send(?:[^.]|\.\d){0,60}(?:btc|eth|bitcoin|ethereum|crypto|usdt|sol|xrp|doge|coins?)(?:[^.]|\.\d){0,120}(?:back|double|twice|2x|x2|return)|(?:double|x2|2x|200 ?%)[^.]{0,40}(?:your )?(?:btc|eth|bitcoin|ethereum|crypto)/i
const ADDRESS =
  /\bbc1[a-z0-9]{25,60}\b|\b0x[0-9a-f]{40}\b|\b[13][a-km-zA-HJ-NP-Z1-9]{25,34}\b|\bT[a-km-zA-HJ-NP-Z1-9]{33}\b/
/** A promise to double coins. */
export function doubledCoins(facts: PageFacts): LureFinding | null {
  const text = allText(facts)
  const says = facts.document.word_count > FEW_WORDS ? null : quote(DOUBLING, text)
  if (says === null || !ADDRESS.test(`${text} ${facts.scripts}`)) return null
  return { detail: 'The page promises to return more coins than visitors send.', evidence: { says } }
}

/** Links of a page that leads somewhere besides. */
const FEW_LINKS = 8

/** A page that mends wallets once they are connected. */
export function walletRepair(facts: PageFacts): LureFinding | null {
  const { anchors, words } = facts
  if (words > FEW_WORDS || anchors.ownTargets > FEW_LINKS) return null
  const text = toldBy(facts)
  return mendsWallets(text, actsIn(text))
    ? { detail: 'The page tells visitors to connect a wallet to repair or validate it.', evidence: {} }
    : null
}

/** A page with more words is a manual. */
const NOTICE = 150

/** An update of a router or modem that needs a password, and no account: the password of the network. */
export function routerUpdate(facts: PageFacts): LureFinding | null {
  const { asks, words } = facts
  if (asks.passwords + asks.fields.password === 0 || asks.fields.account > 0 || words > NOTICE) return null
  return actsIn(toldBy(facts)).some(({ id }) => id === 'update')
    ? { detail: 'The page asks for a password to update a router or modem.', evidence: {} }
    : null
}
