// The reference at /docs: one page made from the interface's description. It needs no script.
import { headerTable, problemTable } from './answers.ts'
import type { ApiDocument, Operation, Parameter } from './document.ts'
import { examples } from './examples.ts'
import { fieldList, resultFields } from './field_list.ts'
import { fieldsOf } from './fields.ts'
import { html, type Markup, told } from './html.ts'

/** Stands for the service in examples; a script puts the page's own origin in its place. */
const ORIGIN = 'http://127.0.0.1:8080'

const parts = [
  ['start', 'Start'],
  ['request', 'Request'],
  ['answers', 'Answers'],
  ['progress', 'Progress'],
  ['problems', 'Problems'],
  ['result', 'Result'],
] as const

const mark = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2l8.7 5v10L12 22l-8.7-5V7z"/><path d="M7.5 16.5L12 6.5l4.5 10M9.3 13h5.4"/></svg>`

const block = (language: string, code: string): Markup =>
  html`<figure class="code"><figcaption>${language}</figcaption><pre tabindex="0" role="region" aria-label="Example: ${language}"><code>${code}</code></pre></figure>`

const parameterRow = ({ name, in: place, required, description }: Parameter): Markup =>
  html`<tr><th scope="row"><code>${name}</code></th><td>${place}${required ? ', required' : ''}</td><td>${description}</td></tr>`

const paragraphs = (text: string): Markup[] => text.split('\n\n').map(one => html`<p>${told(one)}</p>`)

function start({ info, components }: ApiDocument, path: string): Markup {
  const [scheme] = Object.values(components.securitySchemes)
  return html`<section id="start" aria-labelledby="start-title"><h2 id="start-title">Start</h2>
${paragraphs(info.description ?? '')}
<p>${told(scheme?.description ?? '')} The header is <code>${scheme?.name ?? ''}</code>. In the examples the key is in the environment as <code>ASSAY_KEY</code>.</p>
${examples(ORIGIN + path).map(({ language, code }) => block(language, code))}
</section>`
}

const request = (path: string, { summary, description, parameters = [] }: Operation): Markup =>
  html`<section id="request" aria-labelledby="request-title"><h2 id="request-title">Request</h2>
<p class="operation"><strong>GET</strong> <code>${path}</code></p>
<p>${summary}. ${told(description)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Where</th><th scope="col">Meaning</th></tr></thead>
<tbody>${parameters.map(parameterRow)}</tbody>
</table></div>
</section>`

function answers({ responses }: Operation): Markup {
  const ok = responses['200']
  return html`<section id="answers" aria-labelledby="answers-title"><h2 id="answers-title">Answers</h2>
<p>200: ${ok?.description ?? ''} Types: ${Object.keys(ok?.content ?? {}).map(type => html`<code>${type}</code> `)}</p>
${headerTable(Object.values(responses))}
</section>`
}

function progress({ responses }: Operation, path: string): Markup {
  const stream = responses['200']?.content?.['text/event-stream']
  const shown = Object.values(stream?.examples ?? {}).map(({ value }) => block('text/event-stream', String(value)))
  const curl = `curl --silent --no-buffer --get ${ORIGIN}${path} \\\n  --data-urlencode domain=example.com \\\n  --header "X-API-Key: $ASSAY_KEY" \\\n  --header "Accept: text/event-stream"`
  return html`<section id="progress" aria-labelledby="progress-title"><h2 id="progress-title">Progress</h2>
${paragraphs(stream?.schema?.description ?? '')}
${block('curl, with progress', curl)}${shown}
</section>`
}

const problems = ({ components: { schemas } }: ApiDocument, { responses }: Operation): Markup =>
  html`<section id="problems" aria-labelledby="problems-title"><h2 id="problems-title">Problems</h2>
<p>Whatever is not a result is a problem (RFC 9457) of the type <code>application/problem+json</code>. Nothing is counted then. Decide by <code>code</code>: it does not change, the texts may.</p>
${fieldList(fieldsOf(schemas['Problem'] ?? {}), 'problem')}
${problemTable(responses)}
</section>`

const result = ({ components: { schemas } }: ApiDocument): Markup =>
  html`<section id="result" aria-labelledby="result-title"><h2 id="result-title">Result</h2>
<p>Every field below is always there. <code>null</code> means unknown or does not apply; <code>false</code> means known not to be. Fields may be added, none is renamed. A section that did not complete is <code>null</code>, and <code>coverage</code> says why.</p>
${resultFields(fieldsOf(schemas['CheckResult'] ?? {}))}
</section>`

/** The whole page. `document` is what `/openapi.json` serves. */
export function reference(document: ApiDocument): string {
  const [[path, { get: operation }] = ['', { get: { summary: '', description: '', responses: {} } }]] = Object.entries(
    document.paths,
  )
  const { title, version } = document.info
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: API reference</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
<link rel="stylesheet" href="/assets/docs.css">
<script type="module" src="/assets/docs.js"></script>
</head>
<body class="docs">
<a class="skip" href="#main">Skip to the reference</a>
<header class="top"><a class="brand" href="/">${mark}${title}</a><nav aria-label="Site"><a href="/">Check</a> <a href="/openapi.json">openapi.json</a></nav></header>
<div class="columns">
<nav class="contents" aria-label="Contents"><ul>${parts.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main id="main" tabindex="-1">
<h1>API reference</h1>
<p class="note">Version ${version}</p>
${start(document, path)}
${request(path, operation)}
${answers(operation)}
${progress(operation, path)}
${problems(document, operation)}
${result(document)}
</main>
</div>
</body>
</html>
`.markup
}
