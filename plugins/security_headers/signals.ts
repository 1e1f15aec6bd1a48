// The signals of security_headers. Most are in the group `hygiene`, because good sites have these faults too.
import type { Severity, SignalDefinition, SignalFound } from '../../src/engine/plugin.ts'
import type { Graded } from './section.ts'

const hygiene = (weight: number, severity: Severity, title: string): SignalDefinition => ({
  weight,
  group: 'hygiene',
  severity,
  title,
})

export const signals = {
  insecure_redirect: hygiene(3, 'medium', 'A redirect leads from HTTPS to HTTP'),
  missing_hsts: hygiene(2, 'low', 'Strict-Transport-Security is missing'),
  missing_csp: hygiene(2, 'low', 'Content-Security-Policy is missing'),
  clickjackable: hygiene(2, 'low', 'Other sites can frame the page'),
  cors_wildcard_with_credentials: hygiene(2, 'low', 'CORS allows every origin with credentials'),
  cors_reflects_origin: hygiene(2, 'medium', 'CORS allows every site to read the page with credentials'),
  weak_hsts: hygiene(1, 'low', 'Strict-Transport-Security is invalid or too short'),
  weak_csp: hygiene(1, 'low', 'Content-Security-Policy does not stop injected scripts'),
  missing_x_content_type_options: hygiene(1, 'low', 'X-Content-Type-Options: nosniff is missing'),
  unsafe_referrer_policy: hygiene(1, 'low', 'Referrer-Policy sends full URLs to other sites'),
  server_version_leak: hygiene(1, 'low', 'Response headers disclose software versions'),
}
export type SignalId = keyof typeof signals

/** The sentence of a signal and its evidence; null if the signal does not apply. */
type Notice = (section: Graded) => readonly [detail: string, evidence?: Record<string, unknown>] | null

const notices: Readonly<Record<SignalId, Notice>> = {
  insecure_redirect: ({ https }) =>
    https.downgraded ? ['A redirect on the way to the page leads from HTTPS to HTTP.'] : null,
  missing_hsts: ({ https, hsts }) =>
    https.used && !hsts.present && hsts.status === 'fail'
      ? ['The page is served over HTTPS without Strict-Transport-Security.']
      : null,
  weak_hsts: ({ https, hsts }) =>
    https.used && hsts.present && (hsts.status === 'fail' || hsts.status === 'warn')
      ? ['Strict-Transport-Security is invalid, zero or shorter than 180 days.', { value: hsts.value }]
      : null,
  missing_csp: ({ csp }) =>
    csp === null || csp.present
      ? null
      : [csp.report_only ? REPORTS_ONLY : 'The response has no enforced Content-Security-Policy.'],
  weak_csp: ({ csp }) =>
    csp?.present && csp.status === 'fail'
      ? ['The Content-Security-Policy does not stop injected scripts.', { weaknesses: csp.weaknesses }]
      : null,
  clickjackable: ({ x_frame_options: { status, value, frame_ancestors } }) =>
    status === 'fail'
      ? ['The response does not restrict which sites may frame the page.', { value, frame_ancestors }]
      : null,
  missing_x_content_type_options: ({ x_content_type_options: { status, value } }) =>
    status === 'fail' ? ['Browsers may guess the content type of responses.', { value }] : null,
  unsafe_referrer_policy: ({ referrer_policy }) =>
    referrer_policy?.status === 'fail' ? ['Referrer-Policy is unsafe-url, so other sites receive full URLs.'] : null,
  cors_wildcard_with_credentials: ({ cors }) =>
    cors.value === '*' && cors.allow_credentials
      ? ['CORS allows every origin with credentials, which browsers reject.']
      : null,
  cors_reflects_origin: ({ cors }) =>
    cors.reflects_with_credentials
      ? ['The server repeats any Origin header in Access-Control-Allow-Origin and allows credentials.']
      : null,
  server_version_leak: ({ leaks }) => {
    const telling = leaks.filter(({ version }) => version)
    const names = [...new Set(telling.map(({ name }) => name))].join(', ')
    const headers = telling.map(({ name, value }) => `${name}: ${value}`)
    return telling.length === 0 ? null : [`Software versions are disclosed by ${names}.`, { headers }]
  },
}

const REPORTS_ONLY = 'The only Content-Security-Policy is report-only.'

/** The signals of a graded response. */
export function findSignals(section: Graded): SignalFound<SignalId>[] {
  return (Object.keys(signals) as SignalId[]).flatMap(id => {
    const [detail, evidence = {}] = notices[id](section) ?? []
    return detail === undefined ? [] : [{ id, detail, evidence }]
  })
}
