// Detects technologies in subjects, with confidence and version, and adds those that they imply.
import { printable } from '../../src/engine/plugin.ts'

import type { Catalogue, ClueHit } from './catalogue.ts'
import { categories, type TechnologyCategory } from './categories.ts'
import type { CluePlace } from './fingerprint.ts'
import { ceilingOf } from './provenance.ts'
import type { ClueSubject } from './subjects.ts'
import { compareVersions } from './version.ts'

/** Evidence of a technology: the place and text that matched, or the technology that implies it. */
export interface TechnologyEvidence {
  readonly in: CluePlace | 'implied_by'
  readonly name: string | null
  readonly value: string
}

/** A technology that was detected. */
export interface Technology {
  readonly name: string
  readonly category: TechnologyCategory
  readonly version: string | null
  /** Percent. */
  readonly confidence: number
  readonly evidence: readonly TechnologyEvidence[]
}

/** Pieces of evidence kept per technology, pieces shown, and characters of each. */
const MAX_HITS = 32
const MAX_PIECES = 3
const VALUE = 96

interface TechnologyHits {
  readonly hits: { readonly hit: ClueHit; readonly subject: ClueSubject; readonly ceiling: number }[]
}

/** Shows the text around the match if the whole is long. */
function excerptOf({ place, name, text }: ClueSubject, { clue }: ClueHit): TechnologyEvidence {
  const whole = text.length <= VALUE || clue.pattern.text === ''
  const from = whole ? 0 : Math.max(0, text.toLowerCase().indexOf(clue.pattern.text.toLowerCase()))
  return { in: place, name: name === '' ? null : name, value: printable(text.slice(from), VALUE) }
}

/**
 * Independent pieces of evidence add up: each removes its share of the remaining doubt. Each pattern counts once.
 * Pieces with the same ceiling stay below it together.
 */
function confidenceOf(hits: TechnologyHits['hits']): number {
  const doubts = new Map<number, number>()
  const marks = new Map(hits.toSorted((a, b) => a.ceiling - b.ceiling).map(one => [one.hit.clue.pattern, one.ceiling]))
  for (const [{ confidence }, ceiling] of marks) {
    doubts.set(ceiling, (doubts.get(ceiling) ?? 1) * (1 - confidence / 100))
  }
  const doubt = [...doubts].reduce((product, [ceiling, own]) => product * Math.max(own, 1 - ceiling / 100), 1)
  return Math.round((1 - doubt) * 100)
}

/** The newest version seen, and of equals the most precise: an older copy beside it does not make the site old. */
function versionOf(hits: TechnologyHits['hits']): string | null {
  const versions = hits.flatMap(({ hit }) => hit.version ?? [])
  return versions.reduce<string | null>(
    (best, version) => (best === null || isNewer(version, best) ? version : best),
    null,
  )
}

function isNewer(version: string, than: string): boolean {
  if (version.startsWith(`${than}.`)) return true
  return !than.startsWith(`${version}.`) && compareVersions(version, than) > 0
}

const worth = ({ hit, ceiling }: TechnologyHits['hits'][number]): number =>
  Math.min(hit.clue.pattern.confidence, ceiling)

function evidenceOf(hits: TechnologyHits['hits']): TechnologyEvidence[] {
  const all = hits.toSorted((a, b) => worth(b) - worth(a)).map(({ hit, subject }) => excerptOf(subject, hit))
  const distinct = new Map(all.map(one => [JSON.stringify(one), one]))
  return [...distinct.values()].slice(0, MAX_PIECES)
}

function direct(catalogue: Catalogue, subjects: readonly ClueSubject[]): Map<string, Technology> {
  const detections = new Map<string, TechnologyHits>()
  for (const subject of subjects) {
    for (const hit of catalogue.match(subject.place, subject.name, subject.text)) {
      const { technology, pattern } = hit.clue
      const ceiling = ceilingOf(subject, pattern, catalogue.technologies.get(technology)?.category ?? 'saas')
      if (ceiling === 0) continue
      const detection = detections.get(technology) ?? { hits: [] }
      if (detection.hits.length < MAX_HITS) detection.hits.push({ hit, subject, ceiling })
      detections.set(technology, detection)
    }
  }
  return new Map([...detections].map(([name, { hits }]) => [name, technologyOf(catalogue, name, hits)]))
}

const technologyOf = (catalogue: Catalogue, name: string, hits: TechnologyHits['hits']): Technology => ({
  name,
  category: catalogue.technologies.get(name)?.category ?? 'saas',
  version: versionOf(hits),
  confidence: confidenceOf(hits),
  evidence: evidenceOf(hits),
})

/** Adds implied technologies, with the highest confidence of any that implies them. Unknown names are skipped. */
function addImplied(catalogue: Catalogue, technologies: Map<string, Technology>): void {
  const queue = [...technologies.values()]
  for (const { name, confidence } of queue) {
    for (const impliedName of catalogue.technologies.get(name)?.implies ?? []) {
      const fingerprint = catalogue.technologies.get(impliedName)
      const impliedTechnology = technologies.get(impliedName)
      if (fingerprint === undefined || (impliedTechnology !== undefined && impliedTechnology.confidence >= confidence))
        continue
      const evidence = impliedTechnology?.evidence ?? [{ in: 'implied_by' as const, name: null, value: name }]
      const version = impliedTechnology?.version ?? null
      const technology = { name: impliedName, category: fingerprint.category, version, confidence, evidence }
      technologies.set(impliedName, technology)
      queue.push(technology)
    }
  }
}

const order = ({ category, name }: Technology): string =>
  `${String(categories.indexOf(category)).padStart(3, '0')} ${name.toLowerCase()}`

/** Sorted by category, then by name without regard to case. */
export function detect(catalogue: Catalogue, subjects: readonly ClueSubject[]): readonly Technology[] {
  const technologies = direct(catalogue, subjects)
  addImplied(catalogue, technologies)
  return [...technologies.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}
