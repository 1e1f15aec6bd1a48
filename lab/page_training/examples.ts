// Features of labelled pages: each original page and evaded copies of it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seeBrands } from '../../plugins/content_analysis/brand_sights.ts'
import { factsOf } from '../../plugins/content_analysis/page_model/facts.ts'
import { isTelling, readFeatures } from '../../plugins/content_analysis/page_model/features.ts'
import { createPageParser } from '../../src/evidence/document/page_parser.ts'
import { evasions } from '../evaluation/evasions.ts'
import { type PageRecord, pageOf } from '../evaluation/records.ts'
import { makePages } from './made_pages.ts'

export interface Example {
  readonly record: PageRecord
  /** Null for the original page. */
  readonly evasion: string | null
  readonly values: Float64Array
  /** The model applies to the page. */
  readonly telling: boolean
  readonly positive: boolean
  readonly weight: number
}

/** Weight of an evaded copy relative to the original. */
const OF_COPY = 0.5
const OF_FRAGMENT = 0.1
/** Benign pages get evaded copies too, so that absolute paths and complete heads do not count as honest. */
const BENIGN_COPIES = ['absolute_paths']
/** The corpus marks these as made after real cases. */
const LEFT_OUT = 'reconstruction'

export function examplesOf(folder: string, records: readonly PageRecord[]): Example[] {
  return records.filter(({ kind }) => kind !== LEFT_OUT).flatMap(record => copiesOf(folder, record))
}

function copiesOf(folder: string, record: PageRecord): Example[] {
  const octets = pageOf(folder, record)
  const positive = record.label === 'phishing'
  const host = positive ? record.hosts['random'] : record.hosts['real']
  const url = `https://${host ?? 'page.example'}/`
  const text = octets.toString('utf8')
  const brand = record.brand ?? null
  const copies = Object.entries(evasions).filter(([name]) => positive || BENIGN_COPIES.includes(name))
  // A form cut out of a page lacks the rest of the page, so it says little about honest pages.
  const worth = record.kind.includes('fragment') ? OF_FRAGMENT : 1
  const evadedExamples = copies.map(([evasion, change]): Example => {
    const html = Buffer.from(change(text, { url, brand }))
    const features = featuresOf(html, url, HTML)
    return { record, evasion, positive, weight: OF_COPY * worth, ...features }
  })
  const copyFeatures = featuresOf(octets, url, record.content_type)
  return [{ record, evasion: null, positive, weight: worth, ...copyFeatures }, ...evadedExamples]
}

/** Whether the page was added to the corpus: generated, or from a package. */
export const isAdded = ({ record }: Example): boolean => record.kind === ADDED_KIND

const ADDED_KIND = 'added'

/**
 * Honest pages that the corpus lacks: generated ones, and pages of packages in a folder (`train:collect`). The source
 * of a page is its kind or its package.
 */
export function addedExamples(folder?: string): Example[] {
  const packagedFiles =
    folder === undefined
      ? []
      : readdirSync(folder)
          .filter(name => name.endsWith('.html'))
          .sort()
  const pages = [
    ...makePages().map(({ name, html }) => ({ name: `made ${name}`, octets: Buffer.from(html) })),
    ...packagedFiles.map(name => ({ name: `package ${name}`, octets: readFileSync(join(folder ?? '', name)) })),
  ]
  return pages.map(({ name, octets }) => {
    const record: PageRecord = {
      id: name,
      file: name,
      label: 'benign',
      kind: ADDED_KIND,
      content_type: HTML,
      hosts: {},
      group: name,
      source: { repo: name.split('-')[0] ?? name },
    }
    return { record, evasion: null, positive: false, weight: 1, ...featuresOf(octets, 'https://page.example/', HTML) }
  })
}

const HTML = 'text/html; charset=utf-8'

/** Maximum octets of a page that the service reads. */
const PAGE_OCTETS = 2 * 1024 * 1024

export function featuresOf(octets: Buffer, url: string, contentType: string) {
  const parser = createPageParser(url, contentType)
  parser.write(octets.subarray(0, PAGE_OCTETS))
  const document = parser.end(octets.length > PAGE_OCTETS)
  const page = new URL(url)
  const facts = factsOf(document, page, seeBrands(document, page, []))
  return { values: readFeatures(facts), telling: isTelling(facts) }
}
