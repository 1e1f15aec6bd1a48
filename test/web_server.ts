// Real web servers on free ports of loopback, with the same small site and logs of what they were asked.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Credentials } from '../src/testing/lab_ca.ts'
import { without } from './needs.ts'
import { temporaryDirectory } from './temporary_directory.ts'

export interface Logged {
  /** The same for all requests of one connection. */
  readonly connection: string
  readonly path: string
}

export interface WebServer {
  /** Speaks TLS. */
  readonly port: number
  /** Ends the server, so that its log is complete. */
  stop(): Promise<readonly Logged[]>
}

interface Setup {
  /** Holds the configuration, the certificate as `cert.pem`, its key as `key.pem`, and the site below `site`. */
  readonly directory: string
  readonly port: number
}

interface Software {
  readonly program: string
  /** Writes its configuration; returns its command line. Its output is its log. */
  start(setup: Setup): readonly string[]
  /** The request that a line of the log tells of, if any. */
  readonly logged: RegExp
}

const nginx = (listen: string): Software => ({
  program: 'nginx',
  logged: /^asked (?<connection>\d+) (?<path>\S+)$/,
  start({ directory, port }) {
    const isRoot = process.getuid?.() === 0
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const config = `
daemon off; worker_processes 1; pid ${directory}/pid; error_log stderr; ${isRoot ? 'user root;' : ''}
events {}
http {
  types { text/html html; text/plain txt; application/xml xml; }
  log_format asked 'asked $connection $request_uri';
  access_log /dev/stdout asked;
  ${temporary.map(name => `${name}_temp_path ${directory}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port} ${listen};
    ssl_certificate ${directory}/cert.pem; ssl_certificate_key ${directory}/key.pem;
    root ${directory}/site;
  }
}`
    writeFileSync(join(directory, 'nginx.conf'), config)
    return ['nginx', '-e', 'stderr', '-p', directory, '-c', join(directory, 'nginx.conf')]
  },
})

const h2o: Software = {
  program: 'h2o',
  logged: /^asked (?<connection>\d+) (?<path>\S+)$/,
  start({ directory, port }) {
    const config = {
      listen: {
        host: '127.0.0.1',
        port,
        ssl: { 'certificate-file': `${directory}/cert.pem`, 'key-file': `${directory}/key.pem` },
      },
      'num-threads': 1,
      ...(process.getuid?.() === 0 ? { user: 'root' } : {}),
      'access-log': { path: '/dev/stdout', format: 'asked %{connection-id}x %U' },
      hosts: { default: { paths: { '/': { 'file.dir': `${directory}/site` } } } },
    }
    // YAML reads JSON
    writeFileSync(join(directory, 'h2o.yaml'), JSON.stringify(config))
    return ['h2o', '-c', join(directory, 'h2o.yaml')]
  },
}

/** Speaks nothing but HTTP/2. */
const nghttpd: Software = {
  program: 'nghttpd',
  logged: /^\[id=(?<connection>\d+)\].*stream_id=\d+\) :path: (?<path>\S+)$/,
  start: ({ directory, port }) => [
    'nghttpd',
    '--verbose',
    '-a',
    '127.0.0.1',
    '-d',
    `${directory}/site`,
    `${port}`,
    `${directory}/key.pem`,
    `${directory}/cert.pem`,
  ],
}

/** Its threads leave a request that came early in a buffer, and wait for the next one on the socket. */
const gunicorn: Software = {
  program: 'gunicorn',
  logged: /^asked (?<connection>\d+) (?<path>\S+)$/,
  start({ directory, port }) {
    const application = `
import os
def application(environ, start_response):
    path = environ['PATH_INFO']
    file = os.path.join('site', 'index.html' if path == '/' else path[1:])
    if not os.path.exists(file):
        start_response('404 Not Found', [('Content-Length', '0')])
        return []
    body = open(file, 'rb').read()
    start_response('200 OK', [('Content-Type', 'text/html'), ('Content-Length', str(len(body)))])
    return [body]
`
    writeFileSync(join(directory, 'shop.py'), application)
    return [
      'gunicorn',
      '--chdir',
      directory,
      '--worker-class',
      'gthread',
      '--threads',
      '2',
      '--workers',
      '1',
      '--bind',
      `127.0.0.1:${port}`,
      '--certfile',
      `${directory}/cert.pem`,
      '--keyfile',
      `${directory}/key.pem`,
      '--worker-tmp-dir',
      directory,
      '--access-logfile',
      '-',
      '--access-logformat',
      'asked %({REMOTE_PORT}e)s %(U)s',
      'shop:application',
    ]
  },
}

export const software = {
  'nginx with HTTP/2': nginx('ssl http2'),
  'nginx without HTTP/2': nginx('ssl'),
  h2o,
  nghttpd,
  'gunicorn with threads': gunicorn,
} as const satisfies Readonly<Record<string, Software>>

/** Why tests that need it are left out; false where it is installed. */
export const withoutSoftware = ({ program }: Software): string | false => without(program)

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Files by their path below the root. Rejects when the server does not listen. */
export async function startWebServer(
  { start, logged }: Software,
  { key, cert }: Credentials,
  files: Readonly<Record<string, string>>,
): Promise<WebServer> {
  const directory = temporaryDirectory()
  for (const [path, content] of Object.entries({ 'key.pem': key, 'cert.pem': cert, ...underSite(files) })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  const port = await freePort()
  const [command = '', ...args] = start({ directory, port })
  // A file, because nginx and h2o open their output by its name
  const output = join(directory, 'output')
  const log = openSync(output, 'a')
  const child = spawn(command, args, { stdio: ['ignore', log, log] })
  running.add(child)
  const ended = once(child, 'close').finally(() => running.delete(child))
  await listening(port, child, output)
  return {
    port,
    async stop() {
      child.kill('SIGTERM')
      await ended
      closeSync(log)
      // nghttpd colours its log
      const lines = readFileSync(output, 'utf8')
        .replace(/\u001b\[[\d;]*m/g, '')
        .split('\n')
      return lines.flatMap(line => {
        const { connection, path } = logged.exec(line)?.groups ?? {}
        return connection === undefined || path === undefined ? [] : [{ connection, path }]
      })
    },
  }
}

const underSite = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`site/${path}`, content]))

/** Milliseconds that a start may take on a busy machine. */
const START_MS = 20_000

async function listening(port: number, child: ChildProcess, output: string): Promise<void> {
  for (const until = performance.now() + START_MS; performance.now() < until; await pause(50)) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${readFileSync(output, 'utf8')}`)
    const isOpen = await new Promise<boolean>(resolve => {
      const probe = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
      probe.once('connect', () => probe.destroy())
    })
    if (isOpen) return
  }
  throw new Error(`does not listen: ${readFileSync(output, 'utf8')}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
