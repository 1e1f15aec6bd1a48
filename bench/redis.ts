// Instances on one Redis: the throughput of two compared with one, whether four keep an exact quota, and how fast it is counted.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startLabDns } from '../src/testing/lab_dns.ts'
import { ask, closedLoop } from './client.ts'
import { createKey, type Instance, type InstanceSettings, startInstance } from './instance.ts'
import { counts } from './redis_counts.ts'
import type { Row } from './report.ts'

const quota = 10_000
const requests = 20_000
const together = 500
const seconds = 6
const instances = 4
const domain = 'points-inside.lab'

export async function redis(): Promise<readonly Row[]> {
  const dns = await startLabDns({ zones: { [domain]: { A: ['10.0.0.5'] } } })
  const [server, results] = await Promise.all([startServer(), startServer()])
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const settingsOf = (n: number): InstanceSettings => ({
    directory: join(directory, `${n}`),
    resolver: dns.address,
    config: {
      store: server.url,
      // On a busy machine a late reply would count as an outage, and answers would be refused.
      redis: { command_ms: 5_000 },
      plans: { exact: { quota, period: 'month' }, bench: { quota: 1_000_000_000, period: 'month' } },
    },
  })
  const exact = createKey(settingsOf(0), 'exact')
  const bench = createKey(settingsOf(0), 'bench')
  const all: Instance[] = []
  try {
    for (let n = 0; n < instances; n++) all.push(await startInstance(settingsOf(n)))
    const one = await throughput(all.slice(0, 1), bench)
    const two = await throughput(all.slice(0, 2), bench)
    const answered = await exactly(all, exact)
    const alone = await embedded(directory, dns.address)
    return [
      {
        what: `the same from one process on its own file`,
        measured: `${alone}`,
        beside: `quota: ${quota}`,
        ratio: alone / quota,
        target: { least: 1 },
      },
      {
        what: `answers to ${requests} requests, ${together} at once, over ${instances} processes on one Redis`,
        measured: `${answered}`,
        beside: `quota: ${quota}`,
        ratio: answered / quota,
        target: { least: 1 },
      },
      {
        what: 'kept answers, two instances',
        measured: `${two.toFixed(0)}/s`,
        beside: `one: ${one.toFixed(0)}/s`,
        ratio: two / one,
      },
      ...(await counts({ store: server.url, results: results.url }, directory)),
    ]
  } finally {
    await Promise.all(all.map(instance => instance.kill('SIGKILL')))
    server.end()
    results.end()
    await dns.close()
    rmSync(directory, { recursive: true })
  }
}

/** Answers per second of one process without Redis. */
async function embedded(directory: string, resolver: string): Promise<number> {
  const settings = {
    directory: join(directory, 'embedded'),
    resolver,
    config: { plans: { exact: { quota, period: 'month' } } },
  }
  const key = createKey(settings, 'exact')
  const instance = await startInstance(settings)
  try {
    return await exactly([instance], key)
  } finally {
    await instance.kill('SIGKILL')
  }
}

const target = ({ url }: Instance) => `${url}/api/v1/check?domain=${domain}`

/** Answers per second to 64 clients that rotate through the instances. */
async function throughput(served: readonly Instance[], key: string): Promise<number> {
  for (const instance of served) await ask({ url: target(instance), key })
  const end = performance.now() + seconds * 1_000
  let turn = 0
  const next = () => {
    const instance = served[turn++ % served.length]
    return instance && performance.now() < end ? { url: target(instance), key } : null
  }
  const answers = await closedLoop(64, next)
  if (answers.some(({ status }) => status !== 200)) throw new Error('not all were answered')
  return answers.length / seconds
}

/** The number of answers. Throws if any other request got a response other than 429. */
async function exactly(served: readonly Instance[], key: string): Promise<number> {
  let turn = 0
  const next = () => {
    const instance = served[turn % served.length]
    return instance && turn++ < requests ? { url: target(instance), key } : null
  }
  const answers = await closedLoop(together, next)
  const answered = answers.filter(({ status }) => status === 200).length
  const refused = answers.filter(({ status }) => status === 429).length
  if (answered + refused !== requests) {
    throw new Error(
      `${answered} answered and ${refused} refused of ${requests}: ${JSON.stringify(answers.find(({ status }) => status !== 200 && status !== 429))}`,
    )
  }
  return answered
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return address !== null && typeof address === 'object' ? address.port : 0
}

/** A Redis in memory alone. */
export async function startServer(): Promise<{ url: string; end(): void }> {
  const port = await freePort()
  const child = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', '/tmp'], {
    stdio: 'ignore',
  })
  process.once('exit', () => child.kill('SIGKILL'))
  await pause(1_000)
  return { url: `redis://127.0.0.1:${port}`, end: () => child.kill('SIGKILL') }
}
