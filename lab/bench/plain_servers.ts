// The references for the service: servers that send one prepared body from a map and do nothing else.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Koa from 'koa'
import { answerTasks } from './child.ts'

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

answerTasks({
  /** Resolves with the port. */
  async serve({ kind, domain, body }: { kind: string; domain: string; body: string }): Promise<number> {
    const handler = handlers[kind]
    if (!handler) throw new Error(`no server ${kind}`)
    const server = createServer(handler(new Map([[domain, Buffer.from(body)]])))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  },
})
