// What client generators read.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { describeApi } from '../../src/api/openapi.ts'
import { createRegistry } from '../../src/engine/registry.ts'
import { resultSchema } from '../../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../../src/scoring/groups.ts'

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
      ...{ enum: ['json', 'report', 'stix', 'misp'], default: 'json' },
    })
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
})
