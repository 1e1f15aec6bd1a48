// The documentation as the service shows it at /docs: the Markdown of the package, each page made when it is first read.
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { packageRoot } from '../../../base/package_root.ts'
import { pageWithForm, type WebPage, type WebPages, webPage } from '../web.ts'
import { type DocsSite, framedMap, framedSearch, framePage } from './frame.ts'
import { fileOf, MAP_FILE, readMap } from './map.ts'
import { renderMarkdown } from './markdown.ts'
import { reference } from './reference.ts'
import type { ApiDocument } from './schema_fields.ts'
import { openSearch, passagesOf } from './search.ts'

/** The page that is made from the document of the API and not from Markdown. */
const REFERENCE = 'schemas/openapi.json'
const REFERENCE_URL = '/docs/reference'
const SEARCH_URL = '/docs/search'
/** Where files that pages link to are, such as examples of configurations. */
const FILES = '/docs/files/'

/** `docs/mail.md` is at `/docs/mail`, `plugins/link/README.md` at `/docs/plugins/link`. */
function urlOf(file: string): string {
  if (file === MAP_FILE || file === 'README.md') return '/docs'
  if (file === REFERENCE) return REFERENCE_URL
  if (extname(file) !== '.md') return FILES + file
  return `/docs/${file
    .replace(/^docs\//, '')
    .replace(/(?:\/README)?\.md$/, '')
    .toLowerCase()}`
}

const isOutside = (href: string): boolean => /^[a-z]+:/.test(href)

/** The files that a page links to, other than pages. */
const linkedFiles = (file: string, markdown: string): readonly string[] =>
  [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .filter(([, href = '']) => !isOutside(href))
    .map(([, href = '']) => fileOf(file, href))
    .filter(path => extname(path) !== '.md')

const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8')

/** `openapi` is the document as `/openapi.json` serves it. */
export function openDocs(openapi: () => Buffer): WebPages {
  const site: DocsSite = { map: readMap(read(MAP_FILE)), urlOf }
  const pages = site.map.flatMap(({ pages }) => pages)
  const texts = pages.map(({ file }) => file).filter(file => extname(file) === '.md')
  const files = new Set(texts.flatMap(file => linkedFiles(file, read(file))))

  const linkedFrom = (file: string) => (href: string) => {
    if (isOutside(href) || href.startsWith('#')) return href
    const [, anchor] = href.split('#')
    return urlOf(fileOf(file, href)) + (anchor === undefined ? '' : `#${anchor}`)
  }
  const makers = new Map<string, () => WebPage>([
    [
      '/docs',
      () => {
        const { title, content } = renderMarkdown(read(MAP_FILE), linkedFrom(MAP_FILE))
        return pageWithForm(framedMap(title, content))
      },
    ],
    [
      REFERENCE_URL,
      () =>
        pageWithForm(
          framePage(site, { file: REFERENCE, ...reference(JSON.parse(openapi().toString()) as ApiDocument) }),
        ),
    ],
    ...texts.map(
      file =>
        [
          urlOf(file),
          () => pageWithForm(framePage(site, { file, ...renderMarkdown(read(file), linkedFrom(file)) })),
        ] as const,
    ),
    ...[...files].filter(file => file !== REFERENCE).map(file => [urlOf(file), () => filePage(file)] as const),
  ])
  /** At most one entry for each maker. */
  const cachedPages = new Map<string, WebPage>()
  let search: ReturnType<typeof openSearch> | null = null
  const searchPage = (query: string): WebPage => {
    search ??= openSearch(texts.flatMap(file => passagesOf(read(file), urlOf(file))))
    const words = new URLSearchParams(query).get('q')?.trim() ?? ''
    return pageWithForm(framedSearch(words, words === '' ? [] : search(words)))
  }
  return {
    get(path, query = '') {
      if (path === SEARCH_URL) return searchPage(query)
      const cachedPage = cachedPages.get(path)
      if (cachedPage !== undefined) return cachedPage
      const page = makers.get(path)?.()
      if (page !== undefined) cachedPages.set(path, page)
      return page
    },
  }
}

const filePage = (file: string): WebPage =>
  webPage(`${extname(file) === '.json' ? 'application/json' : 'text/plain'}; charset=utf-8`, read(file))
