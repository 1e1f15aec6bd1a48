// The reference, against the description it is made from.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { builtInPlugins } from '../../plugins/index.ts'
import { createRegistry } from '../../src/engine/registry.ts'
import { resultSchema } from '../../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../../src/engine/scoring/groups.ts'
import { examples } from '../../src/service/api/docs/examples.ts'
import { html, inlineCode } from '../../src/service/api/docs/markup.ts'
import { reference } from '../../src/service/api/docs/reference.ts'
import { type ApiDocument, fieldsOf, type JsonSchema } from '../../src/service/api/docs/schema_fields.ts'
import { describeApi } from '../../src/service/api/openapi.ts'
import { problemCodes } from '../../src/service/api/problem.ts'
import { startService } from '../service/api/service.ts'

const run = promisify(execFile)
const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const openapi = JSON.parse(JSON.stringify(describeApi(resultSchema(registry)))) as ApiDocument
const { markup: page } = reference(openapi).content
const operation = Object.values(openapi.paths)[0]?.get
const text = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

describe('markup', () => {
  it('consists of escaped values, markup, lists and empty values', () => {
    const hostile = `<img src=x onerror="alert('&')">`
    const { markup } = html`<p title="${hostile}">${hostile}${null}${html`<b>${1}</b>`}${[html`x`, html`y`]}</p>`
    const safe = '&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;'
    assert.equal(markup, `<p title="${safe}">${safe}<b>1</b>xy</p>`)
  })

  it('shows names in backquotes as code', () => {
    assert.equal(html`${inlineCode('see `a<b` there')}`.markup, 'see <code>a&lt;b</code> there')
  })
})

describe('a field', () => {
  const types: readonly (readonly [what: string, schema: JsonSchema, type: string])[] = [
    ['a string', { type: 'string' }, 'string'],
    ['a bounded string', { type: 'string', maxLength: 5 }, 'string, at most 5 characters'],
    [
      'a nullable integer in bounds',
      { anyOf: [{ type: 'integer', minimum: 0, maximum: 9 }, { type: 'null' }] },
      'integer from 0 to 9, or null',
    ],
    ['a list', { type: 'array', items: { type: 'string' } }, 'array of strings'],
    ['a list of objects', { type: 'array', items: { type: 'object' } }, 'array of objects'],
    ['an enumeration', { enum: ['a', 'b'] }, 'string'],
    ['a constant', { const: false }, 'boolean'],
    ['anything', {}, 'any'],
  ]
  for (const [what, schema, type] of types) {
    it(`that is ${what} is formatted as ${type}`, () =>
      assert.equal(fieldsOf({ properties: { x: schema } })[0]?.type, type))
  }

  it('describes its members, also in lists and maps, and links to repeated types', () => {
    const inside = { type: 'object', properties: { y: { type: 'string' } } }
    const fields = fieldsOf({
      properties: {
        list: { type: 'array', items: inside },
        map: { type: 'object', patternProperties: { '^.*$': inside } },
        same: { $ref: '#/a/b/list' },
      },
    })
    const [list, map, same] = fields
    assert.deepEqual(
      list?.inside.map(({ name }) => name),
      ['y'],
    )
    assert.deepEqual(
      map?.inside.map(({ name, inside }) => [name, inside[0]?.name]),
      [['(each name)', 'y']],
    )
    assert.equal(same?.sameAs, 'list')
  })
})

describe('the reference', () => {
  it('is one page without inline script or style, with every element closed', () => {
    assert.doesNotMatch(page, /<script(?! type="module" src="\/assets\/)| style=| on\w+="/)
    for (const tag of ['section', 'details', 'dl', 'div', 'table', 'figure', 'nav', 'main', 'p', 'dt', 'dd']) {
      const [opened, closed] = [new RegExp(`<${tag}[ >]`, 'g'), new RegExp(`</${tag}>`, 'g')].map(
        one => page.match(one)?.length,
      )
      assert.equal(opened, closed, tag)
    }
  })

  it('has unique IDs and no broken links', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length)
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    assert.deepEqual(
      links.filter(id => !ids.includes(id)),
      [],
    )
  })

  for (const code of problemCodes) {
    it(`documents the problem ${code}`, () => assert.ok(page.includes(`id="problem-${code}"`)))
  }

  it('documents every parameter, header and media type', () => {
    const responses = Object.values(operation?.responses ?? {})
    const names = [
      ...(operation?.parameters ?? []).map(({ name }) => name),
      ...responses.flatMap(({ headers }) => Object.keys(headers ?? {})),
      ...responses.flatMap(({ content }) => Object.keys(content ?? {})),
    ]
    assert.ok(names.length > 10)
    assert.deepEqual(
      names.filter(name => !page.includes(`<code>${name}</code>`)),
      [],
    )
  })

  it('shows the events of a running check', () => {
    const { description, example } = operation?.['x-event-stream'] ?? { description: '', example: '' }
    assert.ok(example.length > 0 && text(page).includes(example))
    assert.ok(text(page).includes(description.split('\n\n').at(-1)?.replaceAll('`', '') ?? 'none'))
  })

  it('documents every field of the result', () => {
    const words = text(page)
    const check = (schema: JsonSchema): void => {
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        assert.ok(page.includes(`<code>${name}</code>`), name)
        if (member.description) assert.ok(words.includes(member.description.replaceAll('`', '')), member.description)
        for (const part of [member, ...(member.anyOf ?? []), ...(member.items ? [member.items] : [])]) check(part)
      }
    }
    check(openapi.components.schemas['CheckResult'] ?? {})
  })

  it('has an example in each language', () => {
    for (const { language, code } of examples('http://127.0.0.1:8080/api/v1/check')) {
      assert.ok(page.includes(`<figcaption>${language}</figcaption>`), language)
      assert.ok(text(page).includes(code))
    }
  })

  it('has a JavaScript example that runs', async t => {
    const service = await startService(t, {
      checker: {
        check: async () => ({ result: { recommendation: 'allow', recommendation_reason: 'Seen.' }, class: 'complete' }),
      },
    })
    const code =
      examples(`http://127.0.0.1:${service.port}/api/v1/check`).find(({ language }) => language === 'JavaScript')
        ?.code ?? ''
    const node = (key: string) =>
      run(process.execPath, ['--input-type=module', '-e', code], { env: { ...process.env, ASSAY_KEY: key } })
    assert.equal((await node(service.key)).stdout, 'allow Seen.\n')
    await assert.rejects(node('assay_x'), { stderr: /invalid-api-key: The API key is unknown, revoked or expired\./ })
  })
})
