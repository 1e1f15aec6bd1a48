import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  CONFIDENCES,
  type Confidence,
  confidence,
  DECIDING,
  gapSentence,
  gaps,
  type Part,
  sightings,
} from '../../../src/engine/scoring/confidence.ts'

type Kind = keyof typeof DECIDING

const evidenceOf = (target: Kind): string[] => DECIDING[target].flatMap(({ evidence }) => evidence)

/** All was seen but for what is given; null for what does not count. */
const seenBut = (target: Kind, parts: Readonly<Record<string, number | null>>) =>
  sightings(target, name => {
    const seen = Object.hasOwn(parts, name) ? (parts[name] as number | null) : 1
    return seen === null ? null : { seen, why: seen < 1 ? 'a reason' : null }
  })

const of = (target: Kind, parts: Readonly<Record<string, number | null>>, floor: number | null = null): Confidence =>
  confidence(seenBut(target, parts), [{ floor }])

const NO_SITE = { page: null, served: null, document: null, tls: null }
const SILENT_SITE = { page: 0, served: 0, document: 0, tls: 0 }
const NO_LISTS = { listings: 0, feeds: 0 }

describe('the table of deciding evidence', () => {
  for (const target of ['domain', 'ip'] as const) {
    it(`adds up to a hundred for ${target} targets and has each evidence once`, () => {
      assert.equal(
        DECIDING[target].reduce((sum, { weight }) => sum + weight, 0),
        100,
      )
      assert.equal(new Set(evidenceOf(target)).size, evidenceOf(target).length)
    })
  }
})

describe('confidence', () => {
  const cases: [title: string, target: Kind, parts: Record<string, number | null>, expected: Confidence][] = [
    ['is high when all was seen', 'domain', {}, 'high'],
    ['is high when a fifth of the blocklists is silent', 'domain', { listings: 0.8 }, 'high'],
    ['is medium when every blocklist is silent, and feeds are not', 'domain', { listings: 0 }, 'medium'],
    ['is medium when no list answers', 'domain', NO_LISTS, 'medium'],
    ['is medium when the registration is unknown', 'domain', { registration: 0 }, 'medium'],
    ['is medium when the certificate was not seen', 'domain', { tls: 0 }, 'medium'],
    ['is high when just 95 % were seen', 'domain', { listings: 0.5 }, 'high'],
    ['is medium when a tenth of the page is missing', 'domain', { page: 0.9 }, 'medium'],
    ['is medium when just 67 % were seen', 'domain', { served: 0.175 }, 'medium'],
    ['is low when 66 % were seen', 'domain', { served: 0.15 }, 'low'],
    ['is medium when the page is withheld', 'domain', { served: 0.5 }, 'medium'],
    ['is low when the page was not seen', 'domain', { page: 0, served: 0, document: 0 }, 'low'],
    ['is low when the page could not be parsed', 'domain', { document: 0 }, 'low'],
    ['is low when nothing of the site answered', 'domain', SILENT_SITE, 'low'],
    ['is low when neither lists nor registry answered', 'domain', { ...NO_LISTS, registration: 0 }, 'low'],
    ['is low when the page is withheld and no list answered', 'domain', { served: 0.5, ...NO_LISTS }, 'low'],
    [
      'is low when only the resolver works',
      'domain',
      { ...SILENT_SITE, registration: 0, listings: 0.5, feeds: 0 },
      'low',
    ],
    ['is high for a name without a site, when all else was seen', 'domain', NO_SITE, 'high'],
    ['is low for a name without a site, when no list answered', 'domain', { ...NO_SITE, ...NO_LISTS }, 'low'],
    ['is high when this installation has no lists and saw all else', 'domain', { listings: null, feeds: null }, 'high'],
    [
      'is low when nothing that decides is looked at',
      'domain',
      Object.fromEntries(evidenceOf('domain').map(name => [name, null])),
      'low',
    ],
    ['is high for an address of which all was seen', 'ip', {}, 'high'],
    ['is medium for an address whose ports are silent', 'ip', SILENT_SITE, 'medium'],
    ['is low for an address of which no list answered', 'ip', NO_LISTS, 'low'],
    [
      'is low for an address whose ports and registry are silent, and a third of the lists too',
      'ip',
      { ...SILENT_SITE, ip_network: 0, listings: 2 / 3 },
      'low',
    ],
  ]
  for (const [title, target, parts, expected] of cases) it(title, () => assert.equal(of(target, parts), expected))

  it('is high with a confirmed listing, whatever else was not seen', () => {
    assert.equal(of('domain', Object.fromEntries(evidenceOf('domain').map(name => [name, 0])), 71), 'high')
  })

  it('is not raised by a floor that only makes the target suspicious', () => {
    assert.equal(of('domain', { page: 0 }, 31), 'low')
  })

  const anyTarget = fc.constantFrom<Kind>('domain', 'ip')
  const anySeen = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }))
  const anyParts = anyTarget.chain(target =>
    fc.tuple(
      fc.constant(target),
      fc.dictionary(fc.constantFrom(...evidenceOf(target)), fc.option(anySeen, { nil: null })),
    ),
  )
  const rank = (one: Confidence) => CONFIDENCES.indexOf(one)

  it('never falls when more of any evidence is seen', () => {
    fc.assert(
      fc.property(anyParts, fc.nat(), anySeen, ([target, parts], pick, more) => {
        const names = evidenceOf(target)
        const name = names[pick % names.length] ?? ''
        const before = Object.hasOwn(parts, name) ? parts[name] : 1
        fc.pre(typeof before === 'number')
        const raised = { ...parts, [name]: Math.max(before as number, more) }
        assert.ok(rank(of(target, raised)) <= rank(of(target, parts)))
      }),
    )
  })

  it('is high when all deciding evidence was seen, and low when none was', () => {
    fc.assert(
      fc.property(anyParts, ([target, parts]) => {
        const counted = (seen: number) =>
          Object.fromEntries(evidenceOf(target).map(name => [name, parts[name] === null ? null : seen]))
        fc.pre(Object.values(counted(1)).some(seen => seen !== null))
        assert.deepEqual([of(target, counted(1)), of(target, counted(0))], ['high', 'low'])
      }),
    )
  })

  it('is never high while a complete kind of evidence is missing', () => {
    fc.assert(
      fc.property(anyTarget, fc.nat(), (target, pick) => {
        const kinds = DECIDING[target]
        const { evidence, weight } = kinds[pick % kinds.length] as (typeof kinds)[number]
        fc.pre(weight > 5)
        const parts = Object.fromEntries(evidence.map(name => [name, 0]))
        assert.notEqual(of(target, parts), 'high')
      }),
    )
  })
})

describe('the missing evidence', () => {
  const part = (seen: number, why: string | null): Part => ({ seen, why })

  it('is listed largest first, with its reason', () => {
    const seen = sightings('domain', name => {
      if (name === 'tls') return part(0, 'the connection was reset')
      if (name === 'served') return part(0.5, 'the site refuses automated visitors')
      if (name === 'feeds') return part(0.9, null)
      return part(1, null)
    })
    assert.deepEqual(gaps(seen).map(gapSentence), [
      'The page was seen only in part: the site refuses automated visitors.',
      'The certificate could not be seen: the connection was reset.',
      'Not all blocklists and threat feeds answered.',
    ])
  })

  it('of several lists has a reason if one alone is missing', () => {
    const listsBut = (feeds: Part) =>
      gaps(
        sightings('ip', name =>
          name === 'listings' ? part(0.5, 'one is down') : name === 'feeds' ? feeds : part(1, null),
        ),
      )
    assert.deepEqual(
      [listsBut(part(1, null)), listsBut(part(0.5, 'two are down'))].map(([one]) => one?.why),
      ['one is down', null],
    )
  })

  it('is empty when everything was seen', () => {
    assert.deepEqual(gaps(sightings('ip', () => part(1, null))), [])
  })
})
