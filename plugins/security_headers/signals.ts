// What security_headers notices and what it costs; all of it hygiene, since good sites have such faults too.
import type { SignalDefinition, SignalFound } from '../../src/engine/plugin.ts'
import type { Graded } from './section.ts'

const hygiene = (weight: number, title: string): SignalDefinition => ({ weight, group: 'hygiene', title })

export const signals = {
  insecure_redirect: hygiene(3, 'A redirect leads from HTTPS to HTTP'),
  missing_hsts: hygiene(2, 'No Strict-Transport-Security'),
  missing_csp: hygiene(2, 'No Content-Security-Policy'),
  clickjackable: hygiene(2, 'Any site may frame the page'),
  cors_wildcard_with_credentials: hygiene(2, 'Every origin is allowed, with credentials'),
  weak_hsts: hygiene(1, 'Strict-Transport-Security without effect or too short'),
  weak_csp: hygiene(1, 'Content-Security-Policy that stops no injected script'),
  missing_x_content_type_options: hygiene(1, 'No X-Content-Type-Options: nosniff'),
  unsafe_referrer_policy: hygiene(1, 'Full URLs are sent to other sites'),
  server_version_leak: hygiene(1, 'Headers tell the version of software'),
}
export type SignalId = keyof typeof signals

/** What is to be told of a response: a sentence, with what a reader can verify it by; null when there is nothing to tell. */
type Notice = (section: Graded) => readonly [detail: string, evidence?: Record<string, unknown>] | null

const notices: Readonly<Record<SignalId, Notice>> = {
  insecure_redirect: ({ https }) => (https.downgraded ? ['The way to the page leads from HTTPS to HTTP.'] : null),
  missing_hsts: ({ https, hsts }) =>
    https.used && !hsts.present && hsts.status === 'fail'
      ? ['The page is served over HTTPS without Strict-Transport-Security.']
      : null,
  weak_hsts: ({ https, hsts }) =>
    https.used && hsts.present && (hsts.status === 'fail' || hsts.status === 'warn')
      ? ['Strict-Transport-Security is invalid, zero or shorter than 180 days.', { value: hsts.value }]
      : null,
  missing_csp: ({ csp }) => (csp.present ? null : [csp.report_only ? REPORTS_ONLY : 'No policy is enforced.']),
  weak_csp: ({ csp: { present, status, weaknesses } }) =>
    present && status === 'fail' ? ['The policy lets injected scripts run.', { weaknesses }] : null,
  clickjackable: ({ x_frame_options: { status, value, frame_ancestors } }) =>
    status === 'fail' ? ['Nothing limits who may frame the page.', { value, frame_ancestors }] : null,
  missing_x_content_type_options: ({ x_content_type_options: { status, value } }) =>
    status === 'fail' ? ['Browsers may guess the types of responses.', { value }] : null,
  unsafe_referrer_policy: ({ referrer_policy }) =>
    referrer_policy.status === 'fail' ? ['The policy is unsafe-url: other sites learn full URLs.'] : null,
  cors_wildcard_with_credentials: ({ cors }) =>
    cors.value === '*' && cors.allow_credentials
      ? ['Every origin is allowed together with credentials, which browsers refuse.']
      : null,
  server_version_leak: ({ leaks }) => {
    const telling = leaks.filter(({ version }) => version)
    const names = [...new Set(telling.map(({ name }) => name))].join(', ')
    const headers = telling.map(({ name, value }) => `${name}: ${value}`)
    return telling.length === 0 ? null : [`Versions of software are told by ${names}.`, { headers }]
  },
}

const REPORTS_ONLY = 'The only policy is one that reports and enforces nothing.'

/** What is noticed of a graded response. */
export function findSignals(section: Graded): SignalFound<SignalId>[] {
  return (Object.keys(signals) as SignalId[]).flatMap(id => {
    const [detail, evidence = {}] = notices[id](section) ?? []
    return detail === undefined ? [] : [{ id, detail, evidence }]
  })
}
