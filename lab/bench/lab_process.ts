// The simulated Internet with one healthy site, many shops and the third parties that checks ask, in a separate process,
// with a configurable round trip.
import { createAuthority, selfSign } from '../../src/testing/lab_ca.ts'
import { type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { close, request, send } from '../../src/testing/lab_script.ts'
import { blockLists } from './block_lists.ts'
import { answerTasks } from './child.ts'
import { address, deepPages, domain, healthySite, inside, manyShops } from './healthy_site.ts'
import type { LabSettings, LabTraffic, Reachable } from './lab.ts'
import { relayTo } from './relay.ts'
import { type ShopServer, startShopServer } from './shop_server.ts'
import { shopAddress, shopRecords } from './shops.ts'
import { upstreamHosts } from './upstream_hosts.ts'

let lab: LabInternet
let shops: ShopServer

async function start({ round_trip_ms, holds, protocol }: LabSettings): Promise<Reachable> {
  const hosts = [healthySite, manyShops, deepPages, inside, ...blockLists, ...upstreamHosts]
  lab = await startLabInternet(hosts, {
    delay_ms: round_trip_ms,
    fault: ({ name }) => {
      const records = shopRecords(name)
      return records === null ? undefined : { records }
    },
  })
  const root = createAuthority()
  shops = await startShopServer(root.subordinate(), protocol)
  lab.web.place(shopAddress, 80, shops.http)
  lab.web.place(shopAddress, 443, shops.https)
  if (holds) await answerWhenReleased()
  const ports: Record<string, number> = {}
  for (const [place, destination] of lab.web.places) {
    if (typeof destination !== 'number') continue
    ports[place] = round_trip_ms === 0 ? destination : await relayTo(destination, round_trip_ms / 2)
  }
  const { software } = shops
  const roots = `${lab.root}${root.certificate}`
  return { resolver: lab.dns.address, root: roots, ports, round_trip_ms, holds, protocol, software }
}

/** Requests that wait for the page; null while responses are not held. */
let held: Set<() => void> | null = null

/** Replaces the site. */
function answerWhenReleased(): Promise<void> {
  const wait = () => new Promise<void>(resolve => (held ? held.add(resolve) : resolve()))
  const page = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\n.'
  return lab.web.script(address, 443, [request(), wait, send(page), close()], selfSign({ names: [domain] }))
}

function hold(): void {
  held = new Set()
}

function release(): void {
  for (const resolve of held ?? []) resolve()
  held = null
}

const reported = { queries: 0, handshakes: 0, requests: 0 }

/** Traffic that reached the lab since the last call. */
function traffic(): LabTraffic {
  const { handshakes, requests } = lab.web.seen
  const { queries } = lab.dns
  const added = {
    queries: queries.slice(reported.queries).map(({ name, type }) => ({ name, type })),
    site: shops.requests(),
    handshakes: handshakes.length - reported.handshakes,
    requests: requests.slice(reported.requests).map(({ host, url, secure }) => ({ host, url, secure })),
  }
  Object.assign(reported, { queries: queries.length, handshakes: handshakes.length, requests: requests.length })
  return added
}

answerTasks({ start, traffic, hold, held: () => held?.size ?? 0, release })
