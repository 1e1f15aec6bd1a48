// The server of the shops: nginx where it is installed, otherwise Node's, over HTTP/2 or HTTP/1.1.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createSecureServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createSecureContext, type SecureContext } from 'node:tls'
import { gzipSync } from 'node:zlib'
import type { Authority } from '../../src/testing/lab_ca.ts'
import { SHOPS, shopFiles, shopHeaders, shopName } from './shops.ts'

export type SiteProtocol = 'h2' | 'http/1.1'

export interface SiteRequest {
  /** The same for all requests of one connection. */
  readonly connection: string
  readonly secure: boolean
  readonly protocol: string
  readonly url: string
}

export interface ShopServer {
  readonly software: 'nginx' | 'node'
  /** Loopback ports. */
  readonly http: number
  readonly https: number
  /** Requests since the last call. */
  requests(): readonly SiteRequest[]
}

/** Ends with the process. */
export function startShopServer(authority: Authority, protocol: SiteProtocol): Promise<ShopServer> {
  return spawnSync('nginx', ['-v']).status === 0 ? startNginx(authority, protocol) : startNode(authority, protocol)
}

async function startNginx(authority: Authority, protocol: SiteProtocol): Promise<ShopServer> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-nginx-'))
  const log = join(directory, 'access.log')
  mkdirSync(join(directory, 'certificates'))
  mkdirSync(join(directory, 'site'))
  for (let number = 0; number < SHOPS; number++) {
    const { key, cert } = authority.issue({ names: [shopName(number)] })
    writeFileSync(join(directory, 'certificates', `${shopName(number)}.pem`), `${key}${cert}`)
  }
  for (const [path, { body }] of Object.entries(shopFiles)) {
    writeFileSync(join(directory, 'site', path), body)
    writeFileSync(join(directory, 'site', `${path}.gz`), gzipSync(body))
  }
  const [http, https] = [await freePort(), await freePort()]
  const isRoot = process.getuid?.() === 0
  const configuration = `
daemon off; worker_processes 1; pid ${directory}/pid; error_log ${directory}/error.log; ${isRoot ? 'user root;' : ''}
events { worker_connections 4096; }
http {
  types { text/html html; text/plain txt; application/xml xml; }
  log_format wire '$connection $scheme $server_protocol $request_uri';
  access_log ${log} wire;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${directory}/${name};`).join(' ')}
  tcp_nodelay on; sendfile on; gzip_static on; keepalive_requests 100000;
  server { listen 127.0.0.1:${http}; return 301 https://$host$request_uri; }
  server {
    listen 127.0.0.1:${https} ssl ${protocol === 'h2' ? 'http2' : ''};
    ssl_certificate ${directory}/certificates/$ssl_server_name.pem;
    ssl_certificate_key ${directory}/certificates/$ssl_server_name.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    root ${directory}/site;
    ${shopHeaders.map(([name, value]) => `add_header ${name} "${value}" always;`).join('\n    ')}
  }
}
`
  writeFileSync(join(directory, 'nginx.conf'), configuration)
  const server = spawn('nginx', ['-p', directory, '-c', join(directory, 'nginx.conf')], { stdio: 'ignore' })
  process.once('exit', () => {
    server.kill('SIGTERM')
    rmSync(directory, { recursive: true, force: true })
  })
  await listening(https)
  let read = 0
  return {
    software: 'nginx',
    http,
    https,
    requests() {
      const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
      const added = lines.slice(read)
      read = lines.length
      return added.map(line => {
        const [connection = '', scheme, protocol = '', url = ''] = line.split(' ')
        return { connection, secure: scheme === 'https', protocol, url }
      })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Milliseconds between attempts, and how many: reading thousands of certificates takes no time, starting some. */
const RETRY_MS = 50
const RETRIES = 200

async function listening(port: number): Promise<void> {
  for (let left = RETRIES; left > 0; left--) {
    const isOpen = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await pause(RETRY_MS)
  }
  throw new Error('nginx does not listen')
}

/** Without nginx: the same files and header fields. */
async function startNode(authority: Authority, protocol: SiteProtocol): Promise<ShopServer> {
  let seen: SiteRequest[] = []
  const zipped = new Map(
    Object.entries(shopFiles).map(([path, { type, body }]) => [path, { type, body: gzipSync(body) }]),
  )
  const answer = (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const { url, httpVersion } = request
    seen.push({ connection: connectionOf(request), secure: true, protocol: `HTTP/${httpVersion}`, url })
    const file = zipped.get(url === '/' ? '/index.html' : url)
    for (const [name, value] of shopHeaders) response.setHeader(name.toLowerCase(), value)
    response.setHeader('server', 'nginx')
    if (file !== undefined) {
      response.setHeader('content-encoding', 'gzip')
      response.setHeader('content-type', file.type)
    }
    response.writeHead(file === undefined ? 404 : 200)
    response.end(file?.body ?? 'Not found')
  }
  const contexts = new Map<string, SecureContext>()
  const contextOf = (name: string) => {
    const context = contexts.get(name) ?? createSecureContext(authority.issue({ names: [name] }))
    contexts.set(name, context)
    return context
  }
  const secure = createHttp2Server({
    allowHTTP1: true,
    ALPNProtocols: protocol === 'h2' ? ['h2', 'http/1.1'] : ['http/1.1'],
    SNICallback: (name, done) => done(null, contextOf(name)),
  })
  secure.on('request', answer)
  const plain = createHttpServer((request, response) => {
    seen.push({ connection: 'plain', secure: false, protocol: 'HTTP/1.1', url: request.url ?? '/' })
    response.writeHead(301, { Location: `https://${request.headers.host}${request.url}` }).end()
  })
  const ports = await Promise.all(
    [plain, secure].map(async server => {
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      return (server.address() as AddressInfo).port
    }),
  )
  return {
    software: 'node',
    http: ports[0] ?? 0,
    https: ports[1] ?? 0,
    requests() {
      const added = seen
      seen = []
      return added
    },
  }
}

/** The client's port is the same for all requests of one connection. */
const connectionOf = ({ socket }: Http2ServerRequest): string => String(socket.remotePort)
