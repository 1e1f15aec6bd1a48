// Copies of the default datasets, made up, with the sizes of the real ones.
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeMmdb } from '../../src/testing/lab_mmdb.ts'
import { listedName } from './feed_names.ts'
import { places } from './healthy_site.ts'

const NAMES = 500_000
const RANKED = 1_000_000
const PRELOADED = 150_000
const ADDRESSES = 30_000

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n')

const networks = (count: number): string => lines(count, n => `11.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)

const copies: Readonly<Record<string, () => string | Buffer>> = {
  phishing_database: () => lines(NAMES, listedName),
  blocklist_de: () => networks(ADDRESSES),
  disposable_email: () => lines(5_000, n => `mail-${n}.example.org`),
  tor_exits: () => networks(1_500),
  majestic_million: () => `GlobalRank,Domain\n${lines(RANKED, n => `${n + 1},site-${n}.example.com`)}`,
  hsts_preload: () =>
    lines(PRELOADED, n => `    { "name": "h${n}.example", "mode": "force-https", "include_subdomains": true },`),
  dbip_country: () => writeMmdb(places),
}

/** The identifiers of the datasets. */
export const copied = Object.keys(copies)

/** Writes the copies into `directory`, as the service keeps them. */
export function writeDefaultDatasets(directory: string): void {
  mkdirSync(directory, { recursive: true })
  const now = Date.now()
  for (const [id, make] of Object.entries(copies)) {
    const file = join(directory, `${id}.data`)
    writeFileSync(file, make())
    const times = { fetched_at: now, checked_at: now, entries: 0, octets: statSync(file).size }
    const record = { url: 'https://example.org/', etag: null, last_modified: null, ...times }
    writeFileSync(join(directory, `${id}.json`), JSON.stringify(record))
  }
}
