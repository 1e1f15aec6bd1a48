// Fields as nested definition lists, each with an address of its own.
import type { Field } from './fields.ts'
import { html, type Markup, told } from './html.ts'

/** Fields that are told under a heading of their own, when they hold as many as this. */
const SECTION_SIZE = 3

const values = ({ values }: Field): Markup | null =>
  values.length === 0
    ? null
    : html`<span class="values">${values.map((value, i) => html`${i === 0 ? '' : ' · '}<code>${value}</code>`)}</span>`

const same = ({ sameAs }: Field): Markup | null =>
  sameAs === null
    ? null
    : html`<span class="about">The same as <a href="#result-${sameAs}"><code>${sameAs}</code></a>.</span>`

function entry(field: Field, at: string): Markup {
  const id = `${at}-${field.name.replace(/\W/g, '')}`
  const inside = field.inside.length === 0 ? null : html`<dl>${field.inside.map(one => entry(one, id))}</dl>`
  return html`<div class="field" id="${id}"><dt><code>${field.name}</code> <span class="type">${field.type}</span></dt>
<dd>${field.description === null ? null : html`<span class="about">${told(field.description)}</span>`}${values(field)}${same(field)}${inside}</dd></div>
`
}

export const fieldList = (fields: readonly Field[], at: string): Markup =>
  html`<dl class="fields">${fields.map(field => entry(field, at))}</dl>`

/** The plain fields in one list, then each object under its own heading, folded until it is wanted. */
export function resultFields(fields: readonly Field[]): Markup {
  const isSection = ({ inside }: Field) => inside.length >= SECTION_SIZE
  const sections = fields.filter(isSection).map(
    ({ name, type, description, inside }) => html`
<details class="section" id="result-${name}"><summary><h3><code>${name}</code></h3> <span class="type">${type}</span></summary>
${description === null ? null : html`<p>${told(description)}</p>`}${fieldList(inside, `result-${name}`)}
</details>`,
  )
  return html`${fieldList(
    fields.filter(field => !isSection(field)),
    'result',
  )}${sections}`
}
