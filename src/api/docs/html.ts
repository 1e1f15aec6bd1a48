// Markup by template: every value is escaped unless it is markup itself.

export interface Markup {
  readonly markup: string
}

type Value = Markup | string | number | null | readonly Markup[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => entities[character] as string)

function rendered(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value))
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

/** Values may stand in text and in quoted attributes; null is nothing. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup => ({
  markup: strings.reduce((text, string, i) => text + rendered(values[i - 1] ?? null) + string),
})

/** Text in which a name between backquotes is code. */
export const told = (text: string): Markup[] =>
  text.split('`').map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
