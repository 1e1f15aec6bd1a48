// The lab internet with its one healthy site, in a process of its own; every answer is as far away as it is told.
import { selfSign } from '../src/testing/lab_ca.ts'
import { type LabInternet, startLabInternet } from '../src/testing/lab_internet.ts'
import { request, send, wait } from '../src/testing/lab_script.ts'
import { blockLists } from './block_lists.ts'
import { answerTasks } from './child.ts'
import { address, domain, healthySite } from './healthy_site.ts'
import type { LabSettings, LabTraffic, Reachable } from './lab.ts'
import { relayTo } from './relay.ts'

let lab: LabInternet

async function start({ round_trip_ms, holds }: LabSettings): Promise<Reachable> {
  lab = await startLabInternet([healthySite, ...blockLists], { delay_ms: round_trip_ms })
  if (holds) await hold()
  const ports: Record<string, number> = {}
  for (const [place, destination] of lab.web.places) {
    if (typeof destination !== 'number') continue
    ports[place] = round_trip_ms === 0 ? destination : await relayTo(destination, round_trip_ms / 2)
  }
  return { resolver: lab.dns.address, root: lab.root, ports, round_trip_ms }
}

let held = 0

/** Instead of the site: head and body come at the last moment before a check gives up waiting for either. */
function hold(): Promise<void> {
  const count = () => void held++
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\n'
  const steps = [request(), count, wait(HEAD_MS), send(head), wait(BODY_MS), send('.')]
  return lab.web.script(address, 443, steps, selfSign({ names: [domain] }))
}

const HEAD_MS = 2_700
const BODY_MS = 4_000

const told = { queries: 0, handshakes: 0, requests: 0 }

/** What has reached the lab since the last time. */
function traffic(): LabTraffic {
  const { handshakes, requests } = lab.web.seen
  const { queries } = lab.dns
  const news = {
    queries: queries.slice(told.queries).map(({ name, type }) => ({ name, type })),
    handshakes: handshakes.length - told.handshakes,
    requests: requests.slice(told.requests).map(({ host, url, secure }) => ({ host, url, secure })),
  }
  Object.assign(told, { queries: queries.length, handshakes: handshakes.length, requests: requests.length })
  return news
}

answerTasks({ start, traffic, held: () => held })
