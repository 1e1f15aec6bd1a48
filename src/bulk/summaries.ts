// Summaries of the results as a whole, written from the results file, so that they also have what earlier runs found.
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { csvHeading, csvLine } from './csv.ts'
import { keepsText, readRecords } from './journal.ts'
import { isError } from './record.ts'
import { type Rule, sarifFrame, sarifNotification, sarifResults } from './sarif.ts'

/** Appears whole or not at all, unless it is a device or a pipe. Rejects when it cannot be written. */
async function writeWhole(file: string, parts: AsyncIterable<string>): Promise<void> {
  if (!keepsText(file)) return pipeline(parts, createWriteStream(file))
  const part = `${file}.part`
  await pipeline(parts, createWriteStream(part))
  await rename(part, file)
}

export const writeCsv = (file: string, results: string): Promise<void> => writeWhole(file, csvParts(results))

async function* csvParts(results: string): AsyncGenerator<string> {
  yield csvHeading()
  for await (const { record } of readRecords(results)) yield csvLine(record)
}

export interface SarifOptions {
  readonly rules: readonly Rule[]
  readonly version: string
  /** The input as a URI reference: what the lines are lines of. */
  readonly artifact: string
}

export const writeSarif = (file: string, results: string, options: SarifOptions): Promise<void> =>
  writeWhole(file, sarifParts(results, options))

/** Read twice, so that neither list is kept: results come before notifications. */
async function* sarifParts(results: string, { rules, version, artifact }: SarifOptions): AsyncGenerator<string> {
  const frame = sarifFrame(rules, version)
  const places = new Map(rules.map(({ id }, i) => [id, i]))
  yield frame.head
  let separator = ''
  for await (const { record } of readRecords(results)) {
    for (const result of sarifResults(record, places, artifact)) {
      yield `${separator}${JSON.stringify(result)}`
      separator = ',\n'
    }
  }
  yield frame.between
  separator = ''
  for await (const { record } of readRecords(results)) {
    if (!isError(record)) continue
    yield `${separator}${JSON.stringify(sarifNotification(record, artifact))}`
    separator = ',\n'
  }
  yield frame.tail
}
