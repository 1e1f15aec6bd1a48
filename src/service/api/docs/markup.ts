// HTML as values: what is put into a template is escaped, unless it is markup itself.

export interface Markup {
  readonly markup: string
}

type MarkupValue = Markup | string | number | null | readonly Markup[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeMarkup = (text: string): string => text.replace(/[&<>"']/g, character => entities[character] as string)

function markupText(value: MarkupValue): string {
  if (value === null) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeMarkup(String(value))
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

/** Values may appear in text and in quoted attributes; null is empty. */
export const html = (strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup => ({
  markup: strings.reduce((text, string, i) => text + markupText(values[i - 1] ?? null) + string),
})

/** Text with names in backquotes as code. */
export const inlineCode = (text: string): Markup[] =>
  text.split('`').map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))

/** An example or the content of a file, which a script lets the reader copy. */
export const codeFigure = (caption: string, code: string): Markup =>
  html`<figure class="code"><figcaption>${caption}</figcaption><pre tabindex="0" role="group" aria-label="Code: ${caption}"><code>${code}</code></pre></figure>`
