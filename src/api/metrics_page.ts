// Who may read the metrics: they tell how much is asked, and by how many refused, which is nobody's business but the operator's.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Metrics } from './metrics.ts'
import { Problem } from './problem.ts'
import type { Context } from './visit.ts'

/** Fields that a proxy adds: what it brings comes from elsewhere, though its socket is on this machine. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/** Answers 404 to whoever may not, as if there were nothing. `any` asks for no more than reaching the port. */
export const metricsPage =
  (metrics: Metrics, readers: 'any' | 'loopback') =>
  async (ctx: Context): Promise<void> => {
    if (readers === 'loopback' && !isLocal(ctx.req)) throw new Problem('not-found')
    const body = await metrics.text()
    ctx.respond = false
    ctx.res.writeHead(200, {
      'Content-Type': metrics.contentType,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    ctx.res.end(body)
  }

function isLocal({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? ''
  const local = ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
  return local && forwarding.every(name => headers[name] === undefined)
}
