// What every page of the documentation has around its text: the map beside it, the way back, and the next page.
import type { MapPart, MappedPage } from './map.ts'
import { html, type Markup } from './markup.ts'
import type { SearchHit } from './search.ts'

/** The map and the URL of each of its pages. */
export interface DocsSite {
  readonly map: readonly MapPart[]
  readonly urlOf: (file: string) => string
}

export interface FramedPage {
  readonly title: string
  readonly file: string
  /** IDs and titles of its headings, to choose from. */
  readonly headings: readonly (readonly [id: string, title: string])[]
  readonly content: Markup
}

const mark = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2l8.7 5v10L12 22l-8.7-5V7z"/><path d="M7.5 16.5L12 6.5l4.5 10M9.3 13h5.4"/></svg>`

/** Below this many headings a page needs no list of them. */
const LISTED_HEADINGS = 3

const item = ({ urlOf }: DocsSite, { title, file }: MappedPage, current: string): Markup =>
  html`<li><a href="${urlOf(file)}"${file === current ? html` aria-current="page"` : null}>${title}</a></li>`

/** A part that belongs to another is folded, unless the page is in it. */
function part(site: DocsSite, { title, isInside, pages }: MapPart, current: string): Markup {
  const list = html`<ul>${pages.map(page => item(site, page, current))}</ul>`
  if (!isInside) return html`<p class="part">${title}</p>${list}`
  const isHere = pages.some(({ file }) => file === current)
  return html`<details${isHere ? html` open` : null}><summary>${title}</summary>${list}</details>`
}

const contents = (headings: FramedPage['headings']): Markup | null =>
  headings.length < LISTED_HEADINGS
    ? null
    : html`<details class="on-page"><summary>On this page</summary><ul>${headings.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></details>`

const crumbs = ({ map }: DocsSite, file: string): Markup => {
  const at = map.findIndex(({ pages }) => pages.some(page => page.file === file))
  const above = map.slice(0, at + 1).findLast(({ isInside }) => !isInside)
  return html`<p class="crumbs"><a href="/docs">All pages</a> <span aria-hidden="true">›</span> ${above?.title ?? ''}</p>`
}

function neighbours({ map, urlOf }: DocsSite, file: string): Markup {
  const all = map.flatMap(({ pages }) => pages)
  const at = all.findIndex(page => page.file === file)
  const [before, after] = [all[at - 1], all[at + 1]]
  return html`<nav class="neighbours" aria-label="Neighbouring pages">
${before === undefined ? null : html`<a rel="prev" href="${urlOf(before.file)}"><span>Before</span>${before.title}</a>`}
${after === undefined ? null : html`<a rel="next" href="${urlOf(after.file)}"><span>Next</span>${after.title}</a>`}
</nav>`
}

/** A page of the map in a whole document. */
export function framePage(site: DocsSite, page: FramedPage): string {
  const { title, file, headings, content } = page
  return shell(
    title,
    html`<div class="columns">
<nav class="map" aria-label="Documentation">${site.map.map(one => part(site, one, file))}</nav>
<main id="main" tabindex="-1">
${crumbs(site, file)}
${content}
${neighbours(site, file)}
</main>
</div>`,
    contents(headings),
  )
}

/** The map itself, which needs none beside it. */
export const framedMap = (title: string, content: Markup): string =>
  shell(title, html`<main id="main" class="whole-map" tabindex="-1">${content}</main>`, null)

const hit = ({ page, heading, url, excerpt }: SearchHit): Markup =>
  html`<li><a href="${url}">${heading}</a>${heading === page ? null : html` <span class="of">${page}</span>`}<p>${excerpt}</p></li>`

/** What a search found; without a query, only its field. */
export function framedSearch(query: string, hits: readonly SearchHit[]): string {
  const count =
    hits.length === 0 ? 'No page has all these words.' : `${hits.length} ${hits.length === 1 ? 'passage' : 'passages'}`
  const matter =
    query === ''
      ? html`<p>Type a word, a field, a setting or a signal.</p>`
      : html`<p role="status">${count} for “${query}”</p><ol class="hits">${hits.map(hit)}</ol>`
  return shell(
    'Search',
    html`<main id="main" class="whole-map" tabindex="-1"><h1>Search</h1>${matter}</main>`,
    null,
    query,
  )
}

/** `contents` follows the heading of the first level. */
const shell = (title: string, body: Markup, contents: Markup | null, query = ''): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: assay</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
<link rel="stylesheet" href="/assets/docs.css">
<script type="module" src="/assets/docs.js"></script>
</head>
<body class="docs">
<a class="skip" href="#main">Skip to the text</a>
<header class="top"><a class="brand" href="/">${mark}assay</a><nav aria-label="Site"><a href="/">Check</a> <a href="/docs">All pages</a> <a href="/docs/reference">API reference</a></nav><form role="search" action="/docs/search"><label class="unseen" for="search">Search the documentation</label><input id="search" type="search" name="q" value="${query}" placeholder="Search" maxlength="100" autocomplete="off"></form></header>
${{ markup: contents === null ? body.markup : body.markup.replace('</h1>', () => `</h1>\n${contents.markup}`) }}
</body>
</html>
`.markup
