// One connection to one server, as the link, the search for the primary and the bulk queue make it.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createClient } from '@redis/client'
import type { RedisAddress, RedisNode, RedisPlace } from '../redis_place.ts'
import { withBoundReplies } from './protocol.ts'

/** Commands in flight; beyond that a request is better refused. */
const commands_max = 20_000

/** Does not reconnect by itself. Throws when a file of the place cannot be read. */
export const openClient = (place: RedisPlace, address: RedisAddress, node: RedisNode, connect_ms: number) =>
  withBoundReplies(() =>
    createClient({
      ...credentialsOf(address),
      // Every compatible server understands RESP 2, including Valkey.
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      commandsQueueMaxLength: commands_max,
      // The link has a time limit of its own, and a second timer for each command costs as much as the command.
      commandOptions: { timeout: 0 },
      // The link reconnects, so that only one attempt is in flight and none is forgotten.
      socket: { ...socketOf(place, address, node), connectTimeout: connect_ms, reconnectStrategy: false },
    }),
  )

export type RedisClient = ReturnType<typeof openClient>

export const credentialsOf = ({ username, password, database }: RedisAddress) => ({
  ...(username !== '' && { username }),
  ...(password !== '' && { password }),
  database,
})

/** Options of the socket. Files are read each time, because certificates are renewed. */
export function socketOf(place: RedisPlace, { is_encrypted }: RedisAddress, { host, port }: RedisNode) {
  const common = { host, port, keepAlive: true, noDelay: true }
  if (!is_encrypted) return common
  const { ca_file, cert_file, key_file } = place
  return {
    ...common,
    tls: true as const,
    // The client sends no server name (RFC 6066 section 3), which servers with several certificates need.
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca_file && { ca: readFileSync(ca_file) }),
    ...(cert_file && { cert: readFileSync(cert_file) }),
    ...(key_file && { key: readFileSync(key_file) }),
  }
}
