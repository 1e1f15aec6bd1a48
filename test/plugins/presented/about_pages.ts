// Honest pages about a brand, each on a site with a log-in of its own.
import type { HonestPage } from './vendor_logins.ts'

const BRANDS = ['PayPal', 'Microsoft', 'DHL', 'Netflix', 'Coinbase', 'Santander', 'Instagram', 'Adobe'] as const

const LOG_IN =
  '<form action="/session" method="post"><input type="hidden" name="token" value="a"><input name="user" placeholder="User name"><input type="password" name="password" placeholder="Password"><button>Log in</button></form>'

interface Site {
  readonly name: string
  readonly domain: string
}

type Write = (
  brand: string,
  slug: string,
  site: Site,
) => { readonly title: string; readonly body: string; readonly head?: string }

const frame = ({ name }: Site, title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body><header><a href="/">${name}</a>${LOG_IN}</header>${body}<footer>© 2026 ${name}</footer></body></html>`

const KINDS: Readonly<Record<string, readonly [site: Site, write: Write]>> = {
  'a news item': [
    { name: 'The Tannet Courier', domain: 'tannet-courier.com' },
    brand => ({
      title: `${brand} raises its fees | The Tannet Courier`,
      body: `<article><h1>${brand} raises its fees</h1><time>12 May</time><p>By Ada Finch. ${brand} said on Monday that its fees would rise. ${brand} has three offices in Tannet.</p></article>`,
    }),
  ],
  'a question in a forum': [
    { name: 'Tannet Tech Board', domain: 'tannet-board.org' },
    brand => ({
      title: `${brand} login problem - Tannet Tech Board`,
      body: `<h1>${brand} login problem</h1><p>ada: Since yesterday I cannot log in to ${brand}.</p><p>bo: Did you ask ${brand} support?</p>`,
    }),
  ],
  'a review': [
    { name: 'Weighed', domain: 'weighed-reviews.com' },
    (brand, slug) => ({
      title: `${brand} reviewed - Weighed`,
      body: `<h1>${brand}</h1><img src="/img/${slug}-logo.png" alt="${brand} logo"><p>Our rating: 4 of 5. ${brand} is easy to use, and its support answers within a day.</p><a href="https://www.${slug}.com/">Visit ${brand}</a>`,
    }),
  ],
  vacancies: [
    { name: 'Tannet Jobs', domain: 'tannet-jobs.com' },
    (brand, slug) => ({
      title: `${brand} vacancies - Tannet Jobs`,
      body: `<img src="/logos/${slug}.png" alt="${brand}"><h1>Jobs at ${brand}</h1><ul><li>Engineer, ${brand}</li><li>Clerk, ${brand}</li></ul>`,
    }),
  ],
  'a guide': [
    { name: 'Plain Guides', domain: 'plain-guides.net' },
    (brand, slug) => ({
      title: `How to delete a ${brand} account – Plain Guides`,
      body: `<h1>How to delete a ${brand} account</h1><ol><li>Log in to ${brand}.</li><li>Open the settings.</li><li>Confirm.</li></ol><img src="/g/${slug}-settings.png" alt="The settings of ${brand}">`,
    }),
  ],
  'a connection of two services': [
    { name: 'Ledgerloom', domain: 'ledgerloom.io' },
    (brand, slug) => ({
      title: `Connect ${brand} | Ledgerloom`,
      body: `<h1>Connect ${brand} to Ledgerloom</h1><img src="/i/${slug}.svg" alt="${brand}"><p>Ledgerloom reads your invoices from ${brand} each night.</p><a href="/connect/${slug}">Connect</a>`,
    }),
  ],
  'the state of others': [
    { name: 'Down Detective', domain: 'down-detective.net' },
    brand => ({
      title: `Is ${brand} down? – Down Detective`,
      body: `<h1>${brand} status</h1><p>No problems at ${brand}. Last outage: 3 May.</p>`,
    }),
  ],
  'a comparison': [
    { name: 'Twosided', domain: 'twosided-compare.com' },
    brand => ({
      title: `${brand} or Wise? - Twosided`,
      body: `<h1>${brand} or Wise?</h1><table><tr><th>${brand}</th><th>Wise</th></tr><tr><td>2 %</td><td>1 %</td></tr></table>`,
    }),
  ],
}

export const aboutPages: readonly HonestPage[] = Object.entries(KINDS).flatMap(([kind, [site, write]]) =>
  BRANDS.map(brand => {
    const { title, body, head } = write(brand, brand.toLowerCase(), site)
    return { of: `${kind} about ${brand}`, domain: site.domain, html: frame(site, title, body, head) }
  }),
)
