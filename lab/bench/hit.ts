// A cached answer of about 4 KiB, including key check and durable quota, compared with servers that send the same bytes from a map.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Koa from 'koa'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import {
  CORE,
  inTurns,
  load,
  medianOf,
  type Row,
  ratioOf,
  scratch,
  sized,
  startChild,
  type Tasks,
  type Throughput,
} from './harness.ts'
import { createKey, DNS_ALONE, startInstance } from './service.ts'

const rounds = sized(5, 1)
/** Rounds before the measured ones: V8 compiles for about ten seconds under load. */
const warming = sized(3, 0)
const seconds = sized(3, 1)
const connections = 64

/** A check of it ends after DNS; the answer has the wanted size. */
const domain = DNS_ALONE

const plain = { koa_router: 'Koa + @koa/router', koa: 'bare Koa', node_http: 'bare node:http' } as const

export async function hit(): Promise<readonly Row[]> {
  const dns = await startLabDns({ zones: { [domain]: { A: ['127.0.0.1', '10.0.0.5'] } } })
  const settings = {
    directory: scratch(),
    resolver: dns.address,
    core: CORE.measured,
    config: { log: { level: 'info' } },
  }
  const key = createKey(settings)
  const assay = await startInstance(settings)
  const url = `${assay.url}/api/v1/check?domain=${domain}`
  const body = await cachedBody(url, { 'X-API-Key': key })
  const servers = await Promise.all(Object.keys(plain).map(kind => startPlain(kind, body)))
  const measures = { assay: () => load({ url, key, connections, seconds, pid: assay.pid }) }
  for (const { kind, url, pid } of servers) {
    Object.assign(measures, { [kind]: () => load({ url, connections, seconds, pid }) })
  }
  await inTurns(measures, warming)
  const figures = (await inTurns(measures, rounds)) as Readonly<Record<string, readonly Throughput[]>>
  await Promise.all([assay.kill('SIGTERM'), dns.close(), ...servers.map(({ end }) => end())])
  return Object.entries(plain).flatMap(([kind, name]) =>
    rowsFor(name, figures['assay'] ?? [], figures[kind] ?? [], body.length),
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
  const child = startChild('hit', { core: CORE.measured })
  const port = await child.ask<number>('serve', { kind, domain, body })
  const url = `http://127.0.0.1:${port}/api/v1/check?domain=${domain}`
  return { kind, url, pid: child.pid, end: child.end }
}

function rowsFor(name: string, ours: readonly Throughput[], theirs: readonly Throughput[], octets: number): Row[] {
  const perSecond = (figures: readonly Throughput[]) => `${Math.round(medianOf(figures, one => one.per_second))}/s`
  const cpu = (figures: readonly Throughput[]) => `${Math.round(medianOf(figures, one => one.cpu_us))} µs`
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

type Bodies = ReadonlyMap<string, Buffer>

const json = 'application/json; charset=utf-8'

const handlers: Readonly<Record<string, (bodies: Bodies) => RequestListener>> = {
  koa_router(bodies) {
    const router = new Router()
    router.get('/api/v1/check', ctx => {
      ctx.type = json
      ctx.body = bodies.get(String(ctx.query['domain']))
    })
    return new Koa().use(router.routes()).callback()
  },
  koa: bodies =>
    new Koa()
      .use(ctx => {
        ctx.type = json
        ctx.body = bodies.get(String(ctx.query['domain']))
      })
      .callback(),
  node_http: bodies => (request, response) => {
    const body = bodies.get((request.url ?? '').split('domain=')[1] ?? '')
    response.writeHead(200, { 'Content-Type': json, 'Content-Length': body?.length ?? 0 }).end(body)
  },
}

export const tasks: Tasks = {
  /** Resolves with the port. */
  async serve({ kind, domain, body }: { kind: string; domain: string; body: string }): Promise<number> {
    const handler = handlers[kind]
    if (!handler) throw new Error(`no server ${kind}`)
    const server = createServer(handler(new Map([[domain, Buffer.from(body)]])))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  },
}
