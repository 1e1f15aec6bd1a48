// Building blocks of lab sites: fixed paths, text and XML files, redirects, well-configured mail.
import type { LabHost } from '../lab_internet.ts'
import type { LabHandler, LabResponse } from '../lab_web.ts'
import { plainPage } from './pages.ts'

/** A site with fixed paths; anything else is 404. */
export const site =
  (paths: Readonly<Record<string, LabResponse>>): LabHandler =>
  ({ url }) =>
    paths[url] ?? { status: 404, body: plainPage('Not found') }

export const redirectTo =
  (url: string, status = 301): LabHandler =>
  () => ({ status, headers: [['Location', url]] })

export const text = (body: string): LabResponse => ({ body, headers: [['Content-Type', 'text/plain; charset=utf-8']] })

export const xml = (body: string): LabResponse => ({ body, headers: [['Content-Type', 'application/xml']] })

/** A `robots.txt` that allows everything, and the sitemap it names. */
export const crawlFiles = (origin: string): Readonly<Record<string, LabResponse>> => ({
  '/robots.txt': text(`User-agent: *\nAllow: /\nSitemap: ${origin}/sitemap.xml\n`),
  '/sitemap.xml': xml(
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/</loc></url></urlset>`,
  ),
})

/** One mail exchanger, which alone may send. */
export const simpleMail = (name: string) => ({
  MX: [{ preference: 10, exchange: `mail.${name}` }],
  TXT: ['v=spf1 mx -all'],
})

/** One mail exchanger, SPF and DMARC that reject, and reports for both. */
export const goodMail = (name: string, address: string): Pick<LabHost, 'records' | 'zones'> => ({
  records: simpleMail(name),
  zones: {
    [`mail.${name}`]: { A: [address] },
    [`_dmarc.${name}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:dmarc@${name}`] },
    [`_smtp._tls.${name}`]: { TXT: [`v=TLSRPTv1; rua=mailto:tls@${name}`] },
  },
})
