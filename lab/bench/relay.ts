// Network latency in user space: a TCP relay that delays every chunk in both directions.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Resolves with the port of a relay to the loopback port with a delay of `delay_ms` each way. */
export async function relayTo(port: number, delay_ms: number): Promise<number> {
  const server = createServer({ noDelay: true, allowHalfOpen: true }, near => {
    const far = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
    delayed(near, far, delay_ms)
    delayed(far, near, delay_ms)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Timers of equal length fire in order, so chunks stay in order. */
function delayed(from: Socket, to: Socket, delay_ms: number): void {
  from.on('data', chunk => setTimeout(() => to.write(chunk), delay_ms))
  from.on('end', () => setTimeout(() => to.end(), delay_ms))
  from.on('error', () => {})
  from.on('close', () => setTimeout(() => to.destroy(), delay_ms))
}
