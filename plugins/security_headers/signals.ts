// The signals of security_headers, by what they are about. Most are in the group `hygiene`, because good sites have these faults too.
import { type Evidence, type Raised, type Signals, truncate } from '../../src/engine/plugin.ts'
import type { GradedHeaders } from './section.ts'

/** Signals of a graded response by the field of the section whose recommendation their advice repeats. */
export const headerSignals = {
  https: {
    insecure_redirect: {
      weight: 3,
      group: 'hygiene',
      severity: 'medium',
      title: 'A redirect leads from HTTPS to HTTP',
      advice: 'If the site is yours, redirect to HTTPS only.',
      when: ({ https }) =>
        https.downgraded && { detail: 'A redirect on the way to the page leads from HTTPS to HTTP.' },
    },
  },
  hsts: {
    missing_hsts: {
      weight: 2,
      group: 'hygiene',
      severity: 'low',
      title: 'Strict-Transport-Security is missing',
      advice: 'If the site is yours, send “Strict-Transport-Security: max-age=31536000; includeSubDomains”.',
      when: ({ https, hsts }) =>
        https.used &&
        !hsts.present &&
        hsts.status === 'fail' && { detail: 'The page is served over HTTPS without Strict-Transport-Security.' },
    },
    weak_hsts: {
      weight: 1,
      group: 'hygiene',
      severity: 'low',
      title: 'Strict-Transport-Security is invalid or too short',
      advice: 'If the site is yours, raise max-age of Strict-Transport-Security to a year.',
      when: ({ https, hsts: { present, status, value } }) =>
        https.used &&
        present &&
        (status === 'fail' || status === 'warn') && {
          detail: 'Strict-Transport-Security is invalid, zero or shorter than 180 days.',
          evidence: { value },
        },
    },
  },
  csp: {
    missing_csp: {
      weight: 2,
      group: 'hygiene',
      severity: 'low',
      title: 'Content-Security-Policy is missing',
      advice:
        "If the site is yours, send “Content-Security-Policy: frame-ancestors 'self'”, and its other directives first as report-only.",
      also_fixes: ['clickjackable'],
      when: ({ csp }) =>
        csp?.present === false && {
          detail: csp.report_only
            ? 'The only Content-Security-Policy is report-only.'
            : 'The response has no enforced Content-Security-Policy.',
        },
    },
    weak_csp: {
      weight: 1,
      group: 'hygiene',
      severity: 'low',
      title: 'Content-Security-Policy does not stop injected scripts',
      advice: "If the site is yours, remove 'unsafe-inline' and wildcards from script-src; use nonces.",
      when: ({ csp }) =>
        csp?.present &&
        csp.status === 'fail' && {
          detail: 'The Content-Security-Policy does not stop injected scripts.',
          evidence: { weaknesses: csp.weaknesses },
        },
    },
  },
  x_frame_options: {
    clickjackable: {
      weight: 2,
      group: 'hygiene',
      severity: 'low',
      title: 'Other sites can frame the page',
      advice: "If the site is yours, send “Content-Security-Policy: frame-ancestors 'self'”.",
      when: ({ x_frame_options: { status, value, frame_ancestors } }) =>
        status === 'fail' && {
          detail: 'The response does not restrict which sites may frame the page.',
          evidence: { value, frame_ancestors },
        },
    },
  },
  x_content_type_options: {
    missing_x_content_type_options: {
      weight: 1,
      group: 'hygiene',
      severity: 'low',
      title: 'X-Content-Type-Options: nosniff is missing',
      advice: 'If the site is yours, send “X-Content-Type-Options: nosniff”.',
      when: ({ x_content_type_options: { status, value } }) =>
        status === 'fail' && { detail: 'Browsers may guess the content type of responses.', evidence: { value } },
    },
  },
  referrer_policy: {
    unsafe_referrer_policy: {
      weight: 1,
      group: 'hygiene',
      severity: 'low',
      title: 'Referrer-Policy sends full URLs to other sites',
      advice: 'If the site is yours, send “Referrer-Policy: strict-origin-when-cross-origin”.',
      when: ({ referrer_policy }) =>
        referrer_policy?.status === 'fail' && {
          detail: 'Referrer-Policy is unsafe-url, so other sites receive full URLs.',
        },
    },
  },
  cors: {
    cors_wildcard_with_credentials: {
      weight: 2,
      group: 'hygiene',
      severity: 'low',
      title: 'CORS allows every origin with credentials',
      advice: 'If the site is yours, list the origins that may read its responses.',
      when: ({ cors }) =>
        cors.value === '*' &&
        cors.allow_credentials && { detail: 'CORS allows every origin with credentials, which browsers reject.' },
    },
    cors_reflects_origin: {
      weight: 2,
      group: 'hygiene',
      severity: 'medium',
      title: 'CORS allows every site to read the page with credentials',
      advice: 'If the site is yours, compare the Origin header with a list before you repeat it.',
      when: ({ cors }) =>
        cors.reflects_with_credentials && {
          detail: 'The server repeats any Origin header in Access-Control-Allow-Origin and allows credentials.',
        },
    },
  },
  leaks: {
    server_version_leak: {
      weight: 1,
      group: 'hygiene',
      severity: 'low',
      title: 'Response headers disclose software versions',
      advice: 'If the site is yours, remove version numbers from its headers.',
      when({ leaks }) {
        const telling = leaks.filter(({ version }) => version)
        const names = [...new Set(telling.map(({ name }) => name))].join(', ')
        const headers = telling.map(({ name, value }) => `${name}: ${value}`)
        return telling.length > 0 && { detail: `Software versions are disclosed by ${names}.`, evidence: { headers } }
      },
    },
  },
} satisfies Partial<Record<keyof GradedHeaders, Signals<GradedHeaders>>>

/** The same by ID. */
export const gradedSignals = {
  ...headerSignals.https,
  ...headerSignals.hsts,
  ...headerSignals.csp,
  ...headerSignals.x_frame_options,
  ...headerSignals.x_content_type_options,
  ...headerSignals.referrer_policy,
  ...headerSignals.cors,
  ...headerSignals.leaks,
}

type Page = Evidence['page']

/** Characters of the URL in a signal. */
const URL_CHARACTERS = 512

/** Raised when the visit stopped for one of these reasons; the sentences get the URL that was not followed. */
const stoppedBy =
  (sentences: Readonly<Record<string, (at: string) => string>>) =>
  ({ stopped, stopped_at }: Page): Raised | null => {
    const sentence = stopped !== null && Object.hasOwn(sentences, stopped) ? sentences[stopped] : undefined
    if (sentence === undefined) return null
    const at = stopped_at && truncate(stopped_at, URL_CHARACTERS)
    return { detail: sentence(at ?? 'an unknown address'), evidence: { reason: stopped, at } }
  }

/** Signals of redirects that were not followed, whatever stands in place of the page. The first such redirect ends the visit. */
export const redirectSignals = {
  redirect_to_non_public: {
    weight: 15,
    group: 'network',
    severity: 'high',
    title: 'A redirect leads to a non-public address',
    warning: 'Do not open it from inside a private network.',
    advice: 'If the site is yours, remove the redirect into a private network.',
    when: stoppedBy({ redirect_to_non_public: at => `A redirect points to ${at}, which is a non-public address.` }),
  },
  too_many_redirects: {
    weight: 5,
    group: 'network',
    severity: 'medium',
    title: 'Too many redirects',
    advice: 'If the site is yours, redirect straight to the page.',
    when: stoppedBy({
      too_many_redirects: at => `There are too many redirects. The last one, to ${at}, was not followed.`,
    }),
  },
  redirect_loop: {
    weight: 3,
    group: 'network',
    severity: 'medium',
    title: 'Redirect loop',
    advice: 'If the site is yours, remove the redirect that closes the loop.',
    when: stoppedBy({ redirect_loop: at => `The redirects lead back to ${at}.` }),
  },
  redirect_off_the_web: {
    weight: 3,
    group: 'network',
    severity: 'high',
    title: 'A redirect leads to a URL that is not HTTP or HTTPS',
    warning: 'Do not follow the redirect: it leads to something other than a web page.',
    advice: null,
    when: stoppedBy({
      redirect_to_port: at => `A redirect points to a non-standard port: ${at}.`,
      redirect_to_scheme: at => `A redirect points to a URL that is not HTTP or HTTPS: ${at}.`,
      redirect_with_credentials: at => `A redirect carries credentials: ${at}.`,
      redirect_malformed: at => `A redirect points to an invalid URL: ${at}.`,
    }),
  },
} satisfies Signals<Page>
