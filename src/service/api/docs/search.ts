// Full-text search over the pages of the documentation: every heading with its text is one result.
import { Marked, type Token } from 'marked'
import MiniSearch from 'minisearch'
import { anchorOf } from './map.ts'
import { plain } from './markdown.ts'

/** A heading and the text up to the next one. */
export interface DocsPassage {
  /** Title of the page. */
  readonly page: string
  /** The heading; that of the first level is the title of the page. */
  readonly heading: string
  readonly url: string
  readonly text: string
}

export interface SearchHit extends Omit<DocsPassage, 'text'> {
  /** The words around the first match. */
  readonly excerpt: string
}

/** A longer query is cut: nobody types more. */
const QUERY_CHARACTERS = 100
/** Results that a reader looks through. */
const HITS = 20
/** Characters of an excerpt. */
const EXCERPT = 220

/** The text of a block, its cells and items apart. */
function textOf(token: Token): string {
  if (token.type === 'html') return ''
  if (token.type === 'table') {
    const rows = [token['header'], ...token['rows']] as readonly { readonly tokens: readonly Token[] }[][]
    return rows.map(row => row.map(cell => plain(cell.tokens)).join(' ')).join('\n')
  }
  if (token.type === 'list') return (token['items'] as readonly Token[]).map(textOf).join('\n')
  if (token.type === 'list_item' || token.type === 'blockquote') return (token.tokens ?? []).map(textOf).join('\n')
  return plain([token])
}

/** The passages of a page. Equal headings have the anchors that `renderMarkdown` gives them. */
export function passagesOf(markdown: string, url: string): readonly DocsPassage[] {
  const passages: { page: string; heading: string; url: string; text: string }[] = []
  const counts = new Map<string, number>()
  let page = ''
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = plain(token.tokens ?? [])
      if (token['depth'] === 1) page = heading
      const anchor = anchorOf(heading)
      const before = counts.get(anchor) ?? 0
      counts.set(anchor, before + 1)
      const at = token['depth'] === 1 ? url : `${url}#${anchor}${before === 0 ? '' : `-${before}`}`
      passages.push({ page, heading, url: at, text: '' })
    } else {
      const last = passages.at(-1)
      if (last !== undefined) last.text += `${textOf(token)}\n`
    }
  }
  return passages
}

/** Finds every word of a query, also by its beginning or with a typing error; the best first. */
export function openSearch(passages: readonly DocsPassage[]): (query: string) => readonly SearchHit[] {
  const index = new MiniSearch<DocsPassage & { readonly id: number }>({
    fields: ['heading', 'page', 'text'],
    // A name such as `security_txt` or `X-Cache` is found whole and by its parts.
    tokenize: text => text.split(/[^\p{L}\p{N}_-]+/u).flatMap(word => [...new Set([word, ...word.split(/[_-]/)])]),
    searchOptions: {
      boost: { heading: 4, page: 2 },
      combineWith: 'AND',
      prefix: term => term.length > 2,
      fuzzy: term => (term.length > 4 ? 0.2 : false),
    },
  })
  index.addAll(passages.map((passage, id) => ({ ...passage, id })))
  return query =>
    index
      .search(query.slice(0, QUERY_CHARACTERS))
      .slice(0, HITS)
      .flatMap(({ id, terms }) => {
        const passage = passages[id as number]
        if (passage === undefined) return []
        const { text, ...place } = passage
        return [{ ...place, excerpt: excerptOf(text, terms) }]
      })
}

/** The text around the first of the words, cut at words. */
function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  const lower = plain.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(at => at !== -1)
  const from = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - EXCERPT / 3)
  const start = from === 0 ? 0 : plain.indexOf(' ', from) + 1
  const end = start + EXCERPT >= plain.length ? plain.length : plain.lastIndexOf(' ', start + EXCERPT)
  return `${start === 0 ? '' : '… '}${plain.slice(start, end)}${end === plain.length ? '' : ' …'}`
}
