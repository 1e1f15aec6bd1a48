// Downloads a dataset into a file through the network guard: with limits, and conditionally when there is a copy.
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type { Clock } from '../clock.ts'
import type { Exchange } from '../network/http.ts'
import type { Network } from '../network/network.ts'
import type { CopyRecord } from './dataset_cache.ts'

export interface DownloadRequest {
  readonly url: string
  readonly max_bytes: number
  /** Milliseconds for the whole download. */
  readonly timeout_ms: number
  /** Validators of the copy on disk; null for an unconditional request. */
  readonly known: Pick<CopyRecord, 'etag' | 'last_modified'> | null
  readonly file: string
  readonly signal: AbortSignal
}

/** `reason` is a slug: `http_404`, `too_large`, `timeout`, `closed`, `redirect_to_non_public`, `certificate`, `disk`, ... */
export type Downloaded =
  | {
      readonly status: 'fetched'
      readonly etag: string | null
      readonly last_modified: string | null
      readonly octets: number
    }
  | { readonly status: 'unchanged' }
  | { readonly status: 'failed'; readonly reason: string }

const REDIRECTS = 5
/** Octets that may be waiting for the disk. */
const BACKLOG = 16 * 1024 * 1024

/** Never rejects. */
export async function download(network: Network, clock: Clock, request: DownloadRequest): Promise<Downloaded> {
  const over = new AbortController()
  const signal = AbortSignal.any([request.signal, over.signal])
  const scope = network.open({ signal, deadline: clock.monotonic() + request.timeout_ms })
  const disk = writeTo(request.file)
  try {
    const fetched = await scope.fetch({
      url: request.url,
      signal,
      max_bytes: request.max_bytes,
      timeout_ms: request.timeout_ms,
      body_ms: request.timeout_ms,
      redirects: REDIRECTS,
      https_only: true,
      verify_certificate: true,
      headers: conditions(request.known),
      receive: ({ status }) => (status === 200 ? chunk => void (disk.write(chunk) || over.abort()) : null),
    })
    const fault = await disk.close()
    if (fault !== null) return { status: 'failed', reason: fault }
    if (!fetched.ok) return { status: 'failed', reason: fetched.failure }
    return await outcomeOf(fetched.exchanges.at(-1), request)
  } finally {
    over.abort()
  }
}

/** RFC 9110 section 13.1. */
function conditions(known: DownloadRequest['known']): Readonly<Record<string, string>> {
  return {
    ...(known?.etag ? { 'if-none-match': known.etag } : {}),
    ...(known?.last_modified ? { 'if-modified-since': known.last_modified } : {}),
  }
}

async function outcomeOf(exchange: Exchange | undefined, { file, known }: DownloadRequest): Promise<Downloaded> {
  if (exchange === undefined) return { status: 'failed', reason: 'no_response' }
  const { status, truncated, headers } = exchange
  if (status === 304 && known !== null) return { status: 'unchanged' }
  if (status !== 200) return { status: 'failed', reason: `http_${status}` }
  if (truncated !== null) return { status: 'failed', reason: truncated }
  const field = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? null
  const { size } = await stat(file)
  return { status: 'fetched', etag: field('etag'), last_modified: field('last-modified'), octets: size }
}

/** `write` returns whether to continue; `close` why the file is incomplete, or null. */
function writeTo(path: string) {
  const stream = createWriteStream(path, { flush: true })
  let fault: string | null = null
  stream.on('error', (error: NodeJS.ErrnoException) => {
    fault ??= error.code === 'ENOSPC' ? 'disk_full' : 'disk'
  })
  return {
    write(chunk: Buffer): boolean {
      if (stream.writableLength > BACKLOG) fault ??= 'disk_slow'
      if (fault !== null) return false
      stream.write(chunk)
      return true
    },
    async close(): Promise<string | null> {
      await finished(stream.end()).catch(() => {})
      return fault
    },
  }
}
