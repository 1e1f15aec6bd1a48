// What the operation may answer: headers, types, and every problem by its code.
import type { Answer, Header } from './document.ts'
import { html, type Markup, told } from './html.ts'

interface ToldProblem {
  readonly code: string
  readonly title: string
  readonly detail: string
}

const headerRow = ([name, { description, schema }]: readonly [string, Header]): Markup => {
  const values = schema.enum?.map(value => String(value)).join(', ')
  return html`<tr><th scope="row"><code>${name}</code></th><td>${values ?? String(schema.type)}</td><td>${told(description)}</td></tr>`
}

/** Every header of any answer, once. */
export function headerTable(answers: readonly Answer[]): Markup {
  const all = new Map(answers.flatMap(({ headers }) => Object.entries(headers ?? {})))
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Headers of answers"><table>
<thead><tr><th scope="col">Header</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
<tbody>${[...all].map(headerRow)}</tbody>
</table></div>`
}

const problemsOf = ({ content }: Answer): readonly ToldProblem[] =>
  Object.values(content?.['application/problem+json']?.examples ?? {}).map(({ value }) => value as ToldProblem)

/** One row for every code there is. */
export function problemTable(answers: Readonly<Record<string, Answer>>): Markup {
  const rows = Object.entries(answers).flatMap(([status, answer]) =>
    problemsOf(answer).map(
      ({
        code,
        title,
        detail,
      }) => html`<tr id="problem-${code}"><td>${status}</td><th scope="row"><code>${code}</code></th>
<td><strong>${title}.</strong> ${detail}</td></tr>`,
    ),
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Problems by code"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}
