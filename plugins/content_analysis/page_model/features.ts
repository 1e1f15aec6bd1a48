// The features of the page model: each a number from 0 to about 1, with a description for people.
// None uses the host name of the page: a kit can print it as easily as a legitimate page.
import { dataFile, expression, type Static, Type } from '../../../src/engine/plugin.ts'
import data from '../data/phrases.json' with { type: 'json' }
import { type AskKind, asksForSecret } from './asks.ts'
import type { PageFacts } from './facts.ts'

/** One input of the page model. */
export type PageFeature = ReturnType<typeof feature>

const feature = (name: string, says: string | null, read: (facts: PageFacts) => number | boolean) => ({
  name,
  /** A predicate that follows "it": `asks for a password`. Null if it means nothing to people by itself. */
  says,
  read: (facts: PageFacts) => Number(read(facts)),
})

/** 0 for none, about 1 for a thousand. */
/** The model was trained on counts up to these. */
const COMMENTS = 32
const NAMES = 256

const scale = (value: number): number => Math.min(1.2, Math.log1p(Math.max(0, value)) / Math.log(1_000))
const share = (part: number, whole: number): number => (whole <= 0 ? 0 : Math.min(1, part / whole))

const about = (name: string, says: string | null, read: (facts: PageFacts) => number): PageFeature[] => [
  feature(name, says, facts => scale(read(facts))),
  feature(`any ${name}`, says, facts => read(facts) > 0),
]

const ASKS: Readonly<Record<AskKind, string>> = {
  password: 'asks for a password',
  card: 'asks for a card number',
  code: 'asks for a security code or PIN',
  expiry: 'asks for the expiry date of a card',
  identity: 'asks for identity or account numbers',
  seed: 'asks for a wallet’s recovery phrase',
  account: 'asks for an account name',
  mailPassword: 'asks for the password of a mailbox',
  mother: 'asks for the mother’s maiden name',
  address: 'asks for name and address',
  search: 'has a search field',
  upload: 'asks for documents',
}

const Phrase = Type.Object(
  {
    says: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'A predicate that follows "it"; absent if it means nothing to people.',
      }),
    ),
    pattern: expression(),
  },
  { additionalProperties: false },
)

/** What the model looks for, by the name that its weights use. A change of a pattern needs a new training. */
export const PhrasesFile = dataFile({
  texts: Type.Record(Type.String(), Phrase),
  scripts: Type.Record(Type.String(), Phrase),
  metas: Type.Record(Type.String(), expression()),
})
const phrases = data as Static<typeof PhrasesFile>

interface PhrasePattern {
  readonly says: string | null
  readonly pattern: RegExp
}

const compilePhrases = (
  table: Readonly<Record<string, Static<typeof Phrase>>>,
): Readonly<Record<string, PhrasePattern>> =>
  Object.fromEntries(
    Object.entries(table).map(([name, { says = null, pattern }]) => [
      name,
      { says, pattern: new RegExp(pattern, 'i') },
    ]),
  )

const TEXTS = compilePhrases(phrases.texts)
const SCRIPTS = compilePhrases(phrases.scripts)
const METAS = Object.entries(phrases.metas).map(([name, pattern]) => [name, new RegExp(pattern)] as const)

const ELEMENTS = [
  'nav',
  'footer',
  'header',
  'main',
  'article',
  'section',
  'svg',
  'br',
  'center',
  'font',
  'table',
  'label',
  'iframe',
  'video',
  'select',
  'button',
  'li',
  'p',
  'div',
  'img',
  'style',
  'noscript',
  'canvas',
  'time',
  'fieldset',
  'picture',
  'h1',
  'span',
  'b',
]

const RELS = [
  'canonical',
  'alternate',
  'manifest',
  'apple-touch-icon',
  'icon',
  'preconnect',
  'dns-prefetch',
  'preload',
  'pingback',
  'edituri',
  'shortlink',
  'search',
  'next',
  'author',
  'license',
]

const isAsking = ({ asks }: PageFacts): boolean => asksForSecret(asks)
const places = ({ sights }: PageFacts): number => sights.foreign?.places.size ?? 0
const isSeen = (
  { sights }: PageFacts,
  ...at: readonly ('title' | 'heading' | 'text' | 'image' | 'resource' | 'link' | 'address' | 'copyright' | 'button')[]
) => at.some(place => sights.foreign?.places.has(place) === true)
const noindex = ({ metas }: PageFacts): boolean => /noindex/i.test(metas.get('robots') ?? '')
const hasFeed = ({ document }: PageFacts): boolean => document.links.some(({ type }) => /rss|atom/.test(type ?? ''))
const isAnalysed = ({ scripts, document }: PageFacts): boolean =>
  SCRIPTS['analytics']?.pattern.test(scripts) === true ||
  document.scripts.some(
    ({ src }) =>
      src !== null &&
      /analytics|googletagmanager|gtag|matomo|piwik|hotjar|segment|fbevents|quantserve|scorecard/i.test(src),
  )

/** The inputs of the page model, in the order of its weights. */
export const features: readonly PageFeature[] = [
  ...(Object.keys(ASKS) as AskKind[]).flatMap(kind => [
    feature(`asks ${kind}`, ASKS[kind], ({ asks }) => asks.fields[kind] > 0),
    feature(`asks ${kind} often`, ASKS[kind], ({ asks }) => scale(asks.fields[kind])),
  ]),
  feature('asks for a secret', 'asks for a secret', isAsking),
  feature('kinds of secrets', 'asks for several secrets', ({ asks: { fields } }) =>
    share(
      [fields.password, fields.card, fields.code, fields.identity, fields.seed, fields.expiry].filter(one => one > 0)
        .length,
      6,
    ),
  ),
  feature('password disguised', 'hides that it asks for a password', ({ asks }) => asks.disguised),
  feature(
    'card and password',
    'asks for a password and a card',
    ({ asks }) => asks.fields.card > 0 && asks.passwords > 0,
  ),
  feature(
    'identity and card',
    'asks for identity and a card',
    ({ asks }) => asks.fields.card > 0 && asks.fields.identity > 0,
  ),
  feature('several passwords', null, ({ asks }) => asks.passwords > 1),
  feature('form token', null, ({ asks }) => asks.hasToken),
  feature('no password type', null, ({ asks }) => asks.fields.password > 0 && asks.passwords === 0),
  ...about('visible fields', null, ({ asks }) => asks.visible),
  ...about('hidden fields', null, ({ asks }) => asks.hidden),
  ...about('checkboxes', null, ({ asks }) => asks.checkboxes),
  feature('one or two fields', null, ({ asks }) => asks.visible === 1 || asks.visible === 2),
  feature(
    'only what a log-in needs',
    null,
    ({ asks, anchors }) => asks.passwords === 1 && asks.visible <= 3 && anchors.total < 15,
  ),

  ...about('forms', null, ({ forms }) => forms.total),
  feature('form to local script', 'sends its form to a script beside the page', ({ forms }) => forms.localScript > 0),
  feature('form to own script', 'sends its form to a script of the site', ({ forms }) => forms.ownScript > 0),
  feature(
    'form to telling script',
    'sends its form to a script with a name typical of kits',
    ({ forms }) => forms.suspiciousName > 0,
  ),
  feature('form to PHP', 'sends its form to a PHP script', ({ forms }) => forms.php > 0),
  feature('secret to PHP', 'sends a secret to a PHP script', facts => isAsking(facts) && facts.forms.php > 0),
  feature(
    'form state',
    null,
    ({ document }) =>
      document.look?.fields.some(({ name }) => /^__(?:viewstate|requestverification)/i.test(name)) === true,
  ),
  feature('form to nowhere', 'has a form that leads nowhere', ({ forms }) => forms.empty > 0),
  feature('form elsewhere', 'sends a form to another site', ({ forms }) => forms.foreign > 0),
  feature('posts', null, ({ forms }) => forms.post > 0),
  feature(
    'asks without a form',
    'asks for a secret outside any form',
    facts => isAsking(facts) && facts.forms.total === 0,
  ),
  feature(
    'secret to local script',
    'sends a secret to a script beside the page',
    facts => isAsking(facts) && facts.forms.localScript > 0,
  ),
  feature(
    'secret to own script',
    'sends a secret to a script of the site',
    facts => isAsking(facts) && facts.forms.ownScript > 0,
  ),
  feature('secret, few words', 'asks for a secret with few words', facts => isAsking(facts) && facts.words < 150),
  feature('secret, many words', null, facts => isAsking(facts) && facts.words > 400),
  feature(
    'secret, few links',
    'asks for a secret and links to little',
    facts => isAsking(facts) && facts.anchors.ownTargets < 5,
  ),
  feature(
    'secret, no own links',
    'asks for a secret and links to no page of its own',
    facts => isAsking(facts) && facts.anchors.ownTargets === 0,
  ),
  feature('secret, no token', null, facts => isAsking(facts) && !facts.asks.hasToken),
  feature('secret, no hidden fields', null, facts => isAsking(facts) && facts.asks.hidden === 0),

  feature('words', null, ({ words }) => scale(words)),
  feature('hardly any words', 'has hardly any words', ({ words }) => words < 25),
  feature('few words', 'has few words', ({ words }) => words < 100),
  feature('some hundred words', null, ({ words }) => words >= 300),
  feature('many words', null, ({ words }) => words >= 1_000),
  feature('coded letters', 'writes text in character codes', ({ document }) => (document.look?.coded_letters ?? 0) > 5),

  ...about('links', null, ({ anchors }) => anchors.total),
  ...about('distinct own links', null, ({ anchors }) => anchors.ownTargets),
  feature('no own links', 'links to no page of its own', ({ anchors }) => anchors.ownTargets === 0),
  feature('few own links', 'links to few pages of its own', ({ anchors }) => anchors.ownTargets < 5),
  feature('share of dead links', 'has links that lead nowhere', ({ anchors }) => share(anchors.dead, anchors.total)),
  feature(
    'mostly dead links',
    'has mostly links that lead nowhere',
    ({ anchors }) => anchors.total > 1 && share(anchors.dead, anchors.total) > 0.5,
  ),
  ...about('dead links', 'has links that lead nowhere', ({ anchors }) => anchors.dead),
  feature('share of relative links', 'has relative links', ({ anchors }) => share(anchors.relative, anchors.total)),
  feature('share of foreign links', 'links mostly to other sites', ({ anchors }) =>
    share(anchors.foreign, anchors.total),
  ),
  feature(
    'mostly foreign links',
    'links mostly to other sites',
    ({ anchors }) => anchors.foreign > 2 && share(anchors.foreign, anchors.total) > 0.5,
  ),
  feature(
    'all links to one other site',
    'links to only one other site',
    ({ anchors }) => anchors.foreign > 2 && anchors.foreignSites === 1 && anchors.ownTargets < 2,
  ),
  feature('foreign sites', null, ({ anchors }) => scale(anchors.foreignSites)),
  feature('legal pages', null, ({ anchors }) => anchors.legal > 0),
  feature('several legal pages', null, ({ anchors }) => anchors.legal > 2),
  feature('links to scripts', null, ({ anchors }) => anchors.toScripts > 0),

  ...about('resources', null, ({ resources }) => resources.total),
  feature('share of relative resources', 'loads files from beside the page', ({ resources }) =>
    share(resources.relative, resources.total),
  ),
  feature(
    'mostly relative resources',
    'loads files from beside the page',
    ({ resources }) => share(resources.relative, resources.total) > 0.5,
  ),
  feature('share of rooted resources', null, ({ resources }) => share(resources.rooted, resources.total)),
  feature('share of foreign resources', 'loads files from other sites', ({ resources }) =>
    share(resources.foreign, resources.total),
  ),
  feature(
    'most from one other site',
    'loads its style sheets from another site',
    ({ resources }) => resources.total > 2 && share(resources.oneForeign, resources.total) > 0.5,
  ),
  feature('saved with a browser', 'was saved from another site', ({ resources }) => resources.saved > 0),
  feature('no resources', null, ({ resources }) => resources.total === 0),
  feature('no scripts', null, ({ document }) => document.scripts.length === 0),
  ...about('scripts', null, ({ document }) => document.scripts.filter(({ src }) => src !== null).length),
  ...about('inline scripts', null, ({ document }) => document.inline_scripts.length),
  ...about('frames', null, ({ document }) => document.iframes.length),
  ...about('comments', null, ({ document }) => Math.min(document.comments.length, COMMENTS)),
  feature('says where it was copied from', 'says where it was copied from', ({ document }) =>
    document.comments.some(one => /saved from url|httrack|mirrored from|singlefile|page saved with/i.test(one)),
  ),
  feature('pictures without alternative', null, ({ document: { images } }) => share(images.without_alt, images.total)),
  feature('one picture', null, ({ document: { images } }) => images.total === 1),
  feature(
    'base elsewhere',
    'takes its addresses from another site',
    ({ document }) =>
      document.base !== null &&
      URL.canParse(document.base) &&
      new URL(document.base).host !== new URL(document.url).host,
  ),

  feature('no title', null, ({ title }) => title === ''),
  feature('one word of title', null, ({ title }) => title !== '' && !title.trim().includes(' ')),
  feature('long title', null, ({ title }) => title.length > 50),
  feature('title of a log-in', null, ({ title }) =>
    /log[ -]?in|sign[ -]?in|log[ -]?on|account|verif|secur|update|billing|confirm|welcome|connexion|anmeld/i.test(
      title,
    ),
  ),
  feature('no language', null, ({ document }) => document.lang === null),
  feature('no doctype', null, ({ document }) => document.doctype === null),
  feature('old doctype', null, ({ document }) => /public/i.test(document.doctype ?? '')),
  feature('noindex', 'excludes search engines', noindex),
  feature('feed', null, hasFeed),
  feature('analytics', null, isAnalysed),
  feature('neither feed nor analytics', null, facts => !hasFeed(facts) && !isAnalysed(facts)),
  feature('structured data', null, ({ document }) => document.json_ld.length > 0),
  feature('languages', null, ({ document }) => document.links.some(({ hreflang }) => hreflang !== null)),
  feature(
    'handler for the context menu',
    'blocks the context menu',
    ({ document }) =>
      document.look?.handlers.some(one => /contextmenu|selectstart|dragstart|oncopy/.test(one)) === true,
  ),
  ...about('handlers', null, ({ document }) => document.look?.handlers.length ?? 0),
  ...about('headings', null, ({ document }) => document.headings.length),
  ...about('custom elements', null, ({ document }) => document.custom_elements.length),
  feature('classes', null, ({ document }) => scale(Math.min(document.classes.length, NAMES))),
  feature('ids', null, ({ document }) => scale(Math.min(document.ids.length, NAMES))),
  feature('application root', null, ({ document }) =>
    document.ids.some(one => /^(?:root|app|__next|__nuxt|q-app|svelte|ember\d*)$/.test(one)),
  ),
  ...METAS.map(([name, pattern]) =>
    feature(name, null, ({ metas }) => [...metas.keys()].some(one => pattern.test(one))),
  ),
  ...RELS.map(rel => feature(`link ${rel}`, null, ({ rels }) => rels.has(rel))),
  ...ELEMENTS.flatMap(name => [
    feature(`<${name}>`, null, ({ elements }) => (elements[name] ?? 0) > 0),
    feature(`<${name}> often`, null, ({ elements }) => scale(elements[name] ?? 0)),
  ]),

  feature('brand seen', 'shows a brand that is another’s', facts => places(facts) > 0),
  feature('brand in places', 'shows a brand that is another’s in several places', facts => share(places(facts), 6)),
  feature('brand in title', 'has another’s brand in its title', facts => isSeen(facts, 'title')),
  feature('brand in picture', 'shows another’s brand in a picture', facts => isSeen(facts, 'image')),
  feature('brand in heading or button', 'shows another’s brand in a heading', facts =>
    isSeen(facts, 'heading', 'button'),
  ),
  feature('brand’s files', 'loads a brand’s own files', facts => isSeen(facts, 'resource')),
  feature('brand’s links', 'shows a brand and links to its site', facts => isSeen(facts, 'link')),
  feature('brand’s address', 'gives a brand’s address as its own', facts => isSeen(facts, 'address')),
  feature('brand’s copyright', 'says that it is a brand’s', facts => isSeen(facts, 'copyright')),
  feature('brand in text', null, facts => isSeen(facts, 'text')),
  feature(
    'secret under brand',
    'asks for a secret under another’s brand',
    facts => isAsking(facts) && isSeen(facts, 'title', 'image', 'address', 'copyright', 'heading'),
  ),
  feature(
    'secret under brand in places',
    'asks for a secret under another’s brand',
    facts => isAsking(facts) && places(facts) > 2,
  ),
  feature(
    'brand and few words',
    'shows another’s brand with few words',
    facts => places(facts) > 1 && facts.words < 150,
  ),
  feature(
    'brand and local script',
    'sends what is asked under another’s brand to a script beside the page',
    facts => places(facts) > 0 && facts.forms.ownScript > 0,
  ),
  feature('at home', null, ({ sights }) => sights.atHome),

  ...Object.entries(TEXTS).flatMap(([name, { says, pattern }]) => [
    feature(`text ${name}`, says, ({ shown }) => pattern.test(shown.slice(0, 8_192))),
    feature(`few words ${name}`, says, ({ shown, words }) => words < 200 && pattern.test(shown)),
  ]),
  ...Object.entries(SCRIPTS).map(([name, { says, pattern }]) =>
    feature(`script ${name}`, says, ({ scripts }) => pattern.test(scripts)),
  ),
]

/** Values of all features, in their order. */
export function readFeatures(facts: PageFacts): Float64Array {
  return Float64Array.from(features, ({ read }) => read(facts))
}

/** Texts and scripts that deceive without a form field. */
const LURES = ['wallet', 'seed', 'prize', 'support', 'paste', 'document'] as const

/**
 * Whether the page does something that phishing needs: asks for a secret or an account, or lures. Others (application
 * shells, notices, articles) are not judged, because the model has too little to go by.
 */
export function isTelling(facts: PageFacts): boolean {
  const { asks, sights, shown, scripts } = facts
  if (isAsking(facts) || asks.disguised || (asks.visible > 0 && asks.fields.account > 0)) return true
  if (sights.foreign !== null && sights.foreign.places.size > 2) return true
  if (SCRIPTS['ethereum']?.pattern.test(scripts) || SCRIPTS['powershell']?.pattern.test(scripts)) return true
  return LURES.some(name => TEXTS[name]?.pattern.test(shown.slice(0, 8_192)))
}
