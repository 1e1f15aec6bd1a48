// A cached answer of about 4 KiB, including key check and durable quota, compared with servers that send the same bytes from a map.
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { startAssay } from './assay_process.ts'
import { CORE, startChild } from './child.ts'
import { load, type Served } from './load.ts'
import type { Row } from './report.ts'
import { inTurns, medianOf, ratioOf } from './statistics.ts'

const rounds = 5
/** Rounds before the measured ones: V8 compiles for about ten seconds under load. */
const warming = 3
const seconds = 3
const connections = 64

/** Its addresses are not public, so the check ends after DNS; the answer has the wanted size. */
const domain = 'points-inside.lab'

const plain = { koa_router: 'Koa + @koa/router', koa: 'bare Koa', node_http: 'bare node:http' } as const

export async function hit(): Promise<readonly Row[]> {
  const dns = await startLabDns({ zones: { [domain]: { A: ['127.0.0.1', '10.0.0.5'] } } })
  const assay = await startAssay(dns.address)
  const url = `${assay.url}/api/v1/check?domain=${domain}`
  const headers = { 'X-API-Key': assay.key }
  const body = await cachedBody(url, headers)
  const servers = await Promise.all(Object.keys(plain).map(kind => startPlain(kind, body)))
  const measures = { assay: () => load({ url, headers, connections, seconds, pid: assay.pid }) }
  for (const { kind, url, pid } of servers) {
    Object.assign(measures, { [kind]: () => load({ url, connections, seconds, pid }) })
  }
  await inTurns(measures, warming)
  const taken = (await inTurns(measures, rounds)) as Readonly<Record<string, readonly Served[]>>
  await Promise.all([assay.end(), dns.close(), ...servers.map(({ end }) => end())])
  return Object.entries(plain).flatMap(([kind, name]) =>
    rowsFor(name, taken['assay'] ?? [], taken[kind] ?? [], body.length),
  )
}

/** The second answer, which comes from the cache. It is ASCII. */
async function cachedBody(url: string, headers: Record<string, string>): Promise<string> {
  await (await fetch(url, { headers })).text()
  const response = await fetch(url, { headers })
  if (response.headers.get('x-cache') !== 'HIT') throw new Error(`not cached: ${response.status}`)
  return response.text()
}

async function startPlain(kind: string, body: string) {
  const child = startChild('plain_servers', { core: CORE.measured })
  const port = await child.ask<number>('serve', { kind, domain, body })
  const url = `http://127.0.0.1:${port}/api/v1/check?domain=${domain}`
  return { kind, url, pid: child.pid, end: child.end }
}

function rowsFor(name: string, ours: readonly Served[], theirs: readonly Served[], octets: number): Row[] {
  const perSecond = (served: readonly Served[]) => `${Math.round(medianOf(served, one => one.per_second))}/s`
  const cpu = (served: readonly Served[]) => `${Math.round(medianOf(served, one => one.cpu_us))} µs`
  return [
    {
      what: `cached answer (${octets} bytes), requests`,
      measured: perSecond(ours),
      beside: `${name}: ${perSecond(theirs)}`,
      ratio: ratioOf(ours, theirs, one => one.per_second),
      ...(name === plain.koa_router ? { target: { least: 0.75 } } : {}),
    },
    {
      what: 'cached answer, CPU per request',
      measured: cpu(ours),
      beside: `${name}: ${cpu(theirs)}`,
      ratio: ratioOf(ours, theirs, one => one.cpu_us),
    },
  ]
}
