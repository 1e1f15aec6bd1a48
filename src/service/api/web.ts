// The web pages: static files in memory, with security headers.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Negotiator from 'negotiator'
import { packageRoot } from '../../base/package_root.ts'
import type { Context, Next } from './request_state.ts'

/** What the page knows before the first check. */
export interface PageData {
  /** The lowest score of each verdict, highest first. */
  readonly verdicts: readonly (readonly [least: number, verdict: string])[]
  /** Titles of sections by name. */
  readonly titles: Readonly<Record<string, string>>
}

export interface WebPage {
  readonly type: string
  readonly body: Buffer
  /** The same, compressed once. */
  readonly gzip: Buffer
  /** Strong, quoted (RFC 9110 section 8.8.3). */
  readonly etag: string
  /** Whether its forms may lead to pages of this service. */
  readonly hasForm?: boolean
}

/** By path as requested, and query string. A page may come later: what few readers need is loaded by the first of them. */
export interface WebPages {
  get(path: string, query?: string): WebPage | undefined | Promise<WebPage | undefined>
}

const folder = join(packageRoot, 'src/web')
/** A module of the page that the service uses too. */
const SHARED_MODULE = 'base/visible.js'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Everything is loaded from this origin, and strings never become markup or script. */
const contentSecurityPolicy = (forms: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** Revalidated on each load, so that all parts of a page have the same version. */
const lasting = (forms: string) => [
  'Cache-Control',
  'no-cache',
  'Content-Security-Policy',
  contentSecurityPolicy(forms),
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'X-Frame-Options',
  'DENY',
]

export function webPage(type: string, body: Buffer | string): WebPage {
  const bytes = Buffer.from(body)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { type, body: bytes, gzip: gzipSync(bytes, { level: 9 }), etag }
}

export const htmlPage = (text: string): WebPage => webPage('text/html; charset=utf-8', text)

/** A page whose forms lead to pages of this service. */
export const pageWithForm = (text: string): WebPage => ({ ...htmlPage(text), hasForm: true })

/** Modules that the page loads when somebody asks for what they show, and those that it never loads. */
const LATER: ReadonlySet<string> = new Set([
  'watches.js',
  'watch_form.js',
  'watch_silences.js',
  'lookalikes.js',
  'compare.js',
  'world_map_outline.js',
  'docs.js',
  'result.js',
  'pictures.js',
  'history.js',
  'changes.js',
  'concurrency.js',
  'score_chart.js',
  'targets.js',
  'target_lists.js',
  'target_overview.js',
  'csv.js',
])

/** The page at `/` and its assets. `<` is escaped, so that no title can end its element. */
export function openWeb(data: PageData): ReadonlyMap<string, WebPage> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => extname(file) in types)
  const modules = files.filter(file => extname(file) === '.js').map(file => file.replaceAll('\\', '/'))
  const own = modules.filter(file => !LATER.has(file)).map(file => `/assets/${file}`)
  const preload = [...own, `/${SHARED_MODULE}`].sort()
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  const index = readFileSync(join(folder, 'index.html'), 'utf8')
    .replace('id="data">{}', () => `id="data">${json}`)
    .replace('</head>', () => `${preload.map(path => `<link rel="modulepreload" href="${path}">\n`).join('')}</head>`)
  const assets = files
    .filter(file => extname(file) !== '.html')
    .map(file => {
      const asset = webPage(types[extname(file)] as string, readFileSync(join(folder, file)))
      return [`/assets/${file.replaceAll('\\', '/')}`, asset] as const
    })
  const sharedModule = webPage(types['.js'] as string, readFileSync(join(packageRoot, 'src', SHARED_MODULE)))
  return new Map([['/', htmlPage(index)], ...assets, [`/${SHARED_MODULE}`, sharedModule]])
}

/** Serves these pages; other paths go to the next handler. */
export const serveWeb = (pages: WebPages) => async (ctx: Context, next: Next) => {
  const page = await pages.get(ctx.path, ctx.querystring)
  return page === undefined ? next() : send(ctx, page)
}

function send(ctx: Context, { type, body, gzip, etag: tag, hasForm = false }: WebPage): void {
  const { req, res } = ctx
  if (res.destroyed) return
  const isPacked = new Negotiator(req).encoding(['gzip', 'identity']) === 'gzip'
  const octets = isPacked ? gzip : body
  // Another coding is another representation (RFC 9110 section 8.8.3).
  const etag = isPacked ? tag.replace(/"$/, '-gzip"') : tag
  const headers = [
    'X-Request-Id',
    ctx.state.id,
    'ETag',
    etag,
    'Vary',
    'Accept-Encoding',
    ...lasting(hasForm ? "'self'" : "'none'"),
  ]
  if (isCurrent(req.headers['if-none-match'], etag)) {
    res.writeHead(304, headers).end()
    return
  }
  const coding = isPacked ? ['Content-Encoding', 'gzip'] : []
  res.writeHead(200, [...headers, ...coding, 'Content-Type', type, 'Content-Length', `${octets.length}`]).end(octets)
}

/** Whether the client has this version; a weak validator is sufficient (RFC 9110 section 13.1.2). */
function isCurrent(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some(one => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}
