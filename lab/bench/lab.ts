// The lab in another process, reached by its own `dial`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dial } from '../../src/network/network.ts'
import { type Child, CORE, startChild } from './child.ts'
import type { SiteProtocol, SiteRequest } from './shop_server.ts'

export interface LabSettings {
  readonly round_trip_ms: number
  /** What the server of the shops speaks. */
  readonly protocol: SiteProtocol
  /** Whether the site can hold its responses. */
  readonly holds: boolean
}

export interface Reachable {
  readonly resolver: string
  /** PEM. */
  readonly root: string
  /** Loopback ports by `address port`. */
  readonly ports: Readonly<Record<string, number>>
  readonly round_trip_ms: number
  readonly holds: boolean
  readonly protocol: SiteProtocol
  /** The server of the shops. */
  readonly software: string
}

export interface LabTraffic {
  readonly queries: readonly { readonly name: string; readonly type: string }[]
  /** At the shops. */
  readonly site: readonly SiteRequest[]
  /** At all other hosts of the lab. */
  readonly handshakes: number
  readonly requests: readonly { readonly host: string; readonly url: string; readonly secure: boolean }[]
}

export interface Lab extends Pick<Child, 'end'> {
  readonly reachable: Reachable
  /** Traffic that reached the lab since the last call. */
  traffic(): Promise<LabTraffic>
  /** From now on, requests for the page wait. */
  hold(): Promise<void>
  /** The number of waiting requests. */
  held(): Promise<number>
  /** Answers waiting requests, and further ones at once. */
  release(): Promise<void>
  /** For processes that need to trust the lab's certificates. */
  readonly env: Readonly<Record<string, string>>
}

export async function startLab(settings: Partial<LabSettings> = {}): Promise<Lab> {
  const child = startChild('lab_process', { core: CORE.helper })
  const reachable = await child.ask<Reachable>('start', {
    round_trip_ms: 0,
    holds: false,
    protocol: 'h2',
    ...settings,
  })
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const file = join(directory, 'root.pem')
  writeFileSync(file, reachable.root)
  return {
    reachable,
    env: { NODE_EXTRA_CA_CERTS: file },
    traffic: () => child.ask('traffic'),
    hold: () => child.ask('hold'),
    held: () => child.ask('held'),
    release: () => child.ask('release'),
    async end() {
      await child.end()
      rmSync(directory, { recursive: true })
    },
  }
}

/** Connects after one round trip, like TCP (RFC 9293 section 3.5). */
export function dialTo({ ports, round_trip_ms }: Reachable): Dial {
  return (address, port) => {
    const socket = new Socket()
    const connect = () => {
      if (!socket.destroyed)
        socket.connect({ host: '127.0.0.1', port: ports[`${address} ${port}`] ?? 1, noDelay: true })
    }
    if (round_trip_ms === 0) connect()
    else setTimeout(connect, round_trip_ms)
    return socket
  }
}
