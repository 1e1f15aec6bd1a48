// Queries a registry's WHOIS server for a domain (RFC 3912): one line, one answer, no referral followed.
import { type Static, Type } from 'typebox'
import { onAbort } from '../../base/abort.ts'
import { dataFile } from '../../base/data_file.ts'
import { closestSuffix } from '../../knowledge/datasets/bootstrap.ts'
import { hostAddresses } from '../../network/host_addresses.ts'
import type { CheckNetwork } from '../../network/network.ts'
import data from './data/whois_servers.json' with { type: 'json' }
import type { RegistrationFacts } from './facts.ts'
import type { RegistryAnswer, RegistryQuestion } from './registry.ts'
import { readWhois } from './whois_answer.ts'

const PORT = 43
/** Ten times a usual answer; the rest of a longer one is dropped. */
const ANSWER_BYTES = 64 * 1024

type Connection = Extract<Awaited<ReturnType<CheckNetwork['connect']>>, { ok: true }>['socket']

/** Never rejects. */
export async function askWhois(
  network: CheckNetwork,
  server: WhoisServer,
  domain: string,
  { now, signal }: RegistryQuestion,
): Promise<RegistryAnswer<RegistrationFacts>> {
  const resolution = await hostAddresses(network, server.host, signal)
  if (!resolution.ok)
    return { ok: false, failure: resolution.failure === 'not_found' ? 'host_not_found' : resolution.failure }
  const connectResult = await network.connect({ addresses: resolution.addresses, port: PORT, signal })
  if (!connectResult.ok) return { ok: false, failure: connectResult.failure }
  const octets = await readAll(connectResult.socket, `${server.query}\r\n`, signal)
  if (octets === null) return { ok: false, failure: signal.aborted ? 'cancelled' : 'reset' }
  const reading = readWhois(octets, domain, now)
  return !reading.ok && reading.failure === 'limited' ? { ...reading, pause: { retry_after: null } } : reading
}

/** Sends the query and reads until the server closes, up to the limit; null when the connection breaks or the signal aborts. */
function readAll(socket: Connection, query: string, signal: AbortSignal): Promise<Buffer | null> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let octetsLeft = ANSWER_BYTES
    const end = (whole: boolean) => {
      stop()
      resolve(whole ? Buffer.concat(chunks) : null)
      socket.destroy()
    }
    const stop = onAbort(signal, () => end(false))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, octetsLeft))
      octetsLeft -= chunk.length
      if (octetsLeft <= 0) end(true)
    })
    socket.once('end', () => end(true)).once('close', () => end(false))
    if (signal.aborted) end(false)
    else socket.write(query)
  })
}

export interface WhoisServer {
  readonly host: string
  /** The query without the line end. */
  readonly query: string
}

export const WhoisServersFile = dataFile({
  servers: Type.Array(
    Type.Object(
      {
        host: Type.String({ minLength: 1 }),
        suffixes: Type.Array(Type.String({ pattern: '^[a-z0-9.-]+$' }), { minItems: 1, uniqueItems: true }),
        query: Type.Optional(
          Type.String({ pattern: '\\*', description: 'If it needs more than the bare name, for which `*` stands.' }),
        ),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
})
type ServerEntry = Static<typeof WhoisServersFile>['servers'][number]

const bySuffix: ReadonlyMap<string, ServerEntry> = new Map(
  data.servers.flatMap(server => server.suffixes.map(suffix => [suffix, server] as const)),
)

/** The server for the domain and its query; null when none is known. */
export function whoisServer(domain: string): WhoisServer | null {
  const server = closestSuffix(bySuffix, domain)
  return server === null ? null : { host: server.host, query: (server.query ?? '*').replace('*', domain) }
}
