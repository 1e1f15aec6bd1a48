// Asks a WHOIS server about a domain (RFC 3912): one line, one answer, no referral followed.
import { onAbort } from '../../network/abort.ts'
import { hostAddresses } from '../../network/host.ts'
import type { CheckNetwork } from '../../network/network.ts'
import type { Answer } from './answer.ts'
import type { Question } from './rdap.ts'
import { readWhois } from './whois_answer.ts'
import type { WhoisServer } from './whois_servers.ts'

const PORT = 43
/** Octets: ten times a usual answer; what is over is not waited for. */
const ANSWER_BYTES = 64 * 1024

type Connection = Extract<Awaited<ReturnType<CheckNetwork['connect']>>, { ok: true }>['socket']

/** Never rejects. */
export async function askWhois(
  network: CheckNetwork,
  server: WhoisServer,
  domain: string,
  { now, signal }: Question,
): Promise<Answer> {
  const found = await hostAddresses(network, server.host, signal)
  if (!found.ok) return { ok: false, failure: found.failure === 'not_found' ? 'host_not_found' : found.failure }
  const connected = await network.connect({ addresses: found.addresses, port: PORT, signal })
  if (!connected.ok) return { ok: false, failure: connected.failure }
  const octets = await converse(connected.socket, `${server.query}\r\n`, signal)
  if (octets === null) return { ok: false, failure: signal.aborted ? 'cancelled' : 'reset' }
  const reading = readWhois(octets, domain, now)
  return !reading.ok && reading.failure === 'limited' ? { ...reading, pause: { retry_after: null } } : reading
}

/** All that is sent until the server closes, cut; null when the connection broke or the signal aborted. */
function converse(socket: Connection, query: string, signal: AbortSignal): Promise<Buffer | null> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let left = ANSWER_BYTES
    const end = (whole: boolean) => {
      stop()
      resolve(whole ? Buffer.concat(chunks) : null)
      socket.destroy()
    }
    const stop = onAbort(signal, () => end(false))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) end(true)
    })
    socket.once('end', () => end(true)).once('close', () => end(false))
    if (signal.aborted) end(false)
    else socket.write(query)
  })
}
