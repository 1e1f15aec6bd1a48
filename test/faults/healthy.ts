// The healthy site that stays as it is: what a check says of it must not change, whatever else is going on.
import type { LabHandler } from '../../src/testing/lab_web.ts'

export const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Walnut and Oak</title>
<meta name="description" content="Tables and shelves in walnut and oak, made to order in our own workshop.">
<meta name="viewport" content="width=device-width"></head>
<body><h1>Furniture made to order</h1><p>Write to hello@control.lab.</p></body></html>`

const headers = [
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
  ['Content-Security-Policy', "default-src 'self'"],
  ['X-Frame-Options', 'DENY'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
] as const

export const healthyPage: LabHandler = ({ url, host }) => {
  if (url === '/') return { headers, body: PAGE }
  if (url === '/robots.txt')
    return {
      headers: [['Content-Type', 'text/plain']],
      body: `User-agent: *\nAllow: /\nSitemap: https://${host}/sitemap.xml\n`,
    }
  if (url !== '/sitemap.xml') return { status: 404 }
  const body = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://${host}/</loc></url></urlset>`
  return { headers: [['Content-Type', 'application/xml']], body }
}
