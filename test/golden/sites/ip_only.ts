import { site } from '../../../src/testing/demo/pages.ts'
import { type GoldenSite, MARKUP } from '../site.ts'

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Status board of the north relay</title>
<meta name="viewport" content="width=device-width"></head>
<body data-kept="${MARKUP}"><h1>North relay</h1><p>Receiver: good. Transmitter: good. Mast light: good.</p></body></html>`

/** A machine without a name, with a certificate for its address. */
export const ipOnly: GoldenSite = {
  kind: 'ip_only',
  asked: { ip: '193.0.14.114' },
  age_days: null,
  hosts: [
    {
      name: '193.0.14.114',
      addresses: ['193.0.14.114'],
      https: site({ '/': { headers: [['Server', 'lighttpd/1.4.76']], body: page } }),
      certificate: { names: [], ips: ['193.0.14.114'], subject: [] },
    },
  ],
}
