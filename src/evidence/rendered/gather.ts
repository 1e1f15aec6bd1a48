// Gathers what a browser makes of the page, where that is worth its price: a page that a script writes shows the static reader
// nothing, and a page that was read wholly gains nothing.
import type { Cpu } from '../../base/cpu_queue.ts'
import { printable, printableOrNull } from '../../base/printable.ts'
import { dialableAddresses } from '../addresses/dialable.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Document } from '../document/facts.ts'
import { createPageParser } from '../document/page_parser.ts'
import type { SeenPage } from '../document/page_reader.ts'
import { findUndrawn } from '../document/undrawn.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable, withoutResponse } from '../facts.ts'
import type { Feeds } from '../feeds/facts.ts'
import type { GatherContext, Gatherer } from '../gatherer.ts'
import { describeServed } from '../served/gather.ts'
import { hostOf, type SiteSetup } from '../site_session/session.ts'
import type { DrawnCounts, Rendered } from './facts.ts'
import type { PageReading } from './page_scripts.ts'
import type { RenderedVisit, Renderer, RenderingSetup } from './renderer.ts'

type Others = { addresses: Addresses; feeds: Feeds }
type Context = GatherContext<Others>

/** Milliseconds of the check's end that are left for analysis. */
const SPARE_MS = 400
/** Octets that are parsed at once. */
const SLICE_BYTES = 8 * 1024
const TEXT = 512
const URL_CHARACTERS = 2_048
const MAX_REFUSALS = 50

/** Rejects with `not_applicable` when the page is not to be rendered, and when no document came. */
export default ({ sites, rendering }: SiteSetup & RenderingSetup): Gatherer<Rendered, Others> =>
  async context => {
    if (rendering === null) throw new Unavailable(NOT_CONFIGURED)
    return sites.use(context, async site => {
      const sitePage = await site.page()
      const { navigation, document } = sitePage
      const last = navigation.exchanges.at(-1)
      if (document === null || last === undefined) throw withoutResponse(navigation.failure)
      const why = await reasonFor(rendering, context, { navigation, document })
      if (why === null) throw new NotApplicable('not_rendered')
      const visit = await render(rendering, context, navigation.exchanges[0]?.url ?? last.url)
      return describeVisit(context.cpu, visit, document, why)
    })
  }

async function reasonFor(
  { when }: Renderer,
  context: Context,
  { navigation, document }: SeenPage & { readonly document: Document },
): Promise<Rendered['why'] | null> {
  if (context.target.render === true) return 'asked'
  if (when === 'always') return 'always'
  if (when === 'asked') return null
  const served = describeServed(navigation, document)
  if (findUndrawn({ page: navigation, served, document }) === null) return null
  return (await isListed(context)) ? null : 'needed'
}

/** A feed that lists the target has decided. */
async function isListed({ gather }: Context): Promise<boolean> {
  const feeds = await gather('feeds').catch(() => null)
  return feeds?.lists.some(({ status, strength }) => status === 'listed' && strength !== 'none') ?? false
}

async function render(renderer: Renderer, context: Context, url: string): Promise<RenderedVisit> {
  const { target, signal, deadline, client = '', waited } = context
  const addresses = await dialableAddresses(context)
  return renderer.render({
    url,
    knownHost: { host: hostOf(target), addresses },
    port: target.url?.port,
    signal,
    deadline: deadline - SPARE_MS,
    client,
    waited,
  })
}

/** Rejects with `Unavailable` when the browser got no page or could not read it. */
export async function describeVisit(
  cpu: Cpu,
  visit: RenderedVisit,
  served: Document,
  why: Rendered['why'],
): Promise<Rendered> {
  const { reading, failure, traffic } = visit
  if (failure !== null) throw new Unavailable(failureOf(failure))
  if (visit.crashed) throw new Unavailable('page_crashed')
  if (reading === null) throw new Unavailable('browser_timeout')
  const document = await parse(cpu, visit.url, reading, served)
  return {
    why,
    url: visit.url,
    status: visit.status,
    title: printableOrNull(reading.title, TEXT),
    navigations: visit.navigations,
    document,
    drawn: { ...countsOf(document), fields: reading.fields, passwords: reading.passwords, buttons: reading.buttons },
    served: countsOf(served),
    served_url: served.url,
    served_scripts: scriptsOf(served),
    alike: likeness(served, document),
    requests: visit.requests,
    hosts: visit.hosts,
    refused: [...visit.refused].slice(0, MAX_REFUSALS).map(([host, reason]) => ({ host, reason })),
    received: traffic.received,
    sent: traffic.sent,
    spent: traffic.spent,
    console_errors: visit.console_errors,
    downloads: visit.downloads.map(url => printable(url, URL_CHARACTERS)),
    dialogs: visit.dialogs.map(text => printable(text, TEXT)),
    copied: visit.copied.map(text => printable(text, TEXT)),
    settled: visit.settled,
    screenshots: visit.screenshots,
    took_ms: Math.round(visit.took_ms),
  }
}

/** Chromium's names of what the proxy or the site refuses. A certificate that a browser does not accept is the target's. */
const failureOf = (failure: string): string =>
  /ERR_CERT|ERR_SSL/.test(failure) ? 'browser_certificate' : 'browser_refused'

async function parse(cpu: Cpu, url: string, { html, cut }: PageReading, served: Document): Promise<Document> {
  const parser = createPageParser(url, 'text/html; charset=utf-8', true)
  const octets = Buffer.from(html)
  for (let at = 0; at < octets.length; at += SLICE_BYTES)
    await cpu.run(() => parser.write(octets.subarray(at, at + SLICE_BYTES)))
  const document = await cpu.run(() => parser.end(cut))
  return { ...document, written: writtenBefore(served), scripts_before: served.inline_scripts, after_scripts: true }
}

/** How the page was encoded still tells of its author. Where its scripts lead is known now, and places in it are others. */
const writtenBefore = ({ written }: Document): NonNullable<Document['written']> => ({
  read: (written?.read ?? []).map(({ means, disguise, characters, controls }) => ({
    means,
    disguise,
    characters,
    controls,
  })),
  unread: written?.unread ?? [],
  destinations: [],
  leaves: [],
})

const countsOf = ({ look, word_count, forms, formless_inputs }: Document): DrawnCounts => ({
  words: look?.shown_words ?? word_count,
  fields: look?.fields.filter(({ type }) => type !== 'hidden').length ?? 0,
  passwords: [...forms.flatMap(({ inputs }) => inputs), ...formless_inputs].filter(type => type === 'password').length,
  buttons: look?.buttons.length ?? 0,
})

const scriptsOf = ({ drawn, scripts, inline_scripts }: Document): number =>
  drawn === undefined
    ? scripts.length + inline_scripts.length
    : drawn.scripts.inline + drawn.scripts.own + drawn.scripts.foreign

/** Characters of the texts that are compared. */
const COMPARISON_LENGTH = 16 * 1024

const wordsOf = ({ text }: Document): ReadonlySet<string> =>
  new Set(
    text
      .slice(0, COMPARISON_LENGTH)
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,40}/gu) ?? [],
  )

/** The share of the words of both that are in both (Jaccard), from 0 to 1; null without words in one of them. */
function likeness(one: Document, other: Document): number | null {
  const [left, right] = [wordsOf(one), wordsOf(other)]
  if (left.size === 0 || right.size === 0) return null
  const common = [...left].filter(word => right.has(word)).length
  return Math.round((100 * common) / (left.size + right.size - common)) / 100
}
