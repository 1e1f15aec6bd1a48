// Markdown of this package as HTML: without raw HTML, with the anchors that links in the files expect.
import { Marked, type Token, type Tokens } from 'marked'
import { anchorOf } from './map.ts'
import { codeFigure, html, type Markup } from './markup.ts'

export interface RenderedMarkdown {
  /** Text of the heading of the first level. */
  readonly title: string
  /** Anchors and texts of the headings of the second level. */
  readonly headings: readonly (readonly [id: string, title: string])[]
  readonly content: Markup
}

/** How the caption of a block names its language; the others are shown without a caption. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  json: 'JSON',
  ndjson: 'NDJSON',
  python: 'Python',
  yaml: 'YAML',
  nft: 'nftables',
  postfix: 'main.cf',
}

/** Numbers equal anchors as other viewers do: `tests`, `tests-1`. */
function createAnchors(): (heading: string) => string {
  const counts = new Map<string, number>()
  return heading => {
    const anchor = anchorOf(heading)
    const before = counts.get(anchor) ?? 0
    counts.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  }
}

/** The texts of tokens without their marks, as they are read. */
export const plain = (tokens: readonly Token[]): string =>
  tokens
    .map(token => ('tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : token.raw))
    .join('')

/** `linkTo` gives the URL of a link in the file. */
export function renderMarkdown(markdown: string, linkTo: (href: string) => string): RenderedMarkdown {
  const idOf = createAnchors()
  const headings: (readonly [string, string])[] = []
  let title = ''
  const cells = (tag: string, row: readonly Tokens.TableCell[], inline: (tokens: Token[]) => string) =>
    row.map(({ tokens }) => `<${tag}>${inline(tokens)}</${tag.split(' ')[0]}>`).join('')
  const parser = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = plain(tokens)
        const id = idOf(text)
        if (depth === 1) title = text
        if (depth === 2) headings.push([id, text])
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code({ text, lang = '' }) {
        const caption = LANGUAGES[lang]
        const block =
          caption === undefined
            ? html`<pre class="output" tabindex="0" role="group" aria-label="${lang === 'diagram' ? 'Diagram' : 'Output'}"><code>${text}</code></pre>`
            : codeFigure(caption, text)
        return `${block.markup}\n`
      },
      table({ header, rows }) {
        const inline = (tokens: Token[]) => this.parser.parseInline(tokens)
        const body = rows.map(row => `<tr>${cells('td', row, inline)}</tr>`).join('\n')
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells('th scope="col"', header, inline)}</tr></thead>
<tbody>${body}</tbody></table></div>\n`
      },
      link({ href, tokens }) {
        return html`<a href="${linkTo(href)}">${{ markup: this.parser.parseInline(tokens) }}</a>`.markup
      },
      html: () => '',
    },
  })
  const content = { markup: parser.parse(markdown, { async: false }) }
  return { title, headings, content }
}
