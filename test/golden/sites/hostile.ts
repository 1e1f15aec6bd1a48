import type { LabHandler } from '../../../src/testing/lab_web.ts'
import { COOKIE_VALUE, type GoldenSite, MARKUP } from '../site.ts'

/** Right-to-left override, a control character, an unpaired surrogate and a character outside Unicode. */
const odd = '&#x202E;&#7;&#xD800;&#x110000;'

const page = `<!doctype html><html lang="${'x'.repeat(600)}"><head><meta charset="utf-8">
<title>Wel${odd}come <b>inside</b></title><meta name="description" content="${'very long '.repeat(300)}">
<script type="application/ld+json">${'['.repeat(1_000)}</script>
</head><body data-kept="${MARKUP}">${'<b><i><table><tr><td>'.repeat(20_000)}
<img ${Array.from({ length: 2_000 }, (_, i) => `a${i}=${i}`).join(' ')}>
${'<h2>Again</h2>'.repeat(300)}
<a href="javascript:alert(1)">click here</a><a href="mailto:${'a'.repeat(300)}@hostile.lab">write</a>
<a href="https://facebook.com.hostile.lab/page">not Facebook</a> ${'a@'.repeat(2_000)}
<form action="data:text/html,gone" method="post"><input type="text"></form>
<!-- ${'-- '.repeat(300)} --><script>${'eval('.repeat(600)}`

const cookies = Array.from({ length: 55 }, (_, i) => ['Set-Cookie', `c${i}=${COOKIE_VALUE}`] as const)

const answer: LabHandler = ({ url }) => {
  if (url === '/robots.txt') return { body: `User-agent: *\nDisallow: /${'*a'.repeat(1_500)}$\n` }
  if (url !== '/') return { status: 404 }
  const headers = [
    ['Server', `apache${'/2'.repeat(400)}`],
    ['Content-Security-Policy', "default-src 'self'; ".repeat(100)],
    ['Strict-Transport-Security', 'max-age=99999999999999999999; includeSubDomains=1; max-age=0'],
    ['Referrer-Policy', 'everything, please'],
    ...cookies,
    ['Set-Cookie', `__Host-a=${COOKIE_VALUE}; Domain=lab; Path=/x`],
    ['Set-Cookie', `=${COOKIE_VALUE}; SameSite=Perhaps; Max-Age=soon`],
  ] as const
  return { headers, body: page }
}

/** Markup, headers and cookies made to overwhelm whoever reads them. */
export const hostile: GoldenSite = {
  kind: 'hostile',
  asked: { domain: 'hostile.lab' },
  age_days: 60,
  hosts: [{ name: 'hostile.lab', addresses: ['45.130.40.118'], https: answer }],
}
