// What client generators read.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../../plugins/index.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import { resultSchema } from '../../../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { COMMON_PROBLEMS, describeApi, KEY_PROBLEMS } from '../../../src/service/api/openapi.ts'
import { OPERATIONS } from '../../../src/service/api/operations.ts'
import { problemCodes } from '../../../src/service/api/problem.ts'
import type { Operation } from '../../../src/service/api/routes.ts'
import { EVENT_TYPES } from '../../../src/service/watch/event.ts'
import { assertPublished, publishedSchema } from '../../published_schema.ts'

type Plain = Readonly<Record<string, unknown>>

const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })

interface Described {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>
          readonly parameters: readonly { readonly name: string; readonly schema: unknown }[]
          readonly 'x-formats'?: readonly { readonly format: string; readonly media_type: string }[]
          readonly 'x-event-stream': { readonly media_type: string; readonly example: string }
        }
      }
    >
  >
}

const optional = ['operator_lists', 'vendor_verdicts', 'abuse_reports', 'tls_offer', 'mail_servers', 'name_servers']
const { registry: whole } = createRegistry(builtInPlugins, {
  plugins: Object.fromEntries(optional.map(name => [name, true])),
  groups: DEFAULT_GROUPS,
})

const described = (url?: string | null) => describeApi(resultSchema(registry), url) as unknown as Described

describe('the OpenAPI document', () => {
  const { get } = described().paths['/api/v1/check'] ?? assert.fail('the operation is not described')

  it('has one media type per response, so that generated clients type the 200 as the result', () => {
    assert.deepEqual(get.responses['200']?.content, {
      'application/json': { schema: { $ref: '#/components/schemas/CheckResult' } },
    })
    const { 200: _, ...problems } = get.responses
    for (const [status, { content }] of Object.entries(problems))
      assert.deepEqual(Object.keys(content), ['application/problem+json'], status)
  })

  it('describes events where generators do not look', () => {
    const { media_type, example } = get['x-event-stream']
    assert.equal(media_type, 'text/event-stream')
    assert.match(example, /^event: sections\n.*event: result\ndata: .*\n\n$/s)
  })

  it('describes other formats of a result there, too, and the parameter that selects them', () => {
    const taken = Object.entries(described().paths).flatMap(([path, { get }]) => (get?.['x-formats'] ? [path] : []))
    assert.deepEqual(taken, ['/api/v1/check', '/api/v1/results/{id}', '/api/v1/shared/{token}'])
    assert.deepEqual(
      get['x-formats']?.map(({ format, media_type }) => [format, media_type]),
      [
        ['stix', 'application/stix+json;version=2.1'],
        ['misp', 'application/vnd.misp+json'],
      ],
    )
    assert.deepEqual(get.parameters.find(({ name }) => name === 'format')?.schema, {
      enum: ['json', 'report', 'stix', 'misp'],
    })
  })

  it('says of each problem which operations refuse with it', () => {
    const named = Object.values<Operation>(OPERATIONS).flatMap(({ problems }) => problems)
    assert.deepEqual(new Set([...COMMON_PROBLEMS, ...KEY_PROBLEMS, ...named]), new Set(problemCodes))
  })

  const servers: readonly (readonly [given: string | null, url: string])[] = [
    [null, '/'],
    ['https://checks.example.com', 'https://checks.example.com'],
    ['https://example.com/assay/', 'https://example.com/assay'],
  ]
  for (const [given, url] of servers)
    it(`names the server ${url} where server.public_url is ${given}`, () =>
      assert.deepEqual(
        described(given).servers.map(server => server.url),
        [url],
      ))

  const schema = publishedSchema('openapi-3.1-2026-08-03.json')
  for (const [what, document] of [
    ['with the default plugins', describeApi(resultSchema(registry))],
    ['with all plugins', describeApi(resultSchema(whole))],
    ['with its own URL', describeApi(resultSchema(registry), 'https://checks.example.com/assay')],
    ['without sections', describeApi(resultSchema({ ...registry, analyzers: [], extensions: [] }))],
  ] as const)
    it(`is valid by the schema of the OpenAPI Initiative, ${what}`, () =>
      assertPublished(schema, JSON.parse(JSON.stringify(document))))

  it('describes the webhooks, whose event is that of the deliveries', () => {
    const { webhooks } = describeApi(resultSchema(registry)) as { webhooks: Record<string, { post: Plain }> }
    const [types, bodies] = [Object.keys(webhooks), Object.values(webhooks).map(({ post }) => post['requestBody'])]
    assert.deepEqual(types, EVENT_TYPES)
    const { WatchEvent } = (describeApi(resultSchema(registry)) as { components: { schemas: Plain } }).components
      .schemas
    assert.ok(WatchEvent !== undefined, 'described')
    for (const body of bodies) assert.match(JSON.stringify(body), /#\/components\/schemas\/WatchEvent"/)
  })

  /** Changes by path that make it invalid. */
  const changes: readonly (readonly [what: string, path: readonly string[], value: unknown])[] = [
    ['a version of another major', ['openapi'], '4.0.0'],
    ['no title', ['info', 'title'], undefined],
    ['a licence without a name', ['info', 'license', 'name'], undefined],
    ['a server without a URL', ['servers', '0', 'url'], undefined],
    ['a path without a slash', ['paths', 'api'], {}],
    ['a webhook with a body of nothing', ['webhooks', 'watch.test', 'post', 'requestBody'], { content: 1 }],
    ['a webhook whose response has no description', ['webhooks', 'watch.test', 'post', 'responses', '2XX'], {}],
    ['a webhook with an unknown status', ['webhooks', 'watch.test', 'post', 'responses', '2xx'], { description: 'x' }],
    ['a webhook with a parameter in nowhere', ['webhooks', 'watch.test', 'post', 'parameters', '0', 'in'], 'body'],
    ['an operation with a parameter without a name', ['paths', '/api/v1/check', 'get', 'parameters', '0', 'name'], 1],
    ['an operation with unknown members', ['paths', '/api/v1/check', 'get', 'answers'], {}],
    ['a scheme of security that there is not', ['components', 'securitySchemes', 'ApiKey', 'type'], 'key'],
    ['a component with a difficult name', ['components', 'schemas', 'a b'], {}],
  ]
  for (const [what, path, value] of changes)
    it(`would not be valid with ${what}`, () => {
      const document = JSON.parse(JSON.stringify(describeApi(resultSchema(registry))))
      const [last = '', ...before] = path.toReversed()
      before.reverse().reduce((at, name) => at[name], document)[last] = value
      assert.notDeepEqual(schema(JSON.parse(JSON.stringify(document))), [])
    })
})
