// The sections of the report, each a card: what was found in plain words, then the details.
import { copyText } from './copy_and_download.js'
import { element, foreign } from './element.js'
import { placeMap } from './place.js'
import { spanBar } from './span.js'
import { factList, sentence, tableContent } from './values.js'

/** @typedef {import('./result.js').ReportSection} ReportSection */
/** @typedef {(message: string) => void} Announce */

/** @type {(remarks: ReportSection['remarks']) => HTMLElement | null} */
const remarkList = remarks =>
  remarks.length === 0
    ? null
    : element(
        'div',
        { class: 'remarks' },
        element('h5', {}, 'Remarks'),
        element(
          'ul',
          {},
          ...remarks.map(({ text, reason }) => element('li', {}, foreign(text), reason ? ` ${reason}` : null)),
        ),
      )

/** @type {(links: ReportSection['links']) => HTMLElement | null} */
const linkList = links =>
  links.length === 0
    ? null
    : element(
        'p',
        { class: 'sources' },
        'Read more: ',
        ...links.flatMap(({ label, url }, at) => [
          at > 0 && ' · ',
          element('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, foreign(label)),
        ]),
      )

/** @typedef {ReportSection['fixes'][number]} Fix */

/** @type {Readonly<Record<Fix['language'], string>>} */
const languages = {
  nginx: 'nginx',
  apache: 'Apache',
  caddy: 'Caddy',
  iis: 'IIS',
  cloudflare: 'Cloudflare Transform Rule',
  cloudfront: 'Amazon CloudFront',
  fastly: 'Fastly VCL',
  netlify: '_headers of Netlify or Cloudflare Pages',
  vercel: 'vercel.json',
  dns: 'DNS',
  http: 'file',
}

/**
 * The fixes of one title: lines to paste, with a choice of the program they are for if there are several.
 * @type {(title: string, fixes: readonly Fix[], announce: Announce) => HTMLElement}
 */
function fixContent(title, fixes, announce) {
  const [first] = fixes
  const one = fixes.length === 1 ? ` (${languages[first?.language ?? 'http']})` : ''
  const codeBlock = element('pre', { tabindex: 0, role: 'region', 'aria-label': title }, first?.code ?? '')
  const choice = element(
    'select',
    { 'aria-label': `${title}: for` },
    ...fixes.map(({ language }, at) => element('option', { value: at }, languages[language])),
  )
  choice.addEventListener('change', () => {
    codeBlock.textContent = fixes[Number(choice.value)]?.code ?? ''
  })
  const copy = element('button', { type: 'button', class: 'quiet', 'aria-label': `Copy: ${title}` }, 'Copy')
  copy.addEventListener('click', () => copyText(codeBlock.textContent ?? '', codeBlock, announce))
  return element(
    'details',
    { class: 'fix' },
    element('summary', {}, foreign(`${title}${one}`)),
    element('p', { class: 'actions' }, fixes.length > 1 && choice, copy),
    codeBlock,
  )
}

/** @type {(fixes: readonly Fix[], announce: Announce) => HTMLElement | null} */
function fixList(fixes, announce) {
  if (fixes.length === 0) return null
  const titles = [...new Set(fixes.map(({ title }) => title))]
  const parts = titles.map(title =>
    fixContent(
      title,
      fixes.filter(fix => fix.title === title),
      announce,
    ),
  )
  return element('div', { class: 'fixes' }, element('h5', {}, 'Lines to paste, if it is yours'), ...parts)
}

/** @type {(section: ReportSection, announce: Announce) => (HTMLElement | null)[]} */
const details = ({ looks, facts, tables, remarks, links, fixes, place, spans = [], hops = [] }, announce) => [
  element('p', { class: 'looks' }, 'We check ', foreign(looks), '.'),
  ...spans.map(spanBar),
  hopChain(hops),
  factList(facts),
  place === undefined ? null : placeMap(place),
  ...tables.map(tableContent),
  remarkList(remarks),
  fixList(fixes, announce),
  linkList(links),
]

/** Redirects as a chain that ends at the page. @type {(hops: NonNullable<ReportSection['hops']>) => HTMLElement | null} */
const hopChain = hops =>
  hops.length === 0
    ? null
    : element(
        'ol',
        { class: 'hops', 'aria-label': 'Redirects' },
        ...hops.map(({ url, by }) => element('li', {}, foreign(url), element('span', { class: 'by' }, foreign(by)))),
        element('li', {}, 'the page'),
      )

/** One line that unfolds: title, what was found, and how it stands. @type {(section: ReportSection, announce: Announce) => HTMLElement} */
function card(section, announce) {
  const { name, title, state, tone, summary } = section
  const id = `card-${name}`
  return element(
    'section',
    { class: `card ${tone}`, 'aria-labelledby': id },
    element(
      'details',
      {},
      element(
        'summary',
        {},
        element('h4', { id }, foreign(title)),
        element('span', { class: 'summary' }, ...sentence(summary)),
        element('span', { class: 'standing' }, state),
      ),
      ...details(section, announce),
    ),
  )
}

/** In the order of the report. @type {(sections: readonly ReportSection[], announce: Announce) => HTMLElement[]} */
export const cards = (sections, announce) => sections.map(section => card(section, announce))
