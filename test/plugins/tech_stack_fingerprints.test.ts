import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCatalogue } from '../../plugins/tech_stack/catalogue.ts'
import { categories } from '../../plugins/tech_stack/categories.ts'
import { type CluePattern, Fingerprint } from '../../plugins/tech_stack/fingerprint.ts'
import { fingerprints } from '../../plugins/tech_stack/fingerprints/fingerprints.ts'
import { supportEnds } from '../../plugins/tech_stack/signals.ts'
import { compareVersions } from '../../plugins/tech_stack/version.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'

const isFingerprint = sectionAjv().compile(Fingerprint)
const names = fingerprints.map(({ name }) => name)
const known = new Set(names)
const marks = fingerprints.flatMap(({ name, marks }) => marks.map(pattern => ({ name, pattern })))
const saying = (name: string, pattern: CluePattern) => `${name}: ${JSON.stringify(pattern)}`

/** All for which the rule does not hold. */
const breaches = (holds: (pattern: CluePattern) => boolean) =>
  marks.filter(({ pattern }) => !holds(pattern)).map(({ name, pattern }) => saying(name, pattern))

const isUnfolded = (text: string) => /[A-Z]/.test(text)
const HOST = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/

describe('the fingerprints', () => {
  it('are numerous', () => assert.ok(fingerprints.length >= 1_400, String(fingerprints.length)))

  it('follow their schema', () => {
    const faulty = fingerprints.filter(one => !isFingerprint(one)).map(({ name }) => name)
    assert.deepEqual(faulty, [])
  })

  it('have names that differ in more than case', () => {
    const folded = names.map(name => name.toLowerCase())
    assert.deepEqual(
      folded.filter((name, at) => folded.indexOf(name) !== at),
      [],
    )
  })

  it('are of every category, in the order of categories', () => {
    assert.deepEqual([...new Set(fingerprints.map(({ category }) => category))], categories)
  })

  it('are sorted by name within their category', () => {
    for (const one of categories) {
      const folded = fingerprints.filter(({ category }) => category === one).map(({ name }) => name.toLowerCase())
      assert.deepEqual(folded, folded.toSorted())
    }
  })

  it('imply only existing technologies, and never themselves', () => {
    const wrong = fingerprints.filter(({ name, implies }) => implies.some(one => one === name || !known.has(one)))
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    )
  })

  it('are implied by others if they have no marks', () => {
    const implied = new Set(fingerprints.flatMap(({ implies }) => implies))
    const lost = fingerprints.filter(({ name, marks }) => marks.length === 0 && !implied.has(name))
    assert.deepEqual(
      lost.map(({ name }) => name),
      [],
    )
  })
})

describe('the marks', () => {
  it('are printable ASCII', () =>
    assert.deepEqual(
      breaches(({ text }) => /^[ -~]*$/.test(text)),
      [],
    ))

  it('have names of headers and metas in lower case', () =>
    assert.deepEqual(
      breaches(({ name }) => !isUnfolded(name)),
      [],
    ))

  it('compare complete hosts and names', () => {
    assert.deepEqual(
      breaches(({ how, text }) => how !== 'within' || HOST.test(text)),
      [],
    )
  })

  it('of DNS names are complete names or contain a dot or dash', () => {
    const isName = ({ in: place }: CluePattern) => ['cname', 'ns', 'mx', 'spf'].includes(place)
    assert.deepEqual(
      breaches(pattern => !isName(pattern) || pattern.how === 'within' || /[.-]/.test(pattern.text)),
      [],
    )
  })

  it('that match anywhere are too long to match by accident', () => {
    const isAnywhere = ({ in: place, how }: CluePattern) =>
      how === 'has' && ['resource', 'inline', 'comment', 'form'].includes(place)
    assert.deepEqual(
      breaches(pattern => !isAnywhere(pattern) || pattern.text.length >= 6),
      [],
    )
  })

  it('look for versions after the match, not in it', () => {
    const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '')
    const repeats = ({ text, version }: CluePattern) =>
      letters(version ?? '') !== '' && letters(text).includes(letters(version ?? ''))
    assert.deepEqual(
      breaches(pattern => !repeats(pattern)),
      [],
    )
  })

  it('are unique for each technology', () => {
    const all = marks.map(({ name, pattern }) => saying(name, pattern))
    assert.deepEqual(
      all.filter((one, at) => all.indexOf(one) !== at),
      [],
    )
  })

  it('each find their technology, with its version if they have one', () => {
    const catalogue = createCatalogue(fingerprints)
    const missed = marks.filter(({ name, pattern }) => {
      const version = pattern.version === null ? null : '12.3.4'
      const hits = catalogue.match(pattern.in, pattern.name, subjectOf(pattern, version))
      return !hits.some(hit => hit.clue.technology === name && hit.version === version)
    })
    assert.deepEqual(
      missed.map(({ name, pattern }) => saying(name, pattern)),
      [],
    )
  })
})

/** The least that bears the pattern. */
function subjectOf({ how, text, path, version: before }: CluePattern, version: string | null): string {
  const told = version === null ? '' : `${before}${version}`
  if (how === 'within') return `https://www.${text}/${path}`
  return `${how === 'is' || how === 'starts' ? '' : 'x'}${text}${told}`
}

describe('the end-of-support dates', () => {
  it('are for existing technologies', () => {
    assert.deepEqual(
      supportEnds.filter(({ technology }) => !known.has(technology)),
      [],
    )
  })

  it('are days', () => {
    const isDay = (text: string) => new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
    assert.deepEqual(
      supportEnds.filter(({ ends }) => !isDay(ends)),
      [],
    )
  })

  it('ascend for each technology', () => {
    const steps = supportEnds.map((end, at) => [supportEnds[at - 1], end] as const)
    const wrong = steps.filter(([a, b]) => a?.technology === b.technology && compareVersions(a.below, b.below) >= 0)
    assert.deepEqual(wrong, [])
  })
})
