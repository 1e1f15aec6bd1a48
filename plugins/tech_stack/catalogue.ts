// Prepares fingerprints for matching: one automaton per place that finds the texts of all patterns there.
import { createScan, type Scan } from './automaton.ts'
import type { CluePattern, Fingerprint, How } from './fingerprint.ts'
import { readVersion } from './version.ts'

/** One pattern and the fingerprint it belongs to. */
export interface Clue {
  readonly technology: string
  readonly pattern: CluePattern
}

type ClueSet = ReturnType<typeof channelOf>

/** A pattern found in a subject, with the version read there. */
export interface ClueHit {
  readonly clue: Clue
  readonly version: string | null
}

/** Fingerprints prepared for matching. */
export interface Catalogue {
  readonly technologies: ReadonlyMap<string, Fingerprint>
  /** All patterns of the place that match the subject; `name` is the header's or meta element's. */
  match(place: CluePattern['in'], name: string, subject: string): readonly ClueHit[]
}

const channelKey = (place: string, name: string) => `${place} ${name}`

/** Merges fingerprints of one name: the later one adds patterns and implications; the category of the first stays. */
function merge(fingerprints: readonly Fingerprint[]): Map<string, Fingerprint> {
  const technologies = new Map<string, Fingerprint>()
  for (const one of fingerprints) {
    const technology = technologies.get(one.name)
    const marks = [...(technology?.marks ?? []), ...one.marks]
    const implies = [...new Set([...(technology?.implies ?? []), ...one.implies])]
    technologies.set(one.name, { ...one, category: technology?.category ?? one.category, marks, implies })
  }
  return technologies
}

function channelOf(clues: readonly Clue[]) {
  let scan: Scan | undefined
  return {
    clues,
    /** Made at its first use: most places, such as a certain header, are on few sites. */
    scan: () => {
      scan ??= createScan(clues.map(({ pattern }) => pattern.text))
      return scan
    },
    /** Patterns that match without text. */
    present: clues.filter(({ pattern }) => pattern.text === ''),
  }
}

/** Prepares fingerprints; those with one name are joined. */
export function createCatalogue(fingerprints: readonly Fingerprint[]): Catalogue {
  const technologies = merge(fingerprints)
  const clueGroups = new Map<string, Clue[]>()
  for (const { name: technology, marks } of technologies.values()) {
    for (const pattern of marks) {
      const key = channelKey(pattern.in, pattern.name)
      const clues = clueGroups.get(key)
      if (clues) clues.push({ technology, pattern })
      else clueGroups.set(key, [{ technology, pattern }])
    }
  }
  const channels = new Map([...clueGroups].map(([key, clues]) => [key, channelOf(clues)]))
  return {
    technologies,
    match(place, name, subject) {
      const channel = channels.get(channelKey(place, name))
      return channel === undefined ? [] : hitsIn(channel, subject)
    },
  }
}

const none: readonly ClueHit[] = []

function hitsIn({ clues, scan, present }: ClueSet, subject: string): readonly ClueHit[] {
  // Most subjects match no pattern.
  let best = null as Map<Clue, ClueHit> | null
  const consider = (clue: Clue, start: number, end: number) => {
    const { how, text, path, exact_case, version: before, version_required } = clue.pattern
    const bestOfClue = best?.get(clue)
    if (bestOfClue && (before === null || bestOfClue.version !== null)) return
    if (!holds(how, subject, start, end)) return
    if (path !== '' && !subject.slice(end).toLowerCase().includes(path.toLowerCase())) return
    if (exact_case && subject.slice(start, end) !== text) return
    const version = before === null ? null : readVersion(subject, end, before.toLowerCase())
    if (version === null && version_required) return
    best ??= new Map()
    best.set(clue, { clue, version })
  }
  for (const clue of present) consider(clue, 0, 0)
  scan()(subject, (index, end) => {
    const clue = clues[index]
    if (clue !== undefined) consider(clue, end - clue.pattern.text.length, end)
  })
  return best === null ? none : [...best.values()]
}

interface TextSpan {
  readonly start: number
  readonly end: number
}

/** The host in a URL; text that is not a URL is a name as a whole. URLs are serialized, so `//` identifies them. */
function hostSpan(text: string): TextSpan {
  const scheme = /^https?:\/\//i.exec(text)
  if (scheme === null) return { start: 0, end: text.length }
  const start = scheme[0].length
  const rest = text.slice(start).search(/[/?#:]/)
  return { start, end: rest < 0 ? text.length : start + rest }
}

function holds(how: How, subject: string, start: number, end: number): boolean {
  if (how === 'has') return true
  if (how === 'within') {
    const host = hostSpan(subject)
    return end === host.end && (start === host.start || (start > host.start && subject[start - 1] === '.'))
  }
  return (how === 'ends' || start === 0) && (how === 'starts' || end === subject.length)
}
