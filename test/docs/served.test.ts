// The service shows the documentation of the package: every page, with links that lead to what it serves.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { createRegistry } from '../../src/engine/registry.ts'
import { resultSchema } from '../../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../../src/engine/scoring/groups.ts'
import { renderMarkdown } from '../../src/service/api/docs/markdown.ts'
import { openDocs } from '../../src/service/api/docs/site.ts'
import { describeApi } from '../../src/service/api/openapi.ts'
import { Problem, problemCodes, problemObject } from '../../src/service/api/problem.ts'
import type { WebPage } from '../../src/service/api/web.ts'
import { map, pages, read } from './documents.ts'

const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const docs = openDocs(() => Buffer.from(JSON.stringify(describeApi(resultSchema(registry)))))
const pageAt = (path: string) => docs.get(path) as WebPage | undefined
const textAt = (path: string): string => String((pageAt(path) ?? assert.fail(`${path} is not served`)).body)

/** Every page that can be reached from the first, in the order found. */
function reachable(): readonly string[] {
  const found = ['/docs']
  for (const path of found) {
    const links = [...textAt(path).matchAll(/href="(\/docs[^"#]*)/g)].map(([, link = '']) => link)
    found.push(...new Set(links.filter(link => !found.includes(link))))
  }
  return found
}

const idsIn = (path: string): readonly string[] => [...textAt(path).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)

/** Of the service itself, beside the documentation. */
const OTHER_PATHS = /^(?:\/|\/openapi\.json|\/assets\/[\w.]+)$/

const all = reachable()
const htmlPages = all.filter(path => pageAt(path)?.type.startsWith('text/html'))

describe('the documentation of a service', () => {
  it('is every page of the map and the files that they name', () => {
    assert.equal(htmlPages.length, map.flatMap(part => part.pages).length + 1)
    const files = all.filter(path => path.startsWith('/docs/files/'))
    assert.ok(
      files.includes('/docs/files/schemas/config.json') && files.includes('/docs/files/deploy/rspamd/assay.lua'),
    )
  })

  it('has the text of each file', () => {
    for (const file of pages) {
      const { title } = renderMarkdown(read(file), href => href)
      assert.ok(
        htmlPages.some(path => textAt(path).includes(`>${title.replaceAll('&', '&amp;')}</h1>`)),
        file,
      )
    }
  })

  for (const path of htmlPages) {
    it(`links from ${path} only to what is served and to headings that exist`, () => {
      const links = [...textAt(path).matchAll(/(?:href|src)="(?!https?:|mailto:)([^"]+)"/g)].map(
        ([, link = '']) => link,
      )
      const broken = links.filter(link => {
        const [to = '', id] = link.split('#')
        if (OTHER_PATHS.test(to)) return false
        const target = to === '' ? path : to
        return pageAt(target) === undefined || (id !== undefined && !idsIn(target).includes(id))
      })
      assert.deepEqual(broken, [])
    })

    it(`shows ${path} without inline scripts, styles, comments of the file and repeated IDs`, () => {
      assert.doesNotMatch(textAt(path), /<script(?! type="module" src="\/assets\/)| style=| on\w+="|<!-- /)
      assert.deepEqual([...new Set(idsIn(path))], idsIn(path))
    })
  }

  it('describes each problem where its type says', () => {
    const missing = problemCodes.filter(code => {
      const [path = '', id = ''] = problemObject(new Problem(code), 'id').type.split('#')
      return !idsIn(path).includes(id)
    })
    assert.deepEqual(missing, [])
  })

  it('serves no other file', () => {
    for (const path of [
      '/docs/',
      '/docs/files/package.json',
      '/docs/files/../package.json',
      '/docs/start.md',
      '/docs/Start',
    ])
      assert.equal(pageAt(path), undefined, path)
  })
})

describe('Markdown', () => {
  const shown = (markdown: string): string => renderMarkdown(markdown, href => `/x/${href}`).content.markup.trim()

  const cases: readonly (readonly [title: string, markdown: string, markup: string])[] = [
    [
      'escapes text, code and links',
      'a < b `<i>` [c & d](y"z)',
      '<p>a &lt; b <code>&lt;i&gt;</code> <a href="/x/y&quot;z">c &amp; d</a></p>',
    ],
    ['drops raw HTML', '<!-- not run: x -->\n\n<script>alert(1)</script>', ''],
    ['numbers equal anchors', '## Tests\n\n## Tests', '<h2 id="tests">Tests</h2>\n<h2 id="tests-1">Tests</h2>'],
    [
      'makes anchors without marks',
      '## Values of `--fail-on`',
      '<h2 id="values-of---fail-on">Values of <code>--fail-on</code></h2>',
    ],
    [
      'captions code',
      '```sh\nnpx assay <x>\n```',
      '<figure class="code"><figcaption>Shell</figcaption><pre tabindex="0" role="group" aria-label="Code: Shell"><code>npx assay &lt;x&gt;</code></pre></figure>',
    ],
  ]
  for (const [title, markdown, markup] of cases) it(title, () => assert.equal(shown(markdown), markup))
})
