// The table of phishing signals: how each is detected, and why it is a signal.
import { type Document, printable, type SignalFound, waysOn } from '../../src/engine/plugin.ts'
import type { SeenForm } from './forms.ts'
import { freeHostOf } from './free_hosting.ts'
import { brandInTitle, brandLure, brandSignIn, impersonatedBrand, ownedByBrand } from './impersonation.ts'
import {
  cardPin,
  doubledCoins,
  fakeBrowser,
  fakeScan,
  identityNumber,
  mailboxPassword,
  pasteCommand,
  routerUpdate,
  supportScare,
  walletPhrase,
  walletRepair,
} from './lures.ts'
import { findMessengerBot, findObfuscation } from './obfuscation.ts'
import { asksForSecret, asksOf } from './page_model/asks.ts'
import { productOf } from './products.ts'
import type { Found, Onward, Sight } from './sight.ts'
import type { Id } from './signals.ts'
import { areSisters } from './sister_sites.ts'
import { isHttp, siteOf, withoutQuery } from './text.ts'

interface Trait {
  readonly id: Id
  /** Legitimate challenge, block and parking pages do this too, none of which asks for a secret. */
  readonly legitimate_in_block?: true
  readonly find: (sight: Sight) => Found | null
}

const hostOf = ({ hostname }: URL): string => (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname)

const passwordForms = ({ forms }: Sight): SeenForm[] => forms.filter(({ hasPassword }) => hasPassword)

/** In a form, or in a field that a script reads. */
const asksForPassword = (sight: Sight): boolean =>
  passwordForms(sight).length > 0 || sight.document.formless_inputs.includes('password')

/** Seconds within which a redirect is immediate: nobody reads the page in that time. */
const AT_ONCE = 1
const URL_LENGTH = 200

/** Share of the points for a page whose own name fits its host: few kits are made for one host. */
const NAMED = 0.5

function strengthOf(sight: Sight): number {
  const { judgement, isNamed, facts } = sight
  if (judgement.level === 'possible') return isNamed ? NAMED : 1
  if (judgement.level === 'certain') return 1
  const asks = asksForSecret(facts.asks) || (facts.asks.visible > 0 && facts.asks.fields.account > 0)
  return asks && !isNamed ? 1 : 0.9
}

function likePhishing(sight: Sight, wanted: boolean): Found | null {
  const { level, reasons, odds } = sight.judgement
  if (level === null || (level !== 'possible') !== wanted) return null
  // The log-in of a product is like those that kits copy; a form that goes to the product is the product's.
  if (level === 'possible' && productOf(sight.document, sight.page) !== null) return null
  const detail = reasons.length === 0 ? 'The page resembles those of phishing kits.' : `The page ${reasons.join('; ')}.`
  return { detail, strength: strengthOf(sight), evidence: { level, log_odds: Math.round(odds * 10) / 10 } }
}

function passwordTo(sight: Sight, where: (to: URL) => boolean, says: (to: URL) => string): Found | null {
  // A form with method=dialog closes the dialog and submits nothing (HTML section 4.10.22.3).
  const sent = passwordForms(sight).filter(({ method }) => method !== 'dialog')
  const goals = sent.flatMap(form => form.goals)
  const to = goals.find(goal => goal.to !== null && where(goal.to))?.to
  return to ? { detail: says(to), evidence: { action: withoutQuery(to, URL_LENGTH) } } : null
}

function dataUri({ forms, document }: Sight): Found | null {
  if (forms.some(({ goals }) => goals.some(({ destination }) => destination === 'data')))
    return { detail: 'A form submits to a data URL.' }
  const framed = document.iframes.some(src => src.trimStart().slice(0, 14).toLowerCase() === 'data:text/html')
  return framed ? { detail: 'A frame loads its page from a data URL.' } : null
}

/** What the page itself does. A first page that was followed counts before it. */
const sendsElsewhere = ({ document, page }: Sight): Found | null =>
  waysOn(document)
    .flatMap(way => leadsElsewhere({ ...way, from: page, to: new URL(way.url) }) ?? [])
    .at(0) ?? null

const sentElsewhere = ({ followed }: Sight): Found | null => (followed === null ? null : leadsElsewhere(followed))

const MEANS: Readonly<Record<Onward['by'], string>> = {
  refresh: 'redirects to',
  script: 'has a script that redirects to',
  frame: 'only shows a frame of',
}

function leadsElsewhere({ from, to, by, seconds }: Onward): Found | null {
  if (seconds > AT_ONCE || !isHttp(to) || siteOf(to) === siteOf(from)) return null
  const url = withoutQuery(to, URL_LENGTH)
  const after = by === 'frame' ? '' : ` after ${seconds} s`
  return { detail: `The page ${MEANS[by]} ${url}${after}.`, evidence: { url } }
}

const marked = (what: string, marker: string | null): Found | null =>
  marker === null ? null : { detail: `${what}: ${printable(marker, URL_LENGTH)}.`, evidence: { marker } }

/** Characters of text: what is encoded to keep robots from an address or a line of text is shorter. */
const MUCH_TEXT = 200

/** A page with more words shows something of its own. */
const FEW_WORDS = 50

type Drawing = NonNullable<Document['written']>['read'][number]

/** What scripts draw from encoded text. */
const disguised = ({ document }: Sight) => (document.written?.read ?? []).filter(({ disguise }) => disguise !== null)

const DISGUISES: Readonly<Record<string, string>> = {
  base64: 'Base64',
  percent_encoding: 'percent encoding',
  character_codes: 'character codes',
  escapes: 'escapes',
  reversal: 'reversed text',
  arithmetic: 'computed characters',
  ciphertext: 'encrypted text',
}
const named = (disguises: readonly (string | null)[]): string =>
  [...new Set(disguises)].flatMap(one => (one === null ? [] : (DISGUISES[one] ?? one))).join(' and ')

/** The rest of the page may ask for a secret openly, beside a banner that a script writes. */
function drawsSecret({ look, ...document }: Document, { fields }: Drawing): boolean {
  if (look === undefined || fields === undefined) return true
  return asksForSecret(asksOf({ ...document, look: { ...look, labels: [], fields: look.fields.slice(...fields) } }))
}

function hiddenForm(sight: Sight): Found | null {
  const controls = disguised(sight).filter(one => one.controls > 0 && drawsSecret(sight.document, one))
  if (controls.length === 0 || !asksForSecret(sight.facts.asks)) return null
  const disguises = controls.map(({ disguise }) => disguise)
  return {
    detail: `A script writes fields from ${named(disguises)}.`,
    evidence: { disguises: [...new Set(disguises)] },
  }
}

function hiddenContent(sight: Sight): Found | null {
  const much = disguised(sight).filter(({ characters, controls }) => controls > 0 || characters >= MUCH_TEXT)
  if (much.length === 0 || asksForSecret(sight.facts.asks)) return null
  const disguises = much.map(({ disguise }) => disguise)
  return {
    detail: `A script writes content of the page from ${named(disguises)}.`,
    evidence: { disguises: [...new Set(disguises)] },
  }
}

/** A page that shows something besides is not what was written. What is not in the page lies elsewhere, as for any application. */
function hiddenPage({ document }: Sight): Found | null {
  const disguises = (document.written?.unread ?? []).flatMap(({ isHeld, disguise }) => (isHeld ? [disguise] : []))
  const showsFields = document.look?.fields.some(({ type }) => type !== 'hidden') ?? false
  const words = document.look?.shown_words ?? document.word_count
  if (disguises.length === 0 || showsFields || words >= FEW_WORDS) return null
  const known = [...new Set(disguises)].filter(disguise => disguise !== null)
  const how = known.length === 0 ? 'writes the page' : `decodes the page from ${named(known)}`
  return { detail: `A script ${how}, and what it writes could not be read.`, evidence: { disguises: known } }
}

/** Sorted by weight. */
export const traits: readonly Trait[] = [
  // Many small hints together: what the page asks for, where it sends that, and how it is put together.
  { id: 'phishing_page', legitimate_in_block: true, find: sight => likePhishing(sight, true) },
  { id: 'resembles_phishing_page', legitimate_in_block: true, find: sight => likePhishing(sight, false) },
  // What no honest page asks for or tells its visitors to do (lures.ts). Lures pose as challenges, so they count there too.
  { id: 'paste_command_lure', find: ({ facts }) => pasteCommand(facts) },
  { id: 'tech_support_scare', find: ({ facts }) => supportScare(facts) },
  { id: 'coin_doubling', find: ({ facts }) => doubledCoins(facts) },
  { id: 'fake_virus_scan', find: ({ facts }) => fakeScan(facts) },
  { id: 'asks_for_wallet_phrase', find: ({ facts }) => walletPhrase(facts) },
  { id: 'wallet_repair_lure', find: sight => (sight.isNamed ? null : walletRepair(sight.facts)) },
  { id: 'router_update_lure', find: sight => (sight.isNamed ? null : routerUpdate(sight.facts)) },
  { id: 'asks_for_card_pin', find: ({ facts }) => cardPin(facts) },
  { id: 'asks_for_identity_number', find: ({ facts }) => identityNumber(facts) },
  { id: 'asks_for_mailbox_password', find: ({ facts }) => mailboxPassword(facts) },
  { id: 'fake_browser_window', find: ({ facts }) => fakeBrowser(facts) },
  // Who reports on a brand shows it as often as who poses as it: what counts is whose page it says it is (presented.ts).
  { id: 'impersonated_brand', find: impersonatedBrand },
  // Many log-ins ask for the account first, and a kit for the secret on its next page.
  { id: 'brand_sign_in_step', find: brandSignIn },
  // Drainers, giveaways and notices ask for nothing yet.
  { id: 'brand_lure', find: brandLure },
  // Phishing kits send passwords to a bot, which needs no server of their own.
  {
    id: 'credentials_to_messenger_bot',
    find: sight =>
      asksForPassword(sight)
        ? marked(
            'The page asks for a password, and a script posts to a messenger bot',
            findMessengerBot(scriptsOf(sight)),
          )
        : null,
  },
  // A data URL has no host to block or report, and legitimate forms do not need it.
  { id: 'data_uri_form', find: dataUri },
  // Some legitimate portals do this too, so the weight is moderate.
  {
    id: 'password_form_to_other_site',
    find: sight =>
      passwordTo(
        sight,
        to => siteOf(to) !== siteOf(sight.page) && !areSisters(hostOf(sight.page), hostOf(to)),
        to => `A form with a password field submits to ${printable(to.host, URL_LENGTH)}.`,
      ),
  },
  // The page itself is encrypted, so the browser shows it as secure.
  {
    id: 'password_form_over_http',
    find: sight =>
      sight.page.protocol === 'https:'
        ? passwordTo(
            sight,
            to => to.protocol === 'http:',
            () => 'A form with a password field submits over HTTP.',
          )
        : null,
  },
  // Encoding hides the address from filters, not from visitors.
  {
    id: 'obfuscated_redirect',
    legitimate_in_block: true,
    find: sight => marked('A script redirects to an encoded address', findObfuscation(scriptsOf(sight)).redirect),
  },
  // Anyone on the network path can read the password or change the form's destination.
  {
    id: 'password_on_http_page',
    find: sight =>
      sight.page.protocol === 'http:' && asksForPassword(sight)
        ? { detail: 'The page with the password field was served over HTTP.' }
        : null,
  },
  // Names on free hosting cost nothing and do not identify their owner.
  {
    id: 'password_form_on_free_hosting',
    find: sight => {
      const host = asksForSecret(sight.facts.asks) ? freeHostOf(sight.page.hostname) : null
      return host === null ? null : { detail: `Anyone can create a free site under ${host}.`, evidence: { host } }
    },
  },
  // Filters see an empty page; visitors see the one behind it. A page that was led to and refuses us did not lead there.
  { id: 'refresh_to_other_site', find: sentElsewhere },
  {
    id: 'refresh_to_other_site',
    legitimate_in_block: true,
    find: sight => (sentElsewhere(sight) === null ? sendsElsewhere(sight) : null),
  },
  // Its purpose cannot be seen. Old packers of legitimate scripts do this too, so the weight is low.
  {
    id: 'obfuscated_script',
    legitimate_in_block: true,
    find: sight => marked('A script decodes its own code before running it', findObfuscation(scriptsOf(sight)).code),
  },
  // Honest sites encode addresses of mail, counters and advertisements, never the form that asks for a password.
  { id: 'hidden_form', find: hiddenForm },
  { id: 'hidden_page', find: hiddenPage },
  { id: 'hidden_content', find: hiddenContent },
  // Brands have more names than any table knows. Only their owner's side can say so (ownership/owner.ts).
  { id: 'owned_by_brand', find: ownedByBrand },
  // News sites and shops name brands, so this is informational only.
  { id: 'brand_in_title', find: brandInTitle },
]

/** Those of a page that led here ran too. */
const scriptsOf = ({ document }: Sight): readonly string[] => [
  ...(document.scripts_before ?? []),
  ...document.inline_scripts,
]

/**
 * The signals of a page. Challenge and block pages legitimately run obfuscated scripts and redirect, so these do not count
 * there. What a page is served as depends on headers, paths and words that the target chooses: a page that asks for a
 * secret is judged like any other, or a kit would pass as a challenge or a log-in wall.
 */
export function findSignals(sight: Sight, blocked: boolean): SignalFound<Id>[] {
  const inPlaceOfPage = blocked && !asksForSecret(sight.facts.asks)
  return traits.flatMap(({ id, legitimate_in_block, find }) => {
    const found = inPlaceOfPage && legitimate_in_block ? null : find(sight)
    return found === null ? [] : [{ id, ...found }]
  })
}
