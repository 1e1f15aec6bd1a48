// The API reference: one page generated from the OpenAPI document. It works without scripts.

import { problemAnchor } from '../problem.ts'
import { examples } from './examples.ts'
import type { FramedPage } from './frame.ts'
import { codeFigure, html, inlineCode, type Markup } from './markup.ts'
import {
  type ApiDocument,
  type DocumentedHeader,
  type DocumentedOperation,
  type DocumentedResponse,
  fieldsOf,
  type Parameter,
  type SchemaField,
} from './schema_fields.ts'

/** Replaced in examples by the page's own origin, by a script. */
const ORIGIN = 'http://127.0.0.1:8080'

const TITLE = 'API reference'

const parts = [
  ['start', 'Start'],
  ['request', 'Request'],
  ['answers', 'Answers'],
  ['progress', 'Progress'],
  ['problems', 'Problems'],
  ['result', 'Result'],
  ['kept', 'Other operations'],
] as const

const parameterRow = ({ name, in: place, required, description }: Parameter): Markup =>
  html`<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ', required' : ''}</td><td>${description}</td></tr>`

const paragraphs = (text: string): Markup[] => text.split('\n\n').map(one => html`<p>${inlineCode(one)}</p>`)

function start({ info, components }: ApiDocument, path: string): Markup {
  const [scheme] = Object.values(components.securitySchemes)
  return html`<section id="start" aria-labelledby="start-title"><h2 id="start-title">Start</h2>
${paragraphs(info.description ?? '')}
<p>${inlineCode(scheme?.description ?? '')} The header is <code>${scheme?.name ?? ''}</code>. The examples read the key from the environment variable <code>ASSAY_KEY</code>.</p>
${examples(ORIGIN + path).map(({ language, code }) => codeFigure(language, code))}
</section>`
}

const request = (path: string, { summary, description, parameters = [] }: DocumentedOperation): Markup =>
  html`<section id="request" aria-labelledby="request-title"><h2 id="request-title">Request</h2>
<p class="operation"><strong>GET</strong> <code>${path}</code></p>
<p>${summary}. ${inlineCode(description)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Where</th><th scope="col">Meaning</th></tr></thead>
<tbody>${parameters.map(parameterRow)}</tbody>
</table></div>
</section>`

function answers({ responses }: DocumentedOperation): Markup {
  const ok = responses['200']
  return html`<section id="answers" aria-labelledby="answers-title"><h2 id="answers-title">Answers</h2>
<p>200: ${ok?.description ?? ''} Types: ${Object.keys(ok?.content ?? {}).map(type => html`<code>${type}</code> `)}</p>
${headerTable(Object.values(responses))}
</section>`
}

function progress({ 'x-event-stream': stream }: DocumentedOperation, path: string): Markup {
  const curl = `curl --silent --no-buffer --get ${ORIGIN}${path} \\\n  --data-urlencode domain=example.com \\\n  --header "X-API-Key: $ASSAY_KEY" \\\n  --header "Accept: text/event-stream"`
  return html`<section id="progress" aria-labelledby="progress-title"><h2 id="progress-title">Progress</h2>
${paragraphs(stream?.description ?? '')}
${codeFigure('curl, with progress', curl)}${codeFigure('text/event-stream', stream?.example ?? '')}
</section>`
}

const problems = ({ components: { schemas }, paths }: ApiDocument): Markup =>
  html`<section id="problems" aria-labelledby="problems-title"><h2 id="problems-title">Problems</h2>
<p>Any other response is a problem (RFC 9457) of type <code>application/problem+json</code> and does not count against the quota. Use <code>code</code> in programs: it is stable, while the texts may change.</p>
${fieldList(fieldsOf(schemas['Problem'] ?? {}), 'problem')}
${problemTable(Object.values(paths).flatMap(methods => Object.values(methods)))}
</section>`

const result = ({ components: { schemas } }: ApiDocument): Markup =>
  html`<section id="result" aria-labelledby="result-title"><h2 id="result-title">Result</h2>
<p>Every field below is always present. <code>null</code> means unknown or not applicable; <code>false</code> means known to be false. Fields may be added but are never renamed. A section that did not complete is <code>null</code>, and <code>coverage</code> says why.</p>
${resultFields(fieldsOf(schemas['CheckResult'] ?? {}))}
</section>`

const operationRow = (
  path: string,
  method: string,
  { summary, description, parameters = [] }: DocumentedOperation,
): Markup =>
  html`<tr><th scope="row"><code>${method.toUpperCase()} ${path}</code></th><td>${summary}. ${inlineCode(description)}</td><td>${parameters.map(({ name }) => html`<code>${name}</code> `)}</td></tr>`

/** The operations besides the check. */
const otherOperations = (paths: ApiDocument['paths']): Markup =>
  html`<section id="kept" aria-labelledby="kept-title"><h2 id="kept-title">Other operations</h2>
<p>Results are kept for the account that was answered with them: <code>result_id</code> names each. Only checks count against the quota. <a href="/openapi.json">openapi.json</a> describes their answers.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Table of other operations"><table>
<thead><tr><th scope="col">Operation</th><th scope="col">Meaning</th><th scope="col">Parameters</th></tr></thead>
<tbody>${Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => operationRow(path, method, operation)))}</tbody>
</table></div>
</section>`

const NO_OPERATION: DocumentedOperation = { summary: '', description: '', responses: {} }

/** `document` is what `/openapi.json` serves. */
export function reference(document: ApiDocument): Omit<FramedPage, 'file'> {
  const [[path, { get: operation = NO_OPERATION }] = ['', {}], ...others] = Object.entries(document.paths)
  return {
    title: TITLE,
    headings: parts,
    content: html`<h1>${TITLE}</h1>
<p class="note">Version ${document.info.version}. <a href="/openapi.json">openapi.json</a> is the machine-readable version.</p>
${start(document, path)}
${request(path, operation)}
${answers(operation)}
${progress(operation, path)}
${problems(document)}
${result(document)}
${otherOperations(Object.fromEntries(others))}`,
  }
}

/** Objects with at least this many fields get a heading of their own. */
const SECTION_SIZE = 3

const values = ({ values }: SchemaField): Markup | null =>
  values.length === 0
    ? null
    : html`<span class="values">${values.map((value, i) => html`${i === 0 ? '' : ' · '}<code>${value}</code>`)}</span>`

const same = ({ sameAs }: SchemaField): Markup | null =>
  sameAs === null
    ? null
    : html`<span class="about">The same as <a href="#result-${sameAs}"><code>${sameAs}</code></a>.</span>`

function entry(field: SchemaField, at: string): Markup {
  const id = `${at}-${field.name.replace(/\W/g, '')}`
  const inside = field.inside.length === 0 ? null : html`<dl>${field.inside.map(one => entry(one, id))}</dl>`
  return html`<div class="field" id="${id}"><dt><code>${field.name}</code> <span class="type">${field.type}</span></dt>
<dd>${field.description === null ? null : html`<span class="about">${inlineCode(field.description)}</span>`}${values(field)}${same(field)}${inside}</dd></div>
`
}

const fieldList = (fields: readonly SchemaField[], at: string): Markup =>
  html`<dl class="fields">${fields.map(field => entry(field, at))}</dl>`

/** Plain fields in one list, then each object under a heading, collapsed. */
function resultFields(fields: readonly SchemaField[]): Markup {
  const isSection = ({ inside }: SchemaField) => inside.length >= SECTION_SIZE
  const sections = fields.filter(isSection).map(
    ({ name, type, description, inside }) => html`
<details class="section" id="result-${name}"><summary><h3><code>${name}</code></h3> <span class="type">${type}</span></summary>
${description === null ? null : html`<p>${inlineCode(description)}</p>`}${fieldList(inside, `result-${name}`)}
</details>`,
  )
  return html`${fieldList(
    fields.filter(field => !isSection(field)),
    'result',
  )}${sections}`
}

interface ExampleProblem {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly detail: string
}

const headerRow = ([name, { description, schema }]: readonly [string, DocumentedHeader]): Markup => {
  const values = schema.enum?.map(value => String(value)).join(', ')
  return html`<tr><th scope="row"><code>${name}</code></th><td>${values ?? String(schema.type)}</td><td>${inlineCode(description)}</td></tr>`
}

/** Every response header, once. */
function headerTable(answers: readonly DocumentedResponse[]): Markup {
  const all = new Map(answers.flatMap(({ headers }) => Object.entries(headers ?? {})))
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Headers of answers"><table>
<thead><tr><th scope="col">Header</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
<tbody>${[...all].map(headerRow)}</tbody>
</table></div>`
}

const problemsOf = ({ content }: DocumentedResponse): readonly ExampleProblem[] =>
  Object.values(content?.['application/problem+json']?.examples ?? {}).map(({ value }) => value as ExampleProblem)

/** One row for every problem code of the operations. */
function problemTable(operations: readonly DocumentedOperation[]): Markup {
  const all = operations.flatMap(({ responses }) => Object.values(responses).flatMap(problemsOf))
  const problems = [...new Map(all.map(problem => [problem.code, problem])).values()]
  const rows = problems
    .sort((one, other) => one.status - other.status)
    .map(
      ({ code, status, title, detail }) =>
        html`<tr id="${problemAnchor(code)}"><td>${status}</td><th scope="row"><code>${code}</code></th>
<td><strong>${title}.</strong> ${detail}</td></tr>`,
    )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Problems by code"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}
