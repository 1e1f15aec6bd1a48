// Asks Sentinels which server is the primary (https://redis.io/docs/latest/develop/reference/sentinel-clients/). After a
// failover the former primary refuses to write, which drops the connection, and the next attempt asks again.
import { withTimeout } from '../../timeout.ts'
import type { RedisAddress, RedisNode, RedisPlace } from '../redis_place.ts'
import { openClient } from './client.ts'
import { codeOf } from './error_replies.ts'
import { isTexts } from './protocol.ts'

/** No Sentinel answered, or none knows the primary. */
class NoPrimary extends Error {
  override readonly name = 'NoPrimary'
  readonly code = 'no_primary'
}

/** Rejects when no Sentinel names a primary. Each Sentinel may take `wait_ms` milliseconds. */
export async function findPrimary(place: RedisPlace, address: RedisAddress, wait_ms: number): Promise<RedisNode> {
  for (const sentinel of address.nodes) {
    const found = await ask(place, address, sentinel, wait_ms).catch(() => null)
    if (found !== null) return found
  }
  throw new NoPrimary(`no Sentinel names the primary ${address.primary}`)
}

/** Sentinels often have no password although their servers do, so it is sent only when it is required. */
async function ask(place: RedisPlace, address: RedisAddress, sentinel: RedisNode, wait_ms: number) {
  const { username, password, primary } = address
  const open = { ...address, username: '', password: '', database: 0 }
  const client = openClient(place, open, sentinel, wait_ms)
  client.on('error', () => {})
  const query = () => client.sendCommand(['SENTINEL', 'get-master-addr-by-name', primary ?? ''])
  const inquiry = async () => {
    await client.connect()
    const reply = await query().catch(async (fault: unknown) => {
      if (codeOf(fault) !== 'NOAUTH') throw fault
      await client.sendCommand(['AUTH', ...(username === '' ? [] : [username]), password])
      return query()
    })
    return isTexts(reply) && reply.length === 2 ? { host: reply[0] ?? '', port: Number(reply[1]) } : null
  }
  try {
    return await withTimeout(inquiry(), wait_ms)
  } finally {
    if (client.isOpen) client.destroy()
  }
}
