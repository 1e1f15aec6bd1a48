// The simulated Internet of the benches, in a process of its own, with a configurable round trip: many shops with the same page, a
// site that holds its responses, hostile pages, and the third parties that checks ask.
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import { gzipSync } from 'node:zlib'
import type { Dial } from '../../src/network/network.ts'
import { outside } from '../../src/testing/demo/outside.ts'
import { type Authority, createAuthority, selfSign } from '../../src/testing/lab_ca.ts'
import type { LabRecords } from '../../src/testing/lab_dns.ts'
import { type LabHost, type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { close, request, send } from '../../src/testing/lab_script.ts'
import type { LabResponse } from '../../src/testing/lab_web.ts'
import { type Child, CORE, scratch, startChild, type Tasks } from './harness.ts'

/** A site that can hold its responses. */
export const HELD_SITE = { domain: 'walnut-and-oak.lab', address: '193.0.14.10' } as const
export const shopAddress = '193.0.14.13'
export const registryAddress = '193.0.14.91'
export const directoryAddress = '193.0.14.90'

/** A suffix of the Public Suffix List, so that each name below it is registrable. */
const SUFFIX = 'co.uk'
/** More than one run checks. */
export const SHOPS = 4_096
export const shopName = (number: number): string => `walnut-and-oak-${number % SHOPS}.${SUFFIX}`
/** The shop of a name, its own or one below; null for other names. */
export const shopOf = (name: string): string | null => /(?:^|\.)(walnut-and-oak-\d+\.co\.uk)$/.exec(name)?.[1] ?? null

const products = Array.from({ length: 120 }, (_, number) => {
  const path = `/furniture/${number}-table-of-solid-wood`
  return `<li class="product card" id="product-${number}"><a href="${path}"><img src="/img/${number}.webp" alt="Table ${number}" width="320" height="240"></a>
<h3><a href="${path}">Table number ${number} of solid wood</a></h3>
<p>Made to order in our own workshop in walnut or oak, ${number + 4} weeks from order to delivery, taken back within a month.</p>
<form action="/cart" method="post"><input type="hidden" name="product" value="${number}"><button>Into the cart</button></form></li>`
})

/** About 60 KiB. */
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Walnut &amp; Oak: furniture made to order</title>
<meta name="description" content="Tables, shelves and chairs in walnut and oak, made to order in our own workshop and delivered in four weeks.">
<link rel="canonical" href="https://walnut-and-oak.lab/">
<link rel="stylesheet" href="/assets/shop.css">
<script src="/assets/cart.js" defer></script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Store","name":"Walnut & Oak"}</script>
</head>
<body>
<header><nav><a href="/">Home</a> <a href="/furniture">Furniture</a> <a href="/about">About us</a></nav></header>
<h1>Furniture made to order</h1>
<p>Write to <a href="mailto:hello@walnut-and-oak.lab">hello@walnut-and-oak.lab</a> or call <a href="tel:+4930901820">+49 30 901820</a>.</p>
<p><a href="https://www.instagram.com/walnutandoak">Our work in pictures</a></p>
<ul>
${products.join('\n')}
</ul>
</body>
</html>`

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

/** Files of every shop by path, as sent. */
const files: Readonly<Record<string, { readonly type: string; readonly body: Buffer }>> = {
  '/': { type: 'text/html; charset=utf-8', body: gzipSync(page) },
  '/robots.txt': { type: 'text/plain', body: gzipSync('User-agent: *\nDisallow: /cart\n') },
  '/sitemap.xml': {
    type: 'application/xml',
    body: gzipSync(
      '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/</loc></url></urlset>',
    ),
  },
}

/** Header fields of every response of a shop over HTTPS. A server that says this reads ahead. */
const shopHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Server', 'nginx'],
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
  ['Content-Security-Policy', "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Set-Cookie', '__Host-session=Zm9vYmFy; Path=/; Secure; HttpOnly; SameSite=Lax'],
]

const responseTo = (path: string): LabResponse => {
  const file = files[path]
  if (file === undefined) return { status: 404, body: 'Not found' }
  return { headers: [...shopHeaders, ['Content-Encoding', 'gzip'], ['Content-Type', file.type]], body: file.body }
}
const nestedPage = gzipSync('<!doctype html><title>Deep</title>'.padEnd(2 * 1024 * 1024, '<b>'))

const hosts: readonly LabHost[] = [
  { name: HELD_SITE.domain, addresses: [HELD_SITE.address] },
  // Any number of shops with the same page, of one owner each.
  {
    name: '*.shops.lab',
    addresses: ['193.0.14.12'],
    http: ({ host }) => ({ status: 301, headers: [['Location', `https://${host}/`]] }),
    https: ({ url }) => responseTo(url),
  },
  // Any number of sites with 2 MiB of nested tags, the most expensive markup that a check reads; 5 KiB on the wire.
  {
    name: '*.deep.lab',
    addresses: ['193.0.14.15'],
    https: () => ({
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['Content-Encoding', 'gzip'],
      ],
      body: nestedPage,
    }),
  },
  // Names with addresses that are not public: a check costs DNS and analysis but no page.
  { name: '*.inside.lab', addresses: ['10.0.0.5'] },
  // Registered days ago that are old enough for any judgement.
  ...outside({ listed: [], green: [], ageOf: () => 3_000, networkOf: () => null }),
]

/** For an MMDB file. */
export const places = {
  '193.0.14.0/24': {
    country: { iso_code: 'NL' },
    city: { names: { en: 'Amsterdam' } },
    autonomous_system_number: 64_496,
    autonomous_system_organization: 'Lab Hosting Cooperative',
  },
}

/** IANA's file of registries (RFC 9224), with the lab's for the suffix of the shops. */
export function writeBootstrap(directory: string): string {
  const path = join(directory, 'rdap_bootstrap.json')
  writeFileSync(path, JSON.stringify({ version: '1.0', services: [[['uk', 'lab'], ['https://registry.lab/']]] }))
  return path
}

export type SiteProtocol = 'h2' | 'http/1.1'

export interface LabSettings {
  readonly round_trip_ms: number
  /** What the server of the shops speaks. */
  readonly protocol: SiteProtocol
  /** Whether the site can hold its responses. */
  readonly holds: boolean
}

export interface Reachable extends LabSettings {
  readonly resolver: string
  /** PEM. */
  readonly root: string
  /** Loopback ports by `address port`. */
  readonly ports: Readonly<Record<string, number>>
}

export interface LabTraffic {
  readonly queries: readonly { readonly name: string; readonly type: string }[]
  /** At the shops. A connection has the same number for all of its requests. */
  readonly site: readonly { readonly connection: number; readonly secure: boolean; readonly url: string }[]
  /** At all other hosts of the lab. */
  readonly handshakes: number
  readonly requests: readonly { readonly host: string; readonly url: string; readonly secure: boolean }[]
}

export interface Lab extends Pick<Child, 'end'> {
  readonly reachable: Reachable
  /** Traffic that reached the lab since the last call. */
  traffic(): Promise<LabTraffic>
  /** From now on, requests for the page wait. */
  hold(): Promise<void>
  /** The number of waiting requests. */
  held(): Promise<number>
  /** Answers waiting requests, and further ones at once. */
  release(): Promise<void>
  /** For processes that need to trust the lab's certificates. */
  readonly env: Readonly<Record<string, string>>
}

export async function startLab(settings: Partial<LabSettings> = {}): Promise<Lab> {
  const child = startChild('site', { core: CORE.helper })
  const fullSettings: LabSettings = { round_trip_ms: 0, holds: false, protocol: 'h2', ...settings }
  const reachable = await child.ask<Reachable>('start', fullSettings)
  const file = join(scratch(), 'root.pem')
  writeFileSync(file, reachable.root)
  return {
    reachable,
    env: { NODE_EXTRA_CA_CERTS: file },
    traffic: () => child.ask('traffic'),
    hold: () => child.ask('hold'),
    held: () => child.ask('held'),
    release: () => child.ask('release'),
    end: child.end,
  }
}

/** Connects after one round trip, like TCP (RFC 9293 section 3.5). */
export function dialTo({ ports, round_trip_ms }: Reachable): Dial {
  return (address, port) => {
    const socket = new Socket()
    const connect = () => {
      if (!socket.destroyed)
        socket.connect({ host: '127.0.0.1', port: ports[`${address} ${port}`] ?? 1, noDelay: true })
    }
    if (round_trip_ms === 0) connect()
    else setTimeout(connect, round_trip_ms)
    return socket
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Latency in user space: a relay to the loopback port that delays every chunk by `delay_ms` each way. Resolves with its port. */
function relayTo(port: number, delayMs: number): Promise<number> {
  return listen(
    createServer({ noDelay: true, allowHalfOpen: true }, near => {
      const far = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
      delay(near, far, delayMs)
      delay(far, near, delayMs)
    }),
  )
}

/** Timers of equal length fire in order, so chunks stay in order. */
function delay(from: Socket, to: Socket, delayMs: number): void {
  from.on('data', chunk => setTimeout(() => to.write(chunk), delayMs))
  from.on('end', () => setTimeout(() => to.end(), delayMs))
  from.on('error', () => {})
  from.on('close', () => setTimeout(() => to.destroy(), delayMs))
}

let siteRequests: LabTraffic['site'][number][] = []

/** The ports of the shops. */
async function startShops(authority: Authority, protocol: SiteProtocol): Promise<{ http: number; https: number }> {
  const answer = (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const { url } = request
    siteRequests.push({ connection: request.socket.remotePort ?? 0, secure: true, url })
    const { status = 200, headers = [], body } = responseTo(url)
    for (const [name, value] of headers) response.setHeader(name.toLowerCase(), value)
    response.writeHead(status)
    response.end(body ?? '')
  }
  const contexts = new Map<string, SecureContext>()
  const contextOf = (name: string) => {
    const context = contexts.get(name) ?? createSecureContext(authority.issue({ names: [name] }))
    contexts.set(name, context)
    return context
  }
  const secure = createSecureServer({
    allowHTTP1: true,
    ALPNProtocols: protocol === 'h2' ? ['h2', 'http/1.1'] : ['http/1.1'],
    SNICallback: (name, done) => done(null, contextOf(name)),
  })
  secure.on('request', answer)
  const plain = createHttpServer((request, response) => {
    siteRequests.push({ connection: request.socket.remotePort ?? 0, secure: false, url: request.url ?? '/' })
    response.writeHead(301, { Location: `https://${request.headers.host}${request.url}` }).end()
  })
  return { http: await listen(plain), https: await listen(secure) }
}

let lab: LabInternet

async function start(settings: LabSettings): Promise<Reachable> {
  const { round_trip_ms, holds, protocol } = settings
  lab = await startLabInternet(hosts, {
    delay_ms: round_trip_ms,
    fault: ({ name }) => {
      const records = shopRecords(name)
      return records === null ? undefined : { records }
    },
  })
  const root = createAuthority()
  const shops = await startShops(root.subordinate(), protocol)
  lab.web.place(shopAddress, 80, shops.http)
  lab.web.place(shopAddress, 443, shops.https)
  if (holds) await answerWhenReleased()
  const ports: Record<string, number> = {}
  for (const [place, destination] of lab.web.places) {
    if (typeof destination !== 'number') continue
    ports[place] = round_trip_ms === 0 ? destination : await relayTo(destination, round_trip_ms / 2)
  }
  return { ...settings, resolver: lab.dns.address, root: `${lab.root}${root.certificate}`, ports }
}

/** Requests that wait for the page; null while responses are not held. */
let heldResponses: Set<() => void> | null = null

/** Replaces the site. */
function answerWhenReleased(): Promise<void> {
  const wait = () => new Promise<void>(resolve => (heldResponses ? heldResponses.add(resolve) : resolve()))
  const page = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\n.'
  return lab.web.script(
    HELD_SITE.address,
    443,
    [request(), wait, send(page), close()],
    selfSign({ names: [HELD_SITE.domain] }),
  )
}

function hold(): void {
  heldResponses = new Set()
}

function release(): void {
  for (const resolve of heldResponses ?? []) resolve()
  heldResponses = null
}

const reportedCounts = { queries: 0, handshakes: 0, requests: 0 }

/** Traffic that reached the lab since the last call. */
function traffic(): LabTraffic {
  const { handshakes, requests } = lab.web.seen
  const { queries } = lab.dns
  const newTraffic = {
    queries: queries.slice(reportedCounts.queries).map(({ name, type }) => ({ name, type })),
    site: siteRequests,
    handshakes: handshakes.length - reportedCounts.handshakes,
    requests: requests.slice(reportedCounts.requests).map(({ host, url, secure }) => ({ host, url, secure })),
  }
  siteRequests = []
  Object.assign(reportedCounts, { queries: queries.length, handshakes: handshakes.length, requests: requests.length })
  return newTraffic
}

export const tasks: Tasks = { start, traffic, hold, held: () => heldResponses?.size ?? 0, release }
