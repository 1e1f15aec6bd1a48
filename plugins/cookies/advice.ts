// What to do about each signal of cookies: first what a visitor must not do, then the advice.
export const advice = {
  session_cookie_without_secure: 'If the site is yours, set Secure on session cookies.',
  session_cookie_without_http_only: 'If the site is yours, set HttpOnly on session cookies.',
  session_cookie_without_same_site: 'If the site is yours, set SameSite=Lax on session cookies.',
  cookie_prefix_violated: 'If the site is yours, set the attributes that the cookie’s prefix requires, or rename it.',
  cookie_rejected: 'If the site is yours, correct the cookie: browsers reject it.',
} as const
