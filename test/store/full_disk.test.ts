// A disk that is full under the running service: what cannot be counted is not answered, and it heals by itself.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { assayCommand } from '../assay.ts'
import { firstKey, type Served, serve } from '../cli/served.ts'
import { without, withoutAbility } from '../needs.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { freshDirectory } from './fresh_directory.ts'
import { openStoreIn } from './opened.ts'

const quota = 10_000
/** Octets of the small disk: what a new store takes, and some. */
const disk_bytes = 2 ** 21
/** Octets into a frame of the write-ahead log (24 of header, 4096 of page): it begins and does not end. */
const within_frame = 2_000

let dns: LabDns
before(async () => {
  dns = await startLabDns({ zones: {} })
})
after(() => dns.close())

/** A way to let the disk of a service be full, and not. */
interface Disk {
  /** Runs the service where that can be done to it. */
  readonly through: (data: string) => readonly string[]
  fill(service: Served, data: string, round: number): void
  free(service: Served, data: string): void
}

const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8' })

/** Writes beyond so many octets of any file fail, with EFBIG in the place of ENOSPC; Node ignores the signal. */
function limitFiles({ pid }: Served, bytes: number | 'unlimited'): void {
  const { status, stderr } = run('prlimit', '--pid', String(pid), `--fsize=${bytes}:`)
  assert.equal(status, 0, stderr)
}

/** At first no file may be written at all, then the log ends within its next frame. */
const limited: Disk = {
  through: () => [],
  fill: (service, data, round) =>
    limitFiles(service, round === 1 ? 0 : statSync(join(data, 'assay.db-wal')).size + within_frame),
  free: service => limitFiles(service, 'unlimited'),
}

/** A small file system in a mount namespace of the service's own, seen from here through its process. */
const small: Disk = {
  through: data => {
    const script = `mkdir -p "$0" && mount -t tmpfs -o size=${disk_bytes} tmpfs "$0" && exec "$@"`
    return ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, data]
  },
  fill({ pid }, data) {
    const ballast = ballastIn(pid, data)
    assert.throws(() => writeFileSync(ballast, Buffer.alloc(disk_bytes)), { code: 'ENOSPC' })
  },
  free: ({ pid }, data) => rmSync(ballastIn(pid, data)),
}
const ballastIn = (pid: number, data: string) => join(`/proc/${pid}/root`, data, 'ballast')

const disks: readonly [how: string, disk: Disk, skip: string | false][] = [
  ['no file may grow', limited, without('prlimit')],
  ['the file system has no room', small, withoutAbility('mount namespaces')],
]

/** What the next process would find if this one were killed now. */
async function usedAfterCrash(t: TestContext, { pid }: Served, data: string): Promise<number> {
  const copy = freshDirectory(t)
  cpSync(join(`/proc/${pid}/root`, data), copy, { recursive: true, filter: path => !path.endsWith('ballast') })
  const store = await openStoreIn(copy)
  const [key] = await store.keys.list()
  const { used } = await store.quota.usage(key?.account ?? '', { quota, period: 'month' })
  await store.close()
  return used
}

describe('a full disk', { timeout: 300_000 }, () => {
  for (const [how, { through, fill, free }, skip] of disks) {
    it(`fails only requests that must be counted, and recovers without a restart: ${how}`, { skip }, async t => {
      const directory = temporaryDirectory()
      const data = join(directory, 'data')
      const config = join(directory, 'config.json')
      const plans = { startup: { quota, period: 'month' } }
      const settings = { plans, network: { resolvers: [dns.address] }, downloads: { enabled: false } }
      writeFileSync(config, JSON.stringify(settings))
      const service = serve(['--port', '0', '--config', config, '--data', data], {}, through(data))
      t.after(() => service.signal('SIGKILL'))
      const url = await service.url
      const headers = { 'X-API-Key': firstKey(service) ?? '' }
      const check = async () => {
        const response = await fetch(`${url}/api/v1/check?domain=no-such-name.lab`, { headers })
        const { code } = (await response.json()) as { code?: string }
        return { status: response.status, code, remaining: Number(response.headers.get('x-ratelimit-remaining')) }
      }
      const checks = () => Promise.all(Array.from({ length: 20 }, check))
      const ready = async () => {
        const response = await fetch(`${url}/readyz`)
        const { status, faults } = (await response.json()) as { status: string; faults?: object }
        return [response.status, status, faults]
      }

      for (const { status } of await checks()) assert.equal(status, 200)
      let answered = 20
      assert.deepEqual(await ready(), [200, 'ready', undefined])
      for (const round of [1, 2]) {
        fill(service, data, round)
        for (const { status, code } of await checks()) assert.deepEqual([status, code], [503, 'store-unavailable'])
        assert.deepEqual(await ready(), [503, 'not_ready', { store: 'not-writable' }])
        assert.equal((await fetch(`${url}/healthz`)).status, 200)
        assert.equal(await usedAfterCrash(t, service, data), answered)
        free(service, data)
        // Without a request that writes: a balancer sends none before.
        assert.deepEqual(await ready(), [200, 'ready', undefined])
        answered += 1
        const { status, remaining } = await check()
        assert.deepEqual([status, remaining], [200, quota - answered])
        assert.equal(await usedAfterCrash(t, service, data), answered)
      }
    })
  }
  it('during creation of a store leaves nothing behind', { skip: without('prlimit') }, () => {
    const data = join(temporaryDirectory(), 'data')
    const node = [process.execPath, ...assayCommand()]
    for (const bytes of [4_096, 16_384]) {
      const create = ['keys', 'create', '--plan', 'startup', '--data', data]
      const { status, stderr } = run('prlimit', `--fsize=${bytes}:`, ...node, ...create)
      assert.deepEqual([status, readdirSync(data)], [69, []], stderr)
      assert.match(stderr, /cannot use .* for data: .*disk/)
    }
  })
})
