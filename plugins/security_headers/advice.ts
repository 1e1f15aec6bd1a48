// What to do about each signal of security_headers: first what a visitor must not do, then the advice.
export const advice = {
  insecure_redirect: 'If the site is yours, redirect to HTTPS only.',
  missing_hsts: 'If the site is yours, send “Strict-Transport-Security: max-age=31536000; includeSubDomains”.',
  missing_csp: 'If the site is yours, send a Content-Security-Policy, first as report-only.',
  clickjackable: "If the site is yours, send “Content-Security-Policy: frame-ancestors 'self'”.",
  cors_wildcard_with_credentials: 'If the site is yours, list the origins that may read its responses.',
  cors_reflects_origin: 'If the site is yours, compare the Origin header with a list before you repeat it.',
  weak_hsts: 'If the site is yours, raise max-age of Strict-Transport-Security to a year.',
  weak_csp: "If the site is yours, remove 'unsafe-inline' and wildcards from script-src; use nonces.",
  missing_x_content_type_options: 'If the site is yours, send “X-Content-Type-Options: nosniff”.',
  unsafe_referrer_policy: 'If the site is yours, send “Referrer-Policy: strict-origin-when-cross-origin”.',
  server_version_leak: 'If the site is yours, remove version numbers from its headers.',
  redirect_to_non_public: {
    warning: 'Do not open it from inside a private network.',
    advice: 'A public site that redirects into a private network is an attack or a mistake.',
  },
  too_many_redirects: 'If the site is yours, redirect straight to the page.',
  redirect_loop: 'The page cannot be opened. If the site is yours, remove the redirect that closes the loop.',
  redirect_off_the_web: {
    warning: 'Do not follow the redirect.',
    advice: 'The redirect leads to something other than a web page.',
  },
} as const
