// A service whose log nobody reads, or that cannot be written.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { constants, openSync, writeFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { temporaryDirectory } from '../temporary_directory.ts'
import { type Served, serve } from './served.ts'

/** Requests with a line of some 440 octets each: more than the pipe (64 KiB) and the service (4 MiB) keep. */
const FLOOD = 12_000
/** As many as the pipe does not hold. */
const SOME = 1_000
/** Requests sent ahead of their answers, on one connection. */
const AHEAD = 500
const path = `/${'a'.repeat(250)}`
const id = 'i'.repeat(64)

const directory = temporaryDirectory()
const config = join(directory, 'config.json')
let made = 0
const services: Served[] = []

/** The service with that file as its standard output. */
async function serveInto(file: string): Promise<Served> {
  made += 1
  const settings = {
    server: { port: 0, drain_delay_ms: 0 },
    data: join(directory, `data-${made}`),
    metrics: { expose: 'service' },
    downloads: { enabled: false },
    network: { resolvers: ['127.0.0.1:9'] },
    green_hosting: { enabled: false },
  }
  writeFileSync(config, JSON.stringify(settings))
  const service = serve(['--config', config], { OUT: file }, ['sh', '-c', 'exec "$0" "$@" > "$OUT"'])
  services.push(service)
  await service.url
  return service
}

interface Pipe {
  readonly file: string
  /** Reads when asked to; destroyed, it leaves no reader. */
  readonly reader: Socket
}

function pipe(): Pipe {
  const file = join(directory, `pipe-${made}`)
  execFileSync('mkfifo', [file])
  // Read and write: to open it for reading alone would wait for a writer.
  const reader = new Socket({ fd: openSync(file, constants.O_RDWR | constants.O_NONBLOCK), writable: false })
  return { file, reader: reader.pause() }
}

/** Sends so many requests that have a line each. */
async function flood(url: string, count: number): Promise<void> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  for (let sent = 0; sent < count; sent += AHEAD) {
    const requests = Math.min(AHEAD, count - sent)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`.repeat(requests))
    let answers = 0
    while (answers < requests) {
      const [octets] = (await once(socket, 'data')) as [Buffer]
      answers += octets.toString('latin1').split('HTTP/1.1 404').length - 1
    }
  }
  socket.destroy()
}

/** Resolves when requests have been answered one after the other: a service that waits for its log answers none. */
async function answers(url: string): Promise<void> {
  for (let n = 0; n < 50; n++) assert.equal((await fetch(url + path)).status, 404)
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

async function endsWell(service: Served): Promise<void> {
  service.signal('SIGTERM')
  assert.equal(await service.ended, 0)
}

describe('a service', { timeout: 300_000 }, () => {
  after(() => {
    for (const service of services) service.signal('SIGKILL')
  })

  it('answers with a log that has no reader, reports dropped lines when it is read again, and shuts down in time', async () => {
    const { file, reader } = pipe()
    const service = await serveInto(file)
    const url = await service.url
    await flood(url, FLOOD)
    const dropped = await metric(url, 'assay_log_lines_dropped_total')
    assert.ok(dropped > 0 && dropped < FLOOD, `${dropped} dropped`)
    await answers(url)

    let seen = ''
    for await (const text of reader.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      seen += text
      if (seen.includes('"dropped_lines":')) break
    }
    const lines = seen
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as Record<string, unknown>)
    const told = lines.filter(line => 'dropped_lines' in line)
    const last = await metric(url, 'assay_log_lines_dropped_total')
    assert.deepEqual(
      told.map(({ level, dropped_lines }) => [level, dropped_lines]),
      [['error', last]],
    )
    assert.ok(last >= dropped)

    reader.pause()
    await flood(url, SOME)
    await endsWell(service)
    reader.destroy()
  })

  it('survives the end of its log reader, and shuts down cleanly', async () => {
    const { file, reader } = pipe()
    const service = await serveInto(file)
    const url = await service.url
    reader.destroy()
    await flood(url, SOME)
    await answers(url)
    await endsWell(service)
  })

  it('survives a full log disk, and shuts down cleanly', async () => {
    const service = await serveInto('/dev/full')
    const url = await service.url
    await flood(url, SOME)
    await answers(url)
    await endsWell(service)
  })
})
