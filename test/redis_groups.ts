// Several Redis servers that belong together, on loopback: a primary with its successor behind Sentinels, and a cluster.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { createClient } from '@redis/client'
import { asAdmin, type RedisServer, startRedis } from './redis_server.ts'

type Client = ReturnType<typeof createClient>

/** Milliseconds that servers may take to find each other on a busy machine. */
const PATIENCE_MS = 20_000

export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not so: ${holds}`)
    await pause(20)
  }
}

async function isPrimary(url: string): Promise<boolean> {
  let role = ''
  await asAdmin(url, async (client: Client) => {
    role = await client.info('replication')
  })
  return role.includes('role:master')
}

export interface SentinelGroup {
  readonly primary: RedisServer
  readonly replica: RedisServer
  /** Names a Sentinel that is not there before the one that is. */
  readonly url: string
  /** Kills the primary; resolves when the replica has taken over. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

export async function startSentinelGroup(): Promise<SentinelGroup> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-test-'))
  const primary = await startRedis(undefined, ['--repl-diskless-sync-delay', '0'])
  const replica = await startRedis(undefined, ['--replicaof', '127.0.0.1', `${primary.port}`])
  // Until then a Sentinel would not know the replica, and asks again only after ten seconds.
  await asAdmin(replica.url, (client: Client) =>
    until(async () => (await client.info('replication')).includes('master_link_status:up')),
  )
  const file = join(directory, 'sentinel.conf')
  writeFileSync(
    file,
    `sentinel monitor accounts 127.0.0.1 ${primary.port} 1\nsentinel down-after-milliseconds accounts 300\n`,
  )
  const sentinel = await startRedis(undefined, [], file)
  return {
    primary,
    replica,
    url: `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/accounts`,
    async failOver() {
      await primary.kill('SIGKILL')
      // The Sentinel closes the connections of the server that it promotes.
      await until(() => isPrimary(replica.url).catch(() => false))
    },
    async stop() {
      await Promise.all([primary, replica, sentinel].map(server => server.stop()))
      rmSync(directory, { recursive: true })
    },
  }
}

export interface Cluster {
  /** Each serves a part of the slots, in their order. */
  readonly nodes: readonly RedisServer[]
  stop(): Promise<void>
}

const SLOTS = 16_384

export async function startCluster(size: number): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-test-'))
  const options = ['--cluster-enabled', 'yes', '--cluster-require-full-coverage', 'no', '--dir', directory]
  const nodes: RedisServer[] = []
  for (let n = 0; n < size; n++) {
    const node = await startRedis(undefined, [...options, '--cluster-config-file', `node-${n}`])
    nodes.push(node)
    const [from, to] = [n, n + 1].map(at => Math.floor((SLOTS * at) / size))
    await asAdmin(node.url, async (client: Client) => {
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${Number(to) - 1}`])
      if (n > 0) await client.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', `${nodes[0]?.port}`])
    })
  }
  for (const { url } of nodes) {
    await asAdmin(url, (client: Client) =>
      until(async () => {
        const info = String(await client.sendCommand(['CLUSTER', 'INFO']))
        return info.includes('cluster_state:ok') && info.includes(`cluster_slots_assigned:${SLOTS}`)
      }),
    )
  }
  return {
    nodes,
    async stop() {
      await Promise.all(nodes.map(node => node.stop()))
      rmSync(directory, { recursive: true })
    },
  }
}
