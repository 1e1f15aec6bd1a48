// A report as one HTML file for mails, tickets and archives: what the page of the service shows, without scripts and requests.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseHTML } from 'linkedom'
import { packageRoot, version } from '../../base/package_root.ts'
import type { Report } from '../../engine/report/schema.ts'
import { VERDICT_FROM } from '../../engine/scoring/verdict.ts'

const WEB = join(packageRoot, 'src/web')
const STYLES = ['style.css', 'report.css', 'print.css']

/** What the page does only with scripts. */
const INTERACTIVE = 'button, select, .actions, details.compare'

/** `<` and `&` are escaped by the serialiser; a style must not end early. */
const styles = (): string =>
  STYLES.map(name => readFileSync(join(WEB, name), 'utf8'))
    .join('\n')
    .replaceAll('</', '<\\/')

type HtmlDocument = ReturnType<typeof parseHTML>['document']

/** The whole document. `result` is the result that the report is of, as JSON. */
export async function reportPage(report: Report, result: string): Promise<string> {
  const { document } = parseHTML(
    '<!doctype html><html lang="en"><head></head><body><main class="report"></main></body></html>',
  )
  const { head } = document
  const add = (name: string, attributes: Readonly<Record<string, string>>, text = '') => {
    const element = document.createElement(name)
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
    element.textContent = text
    head.append(element)
  }
  add('meta', { charset: 'utf-8' })
  add('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' })
  add('meta', { name: 'color-scheme', content: 'light dark' })
  // Whatever a target wrote, the file runs nothing and loads nothing.
  add('meta', { 'http-equiv': 'Content-Security-Policy', content: "default-src 'none'; style-src 'unsafe-inline'" })
  add('meta', { name: 'generator', content: `assay ${version}` })
  add('title', {}, `${report.target}: ${report.recommendation}`)
  add('style', {}, styles())
  document.querySelector('main')?.append(...(await contentOf(document, report, result)))
  for (const one of document.querySelectorAll(INTERACTIVE)) one.remove()
  return `${document.toString()}\n`
}

/** The page makes its elements by the `document` of a browser, which it finds under its global name. */
async function contentOf(document: HtmlDocument, report: Report, result: string) {
  const { reportContent } = await import('../../web/report.js')
  const tables = await import('../../web/durations_and_requests.js')
  const globals = globalThis as { document?: HtmlDocument }
  globals.document = document
  try {
    return reportContent(report, result, {
      link: null,
      quota: null,
      store: null,
      picture: null,
      keyOf: null,
      again: null,
      tables,
      announce: () => {},
      verdicts: VERDICT_FROM,
    }).filter(node => node !== null)
  } finally {
    delete globals.document
  }
}
