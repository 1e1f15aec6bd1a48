// Results as events of MISP.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { MispAttribute, MispEvent } from '../../../src/results/exchange/misp.ts'
import { kindsIn, readResult } from '../../golden/files.ts'
import { eventSchema } from './misp_schema.ts'
import { anyResult, exchange, PICTURES, type Plain, phishing, RESULT_ID, validator } from './results.ts'

const validate = validator(eventSchema)

function eventOf(result: Plain, options = {}): MispEvent['Event'] {
  const event = exchange('misp', result, options)
  validate(event)
  const { Event } = event as MispEvent
  const uuids = [Event, ...attributesOf(Event), ...Event.Object].map(({ uuid }) => uuid)
  assert.deepEqual(uuids.length, new Set(uuids).size)
  return Event
}

const attributesOf = ({ Attribute, Object: objects }: MispEvent['Event']): readonly MispAttribute[] => [
  ...Attribute,
  ...objects.flatMap(one => one.Attribute),
]
const actionable = (event: MispEvent['Event']) =>
  attributesOf(event)
    .filter(({ to_ids }) => to_ids)
    .map(({ type, value }) => `${type} ${value}`)

describe('the event of a result', () => {
  for (const kind of kindsIn('results')) {
    it(`is valid for the golden result ${kind}, and for detection only if that is malicious`, () => {
      const result = readResult(kind) as unknown as Plain
      assert.equal(actionable(eventOf(result)).length, result['verdict'] === 'malicious' ? 1 : 0)
    })
  }

  it('is valid, and has one attribute for detection at most, whatever a site or a plugin writes', () => {
    fc.assert(
      fc.property(anyResult(), result => {
        assert.equal(actionable(eventOf(result)).length, result['verdict'] === 'malicious' ? 1 : 0)
      }),
      { numRuns: 300 },
    )
  })

  it('describes a malicious name', () => {
    const event = eventOf(phishing())
    const { Attribute, Object: objects, uuid: _, ...head } = event
    assert.deepEqual(head, {
      info: 'Malicious domain name microsoft-mailbox-verify.lab (assay, risk score 100 of 100)',
      date: '2026-11-22',
      timestamp: '1795348800',
      published: false,
      publish_timestamp: '0',
      analysis: '2',
      threat_level_id: '1',
      distribution: '0',
      sharing_group_id: '0',
      Tag: [
        { name: 'tlp:amber' },
        { name: 'estimative-language:confidence-in-analytic-judgment="high"' },
        { name: 'assay:verdict="malicious"' },
        { name: 'assay:recommendation="block"' },
        { name: 'assay:threat-type="spam"' },
        { name: 'assay:threat-type="phishing"' },
        { name: 'rsit:abusive-content="spam"' },
        { name: 'rsit:fraud="phishing"' },
      ],
    })
    assert.deepEqual(
      objects.map(({ name, Attribute }) => [name, Attribute.map(({ type, to_ids }) => `${type} ${to_ids}`)]),
      [
        ['domain-ip', ['domain true', 'ip-dst false']],
        [
          'x509',
          [
            'x509-fingerprint-sha256 false',
            'text false',
            'text false',
            'text false',
            'datetime false',
            'datetime false',
          ],
        ],
      ],
    )
    assert.deepEqual(
      Attribute.map(({ type, value }) => `${type} ${value.split('\n')[0]?.slice(0, 50)}`),
      [
        'AS 64497',
        'text NordSpam domains lists microsoft-mailbox-verify.la',
        'text Spam Eating Monkey SEM-URI lists microsoft-mailbox',
        'comment Verdict malicious, risk score 100 of 100, confiden',
        `link https://checks.example.net/#result=${RESULT_ID}`.slice(0, 55),
      ],
    )
  })

  const targets: readonly (readonly [what: string, changes: Plain, actionable: string])[] = [
    ['the domain, with all names below it', { domain: 'evil.example' }, 'domain evil.example'],
    ['only the name of a host below a domain', { domain: 'www.shop.evil.example' }, 'hostname www.shop.evil.example'],
    ['the name of a tenant, not its platform', { domain: 'evil.github.io' }, 'domain evil.github.io'],
    ['a name without an address', { ip: null }, 'domain microsoft-mailbox-verify.lab'],
    ['an address', { domain: null }, 'ip-dst 45.130.40.119'],
    ['a URL, and not its host', { url: 'https://evil.example/x' }, 'url https://evil.example/x'],
  ]
  for (const [what, changes, expected] of targets)
    it(`is for detection of ${what}`, () => assert.deepEqual(actionable(eventOf(phishing(changes))), [expected]))

  it('has the pictures of the page by their hash, with where they are, and not for detection', () => {
    const facts = attributesOf(eventOf(phishing({ rendered: PICTURES }))).filter(({ comment }) =>
      /picture/i.test(comment),
    )
    const at = (kind: string) => `https://checks.example.net/api/v1/results/${RESULT_ID}/screenshots/${kind}`
    assert.deepEqual(
      facts.map(({ type, category, value, to_ids }) => [type, category, value, to_ids]),
      PICTURES.screenshots.flatMap(({ kind, sha256 }) => [
        ['sha256', 'External analysis', sha256, false],
        ['link', 'Internal reference', at(kind), false],
      ]),
    )
  })

  it('is not for detection of what is only suspicious', () => {
    const event = eventOf(phishing({ verdict: 'suspicious', coverage: { complete: false } }))
    assert.deepEqual([actionable(event), event.threat_level_id, event.analysis], [[], '2', '0'])
  })

  it('takes no word of a result for a member that every object has', () => {
    const { Tag } = eventOf(phishing({ threat_types: ['valueOf', '__proto__'], confidence: 'constructor' }))
    assert.deepEqual(
      Tag.map(({ name }) => name).filter(name => /^(?:rsit|estimative-language|assay:threat)/.test(name)),
      [
        'estimative-language:confidence-in-analytic-judgment="low"',
        'assay:threat-type="valueOf"',
        'assay:threat-type="__proto__"',
      ],
    )
  })

  it('has no threat level for a safe target', () =>
    assert.equal(eventOf(phishing({ verdict: 'safe' })).threat_level_id, '4'))

  it('is the same whenever the result is exchanged', () =>
    assert.deepEqual(eventOf(phishing({ cached: true, process_time_ms: 7 })), eventOf(phishing())))

  it('has no tag of the Traffic Light Protocol when there is no level', () =>
    assert.equal(JSON.stringify(eventOf(phishing(), { tlp: null })).includes('tlp:'), false))
})
