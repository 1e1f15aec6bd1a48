// Whether a load balancer with its default health checks loses requests while an instance drains. Needs `haproxy` in the path.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { freePort } from '../../test/postgres_server.ts'
import { type Answered, ask, isGood, openLoop, type Row, scratch } from './harness.ts'
import { createKey, DNS_ALONE, startDatabase, startInstance } from './service.ts'

const perSecond = 100
/** Seconds of load: the longest delay, the time that running checks may take, and some. */
const seconds = 12
/** The delay of earlier releases, and the default. */
const delaysMs = [500, 5_000] as const

export async function drain(): Promise<readonly Row[]> {
  if (spawnSync('haproxy', ['-v']).error !== undefined) throw new Error('there is no haproxy in the path')
  const directory = scratch()
  const dns = await startLabDns({ zones: { [DNS_ALONE]: { A: ['10.0.0.5'] } } })
  const server = await startDatabase()
  const store = await server.createDatabase()
  try {
    const rows: Row[] = []
    for (const drainDelayMs of delaysMs) {
      const answers = await drained({ directory, store, resolver: dns.address, drain_delay_ms: drainDelayMs })
      const lost = answers.filter(one => !isGood(one)).length
      rows.push({
        what: `requests lost while one of two instances behind haproxy drains, server.drain_delay_ms: ${drainDelayMs}`,
        measured: `${lost}`,
        beside: `of ${answers.length}`,
        ratio: lost / answers.length,
        ...(drainDelayMs === delaysMs[1] && { target: { most: 0 } }),
      })
    }
    return rows
  } finally {
    await server.stop()
    await dns.close()
  }
}

interface Setting {
  readonly directory: string
  readonly store: string
  readonly resolver: string
  readonly drain_delay_ms: number
}

async function drained({ directory, store, resolver, drain_delay_ms }: Setting): Promise<readonly Answered[]> {
  const settingsOf = (name: string) => ({
    directory: join(directory, name),
    resolver,
    config: { store, server: { drain_delay_ms } },
  })
  const key = createKey(settingsOf('one'))
  const instances = await Promise.all(['one', 'two'].map(name => startInstance(settingsOf(name))))
  const port = await freePort()
  const balancer = startBalancer(directory, port, instances)
  const url = `http://127.0.0.1:${port}/api/v1/check?domain=${DNS_ALONE}`
  try {
    while ((await ask({ url, key })).status !== 200) await pause(100)
    const [first] = instances
    setTimeout(() => void first?.kill('SIGTERM'), 1_000)
    return await openLoop(perSecond, seconds, () => ({ url, key }))
  } finally {
    balancer.kill('SIGKILL')
    await Promise.all(instances.map(instance => instance.kill('SIGKILL')))
  }
}

/** With the time-outs of Debian's package, and health checks as they are by default: every two seconds, three for a change. */
function startBalancer(directory: string, port: number, instances: readonly { readonly url: string }[]): ChildProcess {
  const servers = instances.map(({ url }, n) => `  server s${n} ${new URL(url).host} check`)
  const lines = [
    ...['defaults', '  mode http', '  timeout connect 5s', '  timeout client 50s', '  timeout server 50s'],
    ...['listen assay', `  bind 127.0.0.1:${port}`, '  option httpchk GET /readyz', ...servers, ''],
  ]
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(file, lines.join('\n'))
  const child = spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}
