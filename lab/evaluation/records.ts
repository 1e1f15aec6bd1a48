// Reads a folder of labelled pages: records.jsonl with one JSON object per line, and the files it names.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A labelled page; further fields are ignored. */
export interface PageRecord {
  readonly id: string
  /** Relative to the folder. */
  readonly file: string
  readonly label: 'phishing' | 'benign'
  readonly kind: string
  readonly content_type: string
  /** Host names to serve the page under, by kind; null for a kind that it lacks. */
  readonly hosts: Readonly<Record<string, string | null>>
  /** Pages of one group must be all in training or all in measurement. */
  readonly group: string
  readonly source: { readonly repo: string; readonly path?: string | null; readonly inner?: string | null }
  /** The imitated brand, if known. */
  readonly brand?: string | null
  /** What it asks visitors for, such as `password` or `card`; missing if nobody looked. */
  readonly asks?: readonly string[] | null
  /** The path it was found under, for `--paths`. */
  readonly path?: string | null
}

const REQUIRED_FIELDS = ['id', 'file', 'label', 'kind', 'content_type', 'hosts', 'group', 'source'] as const

/** Throws an `Error` that names the first invalid line. */
export function readRecords(folder: string): PageRecord[] {
  const lines = readFileSync(join(folder, 'records.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line, at) => {
    const record = JSON.parse(line) as Record<string, unknown>
    const missing = REQUIRED_FIELDS.find(field => record[field] === undefined)
    if (missing !== undefined) throw new Error(`records.jsonl:${at + 1}: field "${missing}" is missing`)
    return record as unknown as PageRecord
  })
}

export const pageOf = (folder: string, { file }: PageRecord): Buffer => readFileSync(join(folder, file))
