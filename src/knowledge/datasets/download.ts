// Downloads a dataset into a file through the network guard, with limits and conditionally when there is a copy; and keeps the
// last good copy on disk: a data file with a record beside it, each replaced as a whole or not at all.
import { createWriteStream } from 'node:fs'
import { access, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Clock } from '../../base/clock.ts'
import { makeDirectory } from '../../base/files.ts'
import type { Exchange } from '../../network/http.ts'
import type { Network } from '../../network/network.ts'

export interface DownloadRequest {
  readonly url: string
  readonly max_bytes: number
  /** Milliseconds for the whole download. */
  readonly timeout_ms: number
  /** Validators of the copy on disk; null for an unconditional request. */
  readonly validators: Pick<CopyRecord, 'etag' | 'last_modified'> | null
  readonly file: string
  readonly signal: AbortSignal
}

/** `reason` is a slug: `http_404`, `too_large`, `timeout`, `closed`, `redirect_to_non_public`, `certificate`, `disk`, ... */
export type DownloadResult =
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
export async function download(network: Network, clock: Clock, request: DownloadRequest): Promise<DownloadResult> {
  const over = new AbortController()
  const signal = AbortSignal.any([request.signal, over.signal])
  const scope = network.open({ signal, deadline: clock.monotonic() + request.timeout_ms })
  const disk = writeTo(request.file)
  try {
    const fetchResult = await scope.fetch({
      url: request.url,
      signal,
      max_bytes: request.max_bytes,
      timeout_ms: request.timeout_ms,
      body_ms: request.timeout_ms,
      redirects: REDIRECTS,
      https_only: true,
      verify_certificate: true,
      headers: conditions(request.validators),
      receive: ({ status }) => (status === 200 ? chunk => void (disk.write(chunk) || over.abort()) : null),
    })
    const fault = await disk.close()
    if (fault !== null) return { status: 'failed', reason: fault }
    if (!fetchResult.ok) return { status: 'failed', reason: fetchResult.failure }
    return await outcomeOf(fetchResult.exchanges.at(-1), request)
  } finally {
    over.abort()
  }
}

/** RFC 9110 section 13.1. */
function conditions(validators: DownloadRequest['validators']): Readonly<Record<string, string>> {
  return {
    ...(validators?.etag ? { 'if-none-match': validators.etag } : {}),
    ...(validators?.last_modified ? { 'if-modified-since': validators.last_modified } : {}),
  }
}

async function outcomeOf(
  exchange: Exchange | undefined,
  { file, validators }: DownloadRequest,
): Promise<DownloadResult> {
  if (exchange === undefined) return { status: 'failed', reason: 'no_response' }
  const { status, truncated, headers } = exchange
  if (status === 304 && validators !== null) return { status: 'unchanged' }
  if (status !== 200) return { status: 'failed', reason: `http_${status}` }
  if (truncated !== null) return { status: 'failed', reason: truncated }
  const field = (fieldName: string) => headers.find(([name]) => name === fieldName)?.[1] ?? null
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

/** The record of a copy. */
export interface CopyRecord {
  readonly url: string
  readonly etag: string | null
  /** As sent by the server. */
  readonly last_modified: string | null
  /** Milliseconds since the Unix epoch: when it was fetched, and when the publisher last confirmed it. */
  readonly fetched_at: number
  readonly checked_at: number
  readonly entries: number
  /** Size of the file. If the file has another size, the record is ignored. */
  readonly octets: number
}

export type DatasetCache = ReturnType<typeof openDatasetCache>

/** Milliseconds after which an unfinished file counts as abandoned. */
const ABANDONED_MS = 3_600_000
const PART = '.part'

export function openDatasetCache(directory: string) {
  const pathOf = (id: string) => join(directory, `${id}.data`)
  const recordOf = (id: string) => join(directory, `${id}.json`)
  let unique = 0
  /** A file name in the same directory, so that the file can be renamed. */
  const temporary = async (id: string) => {
    makeDirectory(directory)
    return join(directory, `${id}.${process.pid}-${++unique}${PART}`)
  }
  const saveRecord = async (id: string, record: CopyRecord) => {
    const part = await temporary(id)
    await writeFile(part, `${JSON.stringify(record)}\n`, { flush: true })
    await rename(part, recordOf(id))
  }
  const sweeping = sweep(directory)
  return {
    pathOf,
    temporary,
    saveRecord,
    /** Whether there is a copy, valid or not. */
    has: async (id: string) => (await Promise.all([pathOf(id), recordOf(id)].map(isThere))).includes(true),
    /** Null when there is no valid copy. */
    async read(id: string) {
      await sweeping
      const record = parseRecord(await readFile(recordOf(id), 'utf8').catch(() => ''))
      const file = await stat(pathOf(id)).catch(() => null)
      return record !== null && file?.size === record.octets ? record : null
    },
    /** Replaces the copy with a complete file. */
    async commit(id: string, file: string, record: CopyRecord) {
      await flush(file)
      await rename(file, pathOf(id))
      await saveRecord(id, record)
      await flush(directory)
    },
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

async function flush(path: string): Promise<void> {
  const file = await open(path)
  await file.sync().finally(() => file.close())
}

/** Removes the unfinished files of processes that ended during a download. */
async function sweep(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names.filter(one => one.endsWith(PART))) {
    const path = join(directory, name)
    const file = await stat(path).catch(() => null)
    if (file && Date.now() - file.mtimeMs > ABANDONED_MS) await rm(path, { force: true }).catch(() => {})
  }
}

function parseRecord(text: string): CopyRecord | null {
  try {
    const record = JSON.parse(text) as CopyRecord
    const numbers = [record.fetched_at, record.checked_at, record.entries, record.octets]
    return typeof record.url === 'string' && numbers.every(Number.isFinite) ? record : null
  } catch {
    return null
  }
}
