// Suffixes and domains where a brand name has a different meaning.

const split = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter(entry => entry !== ''))

/** Platforms where brands publish their own pages: code, manuals and shops. */
export const ownPages: ReadonlySet<string> = split(`
  github.io gitlab.io readthedocs.io readthedocs-hosted.com gitbook.io bitbucket.io js.org myshopify.com atlassian.net
  zendesk.com googleapis.com azurewebsites.net azureedge.net
`)

/** CDNs that carry customer sites under the customer's whole name, and sites that describe domain names. */
export const carriers: ReadonlySet<string> = split(`
  edgekey.net edgesuite.net akamaiedge.net akamai.net akadns.net akamaized.net akamaihd.net cloudflare.net fastly.net
  fastlylb.net fastly-edge.com llnwd.net llnwi.net incapdns.net impervadns.net footprint.net cdngc.net azionedge.net
  azionedge.com alikunlun.com kunlunsl.com cdngslb.com tbcache.com ttdns2.com queniuak.com mcas.ms spo-msedge.net
  spov-msedge.net trafficmanager.net hypestat.com w3snoop.com ipaddress.com similarweb.com siteprice.org urlscan.io archive.org
`)
