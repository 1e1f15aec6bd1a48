// Many shops with the same page, each a domain of its own: a check of the next one finds nothing in any cache.
import type { LabRecords } from '../../src/testing/lab_dns.ts'
import { page } from './healthy_site.ts'

export const shopAddress = '193.0.14.13'
/** A suffix of the Public Suffix List, so that each name below it is registrable. */
const SUFFIX = 'co.uk'
/** More than one run checks. */
export const SHOPS = 4_096

export const shopName = (number: number): string => `walnut-and-oak-${number % SHOPS}.${SUFFIX}`

/** The shop of a name, its own or one below; null for other names. */
export const shopOf = (name: string): string | null => /(?:^|\.)(walnut-and-oak-\d+\.co\.uk)$/.exec(name)?.[1] ?? null

/** The records of a shop and of the names below it; null for other names. */
export function shopRecords(name: string): LabRecords | null {
  const shop = shopOf(name)
  if (shop === null) return null
  const records: Readonly<Record<string, LabRecords>> = {
    [shop]: {
      A: [shopAddress],
      MX: [{ preference: 10, exchange: `mail.${shop}` }],
      TXT: [`v=spf1 mx include:_spf.${shop} -all`],
      NS: [`ns1.${shop}`, `ns2.${shop}`],
      CAA: [{ critical: false, tag: 'issue', value: 'lab.example' }],
      SOA: [
        {
          mname: `ns1.${shop}`,
          rname: `hostmaster.${shop}`,
          serial: 1,
          refresh: 7200,
          retry: 900,
          expire: 1_209_600,
          minimum: 300,
        },
      ],
    },
    [`mail.${shop}`]: { A: ['193.0.14.11'] },
    [`ns1.${shop}`]: { A: ['193.0.14.53'] },
    [`ns2.${shop}`]: { A: ['193.0.14.54'] },
    [`_spf.${shop}`]: { TXT: ['v=spf1 ip4:193.0.14.0/24 -all'] },
    [`_dmarc.${shop}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:dmarc@${shop}`] },
    [`_smtp._tls.${shop}`]: { TXT: [`v=TLSRPTv1; rua=mailto:tls@${shop}`] },
  }
  return records[name] ?? null
}

/** Files of every shop by path. */
export const shopFiles: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  '/index.html': { type: 'text/html', body: page },
  '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /cart\n' },
  '/sitemap.xml': {
    type: 'application/xml',
    body: '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/</loc></url></urlset>',
  },
}

/** Header fields of every response of a shop over HTTPS. */
export const shopHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
  ['Content-Security-Policy', "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Set-Cookie', '__Host-session=Zm9vYmFy; Path=/; Secure; HttpOnly; SameSite=Lax'],
]
