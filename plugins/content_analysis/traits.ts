// How the signals of a page are detected: by its forms, its scripts, and where it leads.
import {
  brands,
  type Document,
  dataFile,
  identify,
  indexOwners,
  printable,
  type Raised,
  TextList,
  waysOn,
} from '../../src/engine/plugin.ts'
import data from './data/free_hosting.json' with { type: 'json' }
import type { SeenForm } from './forms.ts'
import { findMessengerBot, findObfuscation } from './obfuscation.ts'
import { asksForSecret, asksOf } from './page_model/asks.ts'
import { productOf } from './products.ts'
import type { Onward, Sight } from './sight.ts'
import { isHttp, siteOf, withoutQuery } from './text.ts'

const hostOf = ({ hostname }: URL): string => (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname)

/** A family is a name that many independent owners share. */
const ownersOf = indexOwners(brands.filter(({ family }) => !family))

/** Shorter names are often registered by different owners under different suffixes. */
const LABEL = 4

/** Whether two sites have one owner by their names, as many log-ins are on a sister site: one brand owns both, or they are one name under two suffixes (`shop.example`, `shop.test`), neither of them a tenant's. */
export function areSisters(one: string, other: string): boolean {
  const [a, b] = [identify(one), identify(other)]
  if (a.tenant || b.tenant || a.shared || b.shared) return false
  const labelOf = ({ owner, suffix }: typeof a) => owner.slice(0, -suffix.length - 1)
  if (labelOf(a).length >= LABEL && labelOf(a) === labelOf(b)) return true
  const owners = new Set(ownersOf(one).map(({ name }) => name))
  return ownersOf(other).some(({ name }) => owners.has(name))
}

const passwordForms = ({ forms }: Sight): SeenForm[] => forms.filter(({ hasPassword }) => hasPassword)

/** In a form, or in a field that a script reads. */
const asksForPassword = (sight: Sight): boolean =>
  passwordForms(sight).length > 0 || sight.document.formless_inputs.includes('password')

/** Those of a page that led here ran too. */
const scriptsOf = ({ document }: Sight): readonly string[] => [
  ...(document.scripts_before ?? []),
  ...document.inline_scripts,
]

/** Seconds within which a redirect is immediate: nobody reads the page in that time. */
const AT_ONCE = 1
const URL_LENGTH = 200

/** Share of the points for a page whose own name fits its host: few kits are made for one host. */
const NAMED_SHARE = 0.5

function strengthOf(sight: Sight): number {
  const { judgement, isNamed, facts } = sight
  if (judgement.level === 'possible') return isNamed ? NAMED_SHARE : 1
  if (judgement.level === 'certain') return 1
  const asks = asksForSecret(facts.asks) || (facts.asks.visible > 0 && facts.asks.fields.account > 0)
  return asks && !isNamed ? 1 : 0.9
}

/** The page is like those of phishing kits by many small hints together: what it asks for, where it sends that, how it is made. */
export function likePhishing(sight: Sight, hasTrait: boolean): Raised | null {
  const { level, reasons, odds } = sight.judgement
  if (level === null || (level !== 'possible') !== hasTrait) return null
  // The log-in of a product is like those that kits copy; a form that goes to the product is the product's.
  if (level === 'possible' && productOf(sight.document, sight.page) !== null) return null
  const detail = reasons.length === 0 ? 'The page resembles phishing kits.' : `The page ${reasons.join('; ')}.`
  return { detail, strength: strengthOf(sight), evidence: { level, log_odds: Math.round(odds * 10) / 10 } }
}

function passwordTo(sight: Sight, where: (to: URL) => boolean, says: (to: URL) => string): Raised | null {
  // A form with method=dialog closes the dialog and submits nothing (HTML section 4.10.22.3).
  const forms = passwordForms(sight).filter(({ method }) => method !== 'dialog')
  const goals = forms.flatMap(form => form.goals)
  const to = goals.find(goal => goal.to !== null && where(goal.to))?.to
  return to ? { detail: says(to), evidence: { action: withoutQuery(to, URL_LENGTH) } } : null
}

/** A form with a password field submits to a site of somebody else. */
export const passwordToOtherSite = (sight: Sight): Raised | null =>
  passwordTo(
    sight,
    to => siteOf(to) !== siteOf(sight.page) && !areSisters(hostOf(sight.page), hostOf(to)),
    to => `A form with a password field submits to ${printable(to.host, URL_LENGTH)}.`,
  )

/** The page itself is encrypted, so the browser shows it as secure. */
export const passwordOverHttp = (sight: Sight): Raised | null =>
  sight.page.protocol === 'https:'
    ? passwordTo(
        sight,
        to => to.protocol === 'http:',
        () => 'A form with a password field submits over HTTP.',
      )
    : null

/** Anyone on the network path can read the password or change where it is sent. */
export const passwordOnHttpPage = (sight: Sight): Raised | null =>
  sight.page.protocol === 'http:' && asksForPassword(sight)
    ? { detail: 'The page with the password field was served over HTTP.' }
    : null

/** The page asks for a secret under a name that anyone can get for nothing. */
export function secretOnFreeHosting({ facts, page }: Sight): Raised | null {
  const host = asksForSecret(facts.asks) ? freeHostOf(page.hostname) : null
  return host === null ? null : { detail: `Anyone can create a free site under ${host}.`, evidence: { host } }
}

/** A form or a frame uses a data URL, which has no host. */
export function dataUri({ forms, document }: Sight): Raised | null {
  if (forms.some(({ goals }) => goals.some(({ destination }) => destination === 'data')))
    return { detail: 'A form submits to a data URL.' }
  const isFramed = document.iframes.some(src => src.trimStart().slice(0, 14).toLowerCase() === 'data:text/html')
  return isFramed ? { detail: 'A frame loads its page from a data URL.' } : null
}

/** What the page itself does. */
export const sendsElsewhere = ({ document, page }: Sight): Raised | null =>
  waysOn(document)
    .flatMap(way => leadsElsewhere({ ...way, from: page, to: new URL(way.url) }) ?? [])
    .at(0) ?? null

/** What the first page did, which was followed. */
export const sentElsewhere = ({ onward }: Sight): Raised | null => (onward === null ? null : leadsElsewhere(onward))

const MEANS: Readonly<Record<Onward['by'], string>> = {
  refresh: 'redirects to',
  script: 'has a script that redirects to',
  frame: 'only shows a frame of',
}

function leadsElsewhere({ from, to, by, seconds }: Onward): Raised | null {
  if (seconds > AT_ONCE || !isHttp(to) || siteOf(to) === siteOf(from)) return null
  const url = withoutQuery(to, URL_LENGTH)
  const after = by === 'frame' ? '' : ` after ${seconds} s`
  return { detail: `The page ${MEANS[by]} ${url}${after}.`, evidence: { url } }
}

const markerFinding = (what: string, marker: string | null): Raised | null =>
  marker === null ? null : { detail: `${what}: ${printable(marker, URL_LENGTH)}.`, evidence: { marker } }

/** Phishing kits send passwords to a bot, which needs no server of their own. */
export const messengerBot = (sight: Sight): Raised | null =>
  asksForPassword(sight)
    ? markerFinding(
        'The page asks for a password, and a script posts to a messenger bot',
        findMessengerBot(scriptsOf(sight)),
      )
    : null

/** A script redirects to an address that it decodes. */
export const obfuscatedRedirect = (sight: Sight): Raised | null =>
  markerFinding('A script redirects to an encoded address', findObfuscation(scriptsOf(sight)).redirect)

/** A script decodes its own code before it runs it. */
export const obfuscatedScript = (sight: Sight): Raised | null =>
  markerFinding('A script decodes its own code before running it', findObfuscation(scriptsOf(sight)).code)

/** Characters of text: what is encoded to keep robots from an address or a line of text is shorter. */
const MUCH_TEXT = 200

/** A page with more words shows something of its own. */
const FEW_WORDS = 50

type Drawing = NonNullable<Document['written']>['read'][number]

/** What scripts draw from encoded text. */
const disguisedWrites = ({ document }: Sight) =>
  (document.written?.read ?? []).filter(({ disguise }) => disguise !== null)

const DISGUISES: Readonly<Record<string, string>> = {
  base64: 'Base64',
  percent_encoding: 'percent encoding',
  character_codes: 'character codes',
  escapes: 'escapes',
  reversal: 'reversed text',
  arithmetic: 'computed characters',
  ciphertext: 'encrypted text',
}
const disguiseNames = (disguises: readonly (string | null)[]): string =>
  [...new Set(disguises)].flatMap(one => (one === null ? [] : (DISGUISES[one] ?? one))).join(' and ')

/** The rest of the page may ask for a secret openly, beside a banner that a script writes. */
function drawsSecret({ look, ...document }: Document, { fields }: Drawing): boolean {
  if (look === undefined || fields === undefined) return true
  return asksForSecret(asksOf({ ...document, look: { ...look, labels: [], fields: look.fields.slice(...fields) } }))
}

/** A script writes fields that ask for a secret from encoded text. */
export function hiddenForm(sight: Sight): Raised | null {
  const controls = disguisedWrites(sight).filter(one => one.controls > 0 && drawsSecret(sight.document, one))
  if (controls.length === 0 || !asksForSecret(sight.facts.asks)) return null
  const disguises = controls.map(({ disguise }) => disguise)
  return {
    detail: `A script writes fields from ${disguiseNames(disguises)}.`,
    evidence: { disguises: [...new Set(disguises)] },
  }
}

/** A script writes text or controls from encoded text. */
export function hiddenContent(sight: Sight): Raised | null {
  const much = disguisedWrites(sight).filter(({ characters, controls }) => controls > 0 || characters >= MUCH_TEXT)
  if (much.length === 0 || asksForSecret(sight.facts.asks)) return null
  const disguises = much.map(({ disguise }) => disguise)
  return {
    detail: `A script writes content of the page from ${disguiseNames(disguises)}.`,
    evidence: { disguises: [...new Set(disguises)] },
  }
}

/** A page that shows something besides is not what was written. What is not in the page lies elsewhere, as for any application. */
export function hiddenPage({ document }: Sight): Raised | null {
  const disguises = (document.written?.unread ?? []).flatMap(({ isHeld, disguise }) => (isHeld ? [disguise] : []))
  const showsFields = document.look?.fields.some(({ type }) => type !== 'hidden') ?? false
  const words = document.look?.shown_words ?? document.word_count
  if (disguises.length === 0 || showsFields || words >= FEW_WORDS) return null
  const distinct = [...new Set(disguises)].filter(disguise => disguise !== null)
  const how = distinct.length === 0 ? 'writes the page' : `decodes the page from ${disguiseNames(distinct)}`
  return { detail: `A script ${how}, and what it writes could not be read.`, evidence: { disguises: distinct } }
}

// Free hosting providers. Anyone can create a site there anonymously, and most phishing pages use one.
/** Domains below which each customer gets a name. Being hosted there is a hint, not proof. */
export const FreeHostingFile = dataFile({ domains: TextList })
const freeHosting: ReadonlySet<string> = new Set(data.domains)

/** The hosting provider of the host, or null. `www` is the provider's own host. */
export function freeHostOf(hostname: string): string | null {
  const labels = hostname.replace(/^www\./, '').split('.')
  for (let i = 1; i < labels.length - 1; i++) {
    const parent = labels.slice(i).join('.')
    if (freeHosting.has(parent)) return parent
  }
  return null
}
