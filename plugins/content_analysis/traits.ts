// Phishing traits as a table: what each looks at, and why it is one.
import type { Document, SignalFound } from '../../src/engine/plugin.ts'
import { foreignBrand } from './brand_title.ts'
import type { Brand } from './brands.ts'
import type { SeenForm } from './forms.ts'
import { freeHostOf } from './free_hosting.ts'
import { findMessengerBot, findObfuscation } from './obfuscation.ts'
import type { Refresh } from './refresh.ts'
import type { Id } from './signals.ts'
import { isHttp, printable, siteOf, withoutQuery } from './text.ts'

/** A page as the traits look at it. */
export interface Sight {
  readonly page: URL
  readonly document: Document
  readonly forms: readonly SeenForm[]
  readonly refresh: Refresh | null
  /** Brands an operator cares for, beside the table's. */
  readonly brands: readonly Brand[]
}

type Found = Omit<SignalFound, 'id'>

interface Trait {
  readonly id: Id
  /** Challenges and parking pages do it too, without ill will. */
  readonly honest_in_block?: true
  readonly find: (sight: Sight) => Found | null
}

const passwordForms = ({ forms }: Sight): SeenForm[] => forms.filter(({ hasPassword }) => hasPassword)

/** In a form, or in a field that a script reads. */
const asksForPassword = (sight: Sight): boolean =>
  passwordForms(sight).length > 0 || sight.document.formless_inputs.includes('password')

/** Seconds within which nobody reads the page that sends them away. */
const AT_ONCE = 1
const URL_LENGTH = 200

const brandIn = ({ document, page, brands }: Sight): Brand | null => foreignBrand(document.title ?? '', page, brands)

function namedBrand(sight: Sight, asking: boolean): Found | null {
  const brand = asksForPassword(sight) === asking ? brandIn(sight) : null
  if (brand === null) return null
  const domains = brand.domains.filter(domain => domain.includes('.')).slice(0, 3)
  const detail = `The title names ${brand.brand}, whose domains are ${domains.join(', ')}.`
  return { detail, evidence: { brand: brand.brand, site: siteOf(sight.page) } }
}

function passwordTo(sight: Sight, where: (to: URL) => boolean, says: (to: URL) => string): Found | null {
  // A dialog's form closes the dialog and is sent nowhere (HTML section 4.10.22.3)
  const sent = passwordForms(sight).filter(({ method }) => method !== 'dialog')
  const goals = sent.flatMap(form => form.goals)
  const to = goals.find(goal => goal.to !== null && where(goal.to))?.to
  return to ? { detail: says(to), evidence: { action: withoutQuery(to, URL_LENGTH) } } : null
}

function dataUri({ forms, document }: Sight): Found | null {
  if (forms.some(({ goals }) => goals.some(({ destination }) => destination === 'data')))
    return { detail: 'A form is sent to a data URL.' }
  const framed = document.iframes.some(src => src.trimStart().slice(0, 14).toLowerCase() === 'data:text/html')
  return framed ? { detail: 'A frame shows a page from a data URL.' } : null
}

function refreshElsewhere({ refresh, page }: Sight): Found | null {
  if (refresh?.url == null || refresh.seconds > AT_ONCE) return null
  if (!isHttp(refresh.url) || siteOf(refresh.url) === siteOf(page)) return null
  const url = withoutQuery(refresh.url, URL_LENGTH)
  return { detail: `It refreshes to ${url} after ${refresh.seconds} s.`, evidence: { url } }
}

const marked = (marker: string | null): Found | null =>
  marker === null ? null : { detail: `Its marker is ${printable(marker, URL_LENGTH)}.`, evidence: { marker } }

/** In the order of their weight. */
export const traits: readonly Trait[] = [
  // A title is what a victim reads first; a password field makes a mention a pretence.
  { id: 'impersonated_brand', find: sight => namedBrand(sight, true) },
  // Kits need no server of their own: a bot's address in the script is where the password goes.
  {
    id: 'credentials_to_messenger_bot',
    find: sight => (asksForPassword(sight) ? marked(findMessengerBot(sight.document.inline_scripts)) : null),
  },
  // A data URL has no host to be blocked or reported, and no honest form needs one.
  { id: 'data_uri_form', find: dataUri },
  // Stolen passwords go to whoever collects them. Some honest portals do this too, hence not more.
  {
    id: 'password_form_to_other_site',
    find: sight =>
      passwordTo(
        sight,
        to => siteOf(to) !== siteOf(sight.page),
        to => `A form with a password field is sent to ${printable(to.host, URL_LENGTH)}.`,
      ),
  },
  // From an encrypted page, so that the lock in the address bar deceives.
  {
    id: 'password_form_over_http',
    find: sight =>
      sight.page.protocol === 'https:'
        ? passwordTo(
            sight,
            to => to.protocol === 'http:',
            () => 'A form with a password field is sent over http.',
          )
        : null,
  },
  // The address is kept from filters, not from visitors.
  { id: 'obfuscated_redirect', honest_in_block: true, find: ({ document }) => marked(scriptsOf(document).redirect) },
  // Anyone on the way can read the password, or change where the form goes.
  {
    id: 'password_on_http_page',
    find: sight =>
      sight.page.protocol === 'http:' && asksForPassword(sight)
        ? { detail: 'The page with the password field came over http.' }
        : null,
  },
  // Such a name costs nothing and tells nobody who has it.
  {
    id: 'password_form_on_free_hosting',
    find: sight => {
      const host = asksForPassword(sight) ? freeHostOf(sight.page.hostname) : null
      return host === null ? null : { detail: `Under ${host} anyone has a site.`, evidence: { host } }
    },
  },
  // Filters see an empty page, visitors the one behind it.
  { id: 'refresh_to_other_site', honest_in_block: true, find: refreshElsewhere },
  // Nobody can see what it does; old packers of honest scripts do this too, hence so little.
  { id: 'obfuscated_script', honest_in_block: true, find: ({ document }) => marked(scriptsOf(document).code) },
  // News and shops name brands: told, not weighed.
  { id: 'brand_in_title', find: sight => namedBrand(sight, false) },
]

const scriptsOf = ({ inline_scripts }: Document) => findObfuscation(inline_scripts)

/**
 * The traits a page shows. What stands in a page's place, a challenge for one, runs hidden scripts and redirects by
 * nature: only what it does with passwords and data URLs is held against it, for no honest one does that.
 */
export function findSignals(sight: Sight, blocked: boolean): SignalFound<Id>[] {
  return traits.flatMap(({ id, honest_in_block, find }) => {
    const found = blocked && honest_in_block ? null : find(sight)
    return found === null ? [] : [{ id, ...found }]
  })
}
