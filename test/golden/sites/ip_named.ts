import { site } from '../../../src/testing/demo/pages.ts'
import { type GoldenSite, MARKUP } from '../site.ts'

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mirror of the harbour archive</title></head>
<body data-kept="${MARKUP}"><h1>Mirror</h1><p>Files are copied from the archive every night at two.</p></body></html>`

/** A server whose address says its name: one name that leads back to it, and one left over from before. */
export const ipNamed: GoldenSite = {
  kind: 'ip_named',
  asked: { ip: '193.0.14.115' },
  age_days: null,
  hosts: [
    {
      name: '193.0.14.115',
      addresses: ['193.0.14.115'],
      zones: { '115.14.0.193.in-addr.arpa': { PTR: ['mirror.harbour-archive.lab', 'old-name.lab'] } },
      http: site({ '/': { headers: [['Server', 'nginx']], body: page } }),
    },
    { name: 'mirror.harbour-archive.lab', addresses: ['193.0.14.115'] },
    { name: 'old-name.lab', addresses: ['193.0.14.116'] },
  ],
}
