// Lines to paste into the configuration of common web servers and networks: the headers that are missing or weak, and the redirect to
// HTTPS. Made of constants only; the name of the target is checked first.
import type { Fix } from '../../src/engine/plugin.ts'
import { networks } from './edge_fixes.ts'
import type { Section } from './section.ts'

type Header = readonly [name: string, value: string]

/** Letters, digits, dots and hyphens: a name in A-labels, which needs no quoting anywhere. */
const PLAIN_NAME = /^[a-z0-9_]([a-z0-9._-]*[a-z0-9])?$/

const YEAR = 31_536_000

/** The current flags are kept: adding `includeSubDomains` can break names that have no HTTPS. */
function hstsValue(hsts: Section['hsts']): string {
  const flags = [hsts?.include_sub_domains && 'includeSubDomains', hsts?.preload && 'preload']
  return [`max-age=${YEAR}`, ...flags.filter(flag => typeof flag === 'string')].join('; ')
}

function headersToSet(section: Section): readonly Header[] {
  const { https, hsts, csp, x_frame_options, x_content_type_options, referrer_policy, permissions_policy } = section
  const isWanting = (judgement: { readonly status: string | null } | null) =>
    judgement !== null && (judgement.status === 'fail' || judgement.status === 'warn')
  return [
    ...(https?.used && isWanting(hsts) ? [['Strict-Transport-Security', hstsValue(hsts)] as const] : []),
    // To try: it reports what it would block, and blocks nothing.
    ...(csp !== null && !csp.present ? [['Content-Security-Policy-Report-Only', TRIAL_POLICY] as const] : []),
    ...(isWanting(x_frame_options) ? [['X-Frame-Options', 'SAMEORIGIN'] as const] : []),
    ...(isWanting(x_content_type_options) ? [['X-Content-Type-Options', 'nosniff'] as const] : []),
    ...(isWanting(referrer_policy) ? [['Referrer-Policy', 'strict-origin-when-cross-origin'] as const] : []),
    ...(permissions_policy !== null && !permissions_policy.present
      ? [['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'] as const]
      : []),
  ]
}

const TRIAL_POLICY =
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

const servers = [
  {
    language: 'nginx',
    headers: (all: readonly Header[]) => all.map(([name, value]) => `add_header ${name} "${value}" always;`),
    redirect: (name: string) => [
      'server {',
      '  listen 80;',
      '  listen [::]:80;',
      `  server_name ${name};`,
      '  return 301 https://$host$request_uri;',
      '}',
    ],
  },
  {
    language: 'apache',
    headers: (all: readonly Header[]) => all.map(([name, value]) => `Header always set ${name} "${value}"`),
    redirect: (name: string) => [
      '<VirtualHost *:80>',
      `  ServerName ${name}`,
      `  Redirect permanent / https://${name}/`,
      '</VirtualHost>',
    ],
  },
  {
    language: 'caddy',
    headers: (all: readonly Header[]) => ['header {', ...all.map(([name, value]) => `  ${name} "${value}"`), '}'],
    // Caddy redirects to HTTPS by itself.
    redirect: (name: string) => [
      `${name} {`,
      '  # Without a scheme, Caddy gets a certificate and redirects HTTP.',
      '}',
    ],
  },
  {
    language: 'iis',
    headers: (all: readonly Header[]) => [
      '<httpProtocol>',
      '  <customHeaders>',
      ...all.map(([name, value]) => `    <add name="${name}" value="${value}" />`),
      '  </customHeaders>',
      '</httpProtocol>',
    ],
    redirect: () => [
      '<rewrite>',
      '  <rules>',
      '    <rule name="HTTPS" stopProcessing="true">',
      '      <match url="(.*)" />',
      '      <conditions><add input="{HTTPS}" pattern="off" /></conditions>',
      '      <action type="Redirect" url="https://{HTTP_HOST}/{R:1}" redirectType="Permanent" />',
      '    </rule>',
      '  </rules>',
      '</rewrite>',
    ],
  },
] as const

/** Those of the recognised servers first. `domain` as in the target; null for an address. */
export function fixesFor(section: Section, domain: string | null): readonly Fix[] {
  const headers = headersToSet(section)
  const name = domain !== null && PLAIN_NAME.test(domain) ? domain : null
  const redirects = section.https?.used === true && section.https.redirects_from_http === false
  const serverNames: readonly string[] = section.served_by ?? []
  const placeOf = (language: string) =>
    serverNames.includes(language) ? serverNames.indexOf(language) : serverNames.length
  const all = [...servers, ...networks].toSorted((a, b) => placeOf(a.language) - placeOf(b.language))
  return all.flatMap(server => [
    ...(headers.length > 0
      ? [{ title: 'Response headers', language: server.language, code: server.headers(headers).join('\n') }]
      : []),
    ...(redirects && name !== null && server.redirect !== null
      ? [{ title: 'Redirect to HTTPS', language: server.language, code: server.redirect(name).join('\n') }]
      : []),
  ])
}
