// Lines for content delivery networks: the same headers in each network's own configuration.
import type { Fix } from '../../src/engine/plugin.ts'

type Header = readonly [name: string, value: string]

const json = (value: unknown): string => JSON.stringify(value, null, 2)

const object = <Value>(headers: readonly Header[], encode: (value: string) => Value) =>
  Object.fromEntries(headers.map(([name, value]) => [name, encode(value)]))

/** One rule of the phase `http_response_headers_transform`. */
const cloudflareRule = (headers: readonly Header[]): string =>
  json({
    description: 'Security headers',
    expression: 'true',
    action: 'rewrite',
    action_parameters: { headers: object(headers, value => ({ operation: 'set', value })) },
  })

/** CloudFront refuses these as custom headers; it has fields of its own for them. */
const ownFields: Readonly<Record<string, (value: string) => object>> = {
  'Strict-Transport-Security': value => ({
    StrictTransportSecurity: {
      Override: true,
      AccessControlMaxAgeSec: Number(/max-age=(\d+)/.exec(value)?.[1] ?? 0),
      IncludeSubdomains: value.includes('includeSubDomains'),
      Preload: value.includes('preload'),
    },
  }),
  'X-Frame-Options': value => ({ FrameOptions: { Override: true, FrameOption: value } }),
  'X-Content-Type-Options': () => ({ ContentTypeOptions: { Override: true } }),
  'Referrer-Policy': value => ({ ReferrerPolicy: { Override: true, ReferrerPolicy: value } }),
}

/** For `aws cloudfront create-response-headers-policy --response-headers-policy-config`. */
function cloudfrontPolicy(headers: readonly Header[]): string {
  const own = headers.map(([name, value]) => ownFields[name]?.(value) ?? {})
  const others = headers.filter(([name]) => ownFields[name] === undefined)
  return json({
    Name: 'security-headers',
    SecurityHeadersConfig: Object.assign({}, ...own),
    ...(others.length > 0 && {
      CustomHeadersConfig: {
        Quantity: others.length,
        Items: others.map(([header, value]) => ({ Header: header, Value: value, Override: true })),
      },
    }),
  })
}

/** In the form of the other servers; null where the network redirects by itself, or only by a switch of its console. */
export const networks: readonly {
  readonly language: Fix['language']
  readonly headers: (all: readonly Header[]) => readonly string[]
  readonly redirect: (() => readonly string[]) | null
}[] = [
  { language: 'cloudflare', headers: all => [cloudflareRule(all)], redirect: null },
  {
    language: 'cloudfront',
    headers: all => [cloudfrontPolicy(all)],
    redirect: () => ['"ViewerProtocolPolicy": "redirect-to-https"'],
  },
  {
    language: 'fastly',
    headers: all => ['# In vcl_deliver', ...all.map(([name, value]) => `set resp.http.${name} = "${value}";`)],
    redirect: null,
  },
  {
    language: 'netlify',
    headers: all => ['/*', ...all.map(([name, value]) => `  ${name}: ${value}`)],
    redirect: null,
  },
  {
    language: 'vercel',
    headers: all => [json({ headers: [{ source: '/(.*)', headers: all.map(([key, value]) => ({ key, value })) }] })],
    redirect: null,
  },
]
