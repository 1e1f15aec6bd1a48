// What a command says before it checks: faults of the configuration each time, and who learns the checked names once per user.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { readServiceEnvironment } from '../config/environment.ts'
import type { Registry } from '../engine/registry.ts'
import { disclosures } from '../service/service.ts'
import { type Output, writeText } from './output.ts'

const FILE = join('assay', 'notices.json')

interface NoticeSource {
  readonly notices: readonly string[]
  readonly config: Config
  readonly registry: Registry
}

/** A notice with another text, such as that of another host, is a new one. Without a place to remember, all are printed. */
export function printNotices({ notices, config, registry }: NoticeSource, err: Output['err']): void {
  const disclosureLines = disclosures(config, registry)
  const { settings } = readServiceEnvironment()
  const file = settings === undefined ? null : join(settings, FILE)
  const earlier = file === null ? [] : readTold(file)
  const news = notices.filter(notice => !(disclosureLines.includes(notice) && earlier.includes(notice)))
  for (const notice of news) err(`assay: ${notice}\n`)
  const more = news.filter(notice => disclosureLines.includes(notice))
  if (file === null || more.length === 0) return
  try {
    writeText(file, `${JSON.stringify([...earlier, ...more])}\n`)
  } catch {
    // A home that cannot be written is no fault of the check.
  }
}

function readTold(file: string): readonly string[] {
  try {
    const earlier: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(earlier) ? earlier.filter(one => typeof one === 'string') : []
  } catch {
    return []
  }
}
