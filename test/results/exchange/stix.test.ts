// Results as STIX bundles.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { TLP_LEVELS } from '../../../src/config/schema.ts'
import { canonicalJson, STIX_NAMESPACE, uuid5 } from '../../../src/results/exchange/identifiers.ts'
import { kindsIn, readResult } from '../../golden/files.ts'
import { anyResult, exchange, PICTURES, type Plain, phishing, RESULT_ID, validator } from './results.ts'
import { bundleSchema, readPattern, referenceFaults } from './stix_schema.ts'

const validate = validator(bundleSchema)

interface Bundle {
  readonly id: string
  readonly objects: readonly Plain[]
}

function bundleOf(result: Plain, options = {}): Bundle {
  const bundle = exchange('stix', result, options)
  validate(bundle)
  const { objects } = bundle as Bundle
  assert.deepEqual(referenceFaults(objects), [])
  return bundle as Bundle
}

const all = ({ objects }: Bundle, type: string): readonly Plain[] => objects.filter(one => one['type'] === type)
const one = (bundle: Bundle, type: string): Plain => {
  const [found, ...others] = all(bundle, type)
  assert.ok(found !== undefined && others.length === 0, `one ${type}`)
  return found
}
const types = ({ objects }: Bundle): readonly unknown[] => objects.map(({ type }) => type)

describe('the identifier of an observable', () => {
  const vectors = [
    [{ value: '198.51.100.3' }, '28bb3599-77cd-5a82-a950-b5bc3caf07c4'],
    [{ value: 'example.com' }, 'bedb4899-d24b-5401-bc86-8f6b4cc18ec7'],
    [{ value: '198.51.100.0/24' }, '1ea47840-aa39-5aa8-b4a2-cd203eb6662a'],
  ] as const
  for (const [contributing, uuid] of vectors) {
    it(`is that of the standard for ${contributing.value}`, () =>
      assert.equal(uuid5(STIX_NAMESPACE, canonicalJson(contributing)), uuid))
  }

  it('does not depend on the order of the members, at any depth', () => {
    const [one, other] = [
      { b: { d: 1, c: [2, null] }, a: 'x' },
      { a: 'x', b: { c: [2, null], d: 1 } },
    ]
    assert.equal(canonicalJson(one), '{"a":"x","b":{"c":[2,null],"d":1}}')
    assert.equal(canonicalJson(other), canonicalJson(one))
  })
})

describe('the bundle of a result', () => {
  for (const kind of kindsIn('results')) {
    it(`is valid for the golden result ${kind}, and an indicator if that is a threat`, () => {
      const bundle = bundleOf(readResult(kind) as unknown as Plain)
      const counts = ['observed-data', 'note', 'indicator'].map(type => all(bundle, type).length)
      assert.deepEqual(counts, [1, 1, kind === 'phishing' ? 1 : 0])
    })
  }

  it('is valid, and its pattern names nothing but the target, whatever a site or a plugin writes', () => {
    fc.assert(
      fc.property(anyResult(), result => {
        const bundle = bundleOf(result)
        const [indicator] = all(bundle, 'indicator')
        if (indicator === undefined) return
        const pattern = readPattern(String(indicator['pattern']))
        assert.ok(pattern !== null, String(indicator['pattern']))
        const [type] = pattern.path.split(':')
        const { value } =
          all(bundle, type as string).find(({ id }) => one(bundle, 'note')['object_refs']?.[0 as never] === id) ?? {}
        assert.deepEqual([pattern.path, pattern.value], [`${type}:value`, value])
      }),
      { numRuns: 300 },
    )
  })

  it('describes a malicious name', () => {
    const bundle = bundleOf(phishing())
    const indicator = one(bundle, 'indicator')
    const { pattern, indicator_types, labels, confidence, valid_from, external_references } = indicator
    assert.deepEqual(
      { pattern, indicator_types, labels, confidence, valid_from, external_references },
      {
        pattern: "[domain-name:value = 'microsoft-mailbox-verify.lab']",
        indicator_types: ['malicious-activity'],
        labels: ['spam', 'phishing'],
        confidence: 85,
        valid_from: '2026-11-22T12:00:00.000Z',
        external_references: [
          {
            source_name: 'NordSpam domains',
            description: 'NordSpam domains lists microsoft-mailbox-verify.lab for spam.',
          },
          {
            source_name: 'Spam Eating Monkey SEM-URI',
            description: 'Spam Eating Monkey SEM-URI lists microsoft-mailbox-verify.lab for spam.',
          },
          {
            source_name: 'assay',
            external_id: RESULT_ID,
            url: `https://checks.example.net/#result=${RESULT_ID}`,
          },
        ],
      },
    )
    assert.deepEqual(types(bundle), [
      'identity',
      'marking-definition',
      'domain-name',
      'ipv4-addr',
      'autonomous-system',
      'x509-certificate',
      'relationship',
      'relationship',
      'observed-data',
      'indicator',
      'relationship',
      'sighting',
      'note',
    ])
  })

  it('has the pictures of the page as artifacts by their hash, or as files where they cannot be fetched', () => {
    const kept = all(bundleOf(phishing({ rendered: PICTURES })), 'artifact')
    assert.deepEqual(
      kept.map(({ hashes, mime_type, url }) => [hashes, mime_type, url]),
      PICTURES.screenshots.map(({ kind, sha256, media_type }) => [
        { 'SHA-256': sha256 },
        media_type,
        `https://checks.example.net/api/v1/results/${RESULT_ID}/screenshots/${kind}`,
      ]),
    )
    const unkept = bundleOf(phishing({ rendered: PICTURES, result_id: null }))
    assert.deepEqual(
      all(unkept, 'file').map(({ hashes, size, url }) => [hashes, size, url]),
      PICTURES.screenshots.map(({ sha256, octets }) => [{ 'SHA-256': sha256 }, octets, undefined]),
    )
    assert.deepEqual(all(unkept, 'artifact'), [])
    const refs = one(unkept, 'observed-data')['object_refs'] as readonly string[]
    assert.ok(all(unkept, 'file').every(({ id }) => refs.includes(String(id))))
  })

  it('calls what is only suspicious anomalous', () => {
    const bundle = bundleOf(phishing({ verdict: 'suspicious', confidence: 'low' }))
    const { indicator_types, confidence } = one(bundle, 'indicator')
    assert.deepEqual([indicator_types, confidence], [['anomalous-activity'], 15])
  })

  it('has no indicator for a safe target, not even one to review, but its facts', () => {
    const bundle = bundleOf(phishing({ verdict: 'safe', recommendation: 'review' }))
    assert.deepEqual([all(bundle, 'indicator'), all(bundle, 'sighting')], [[], []])
    assert.deepEqual(one(bundle, 'note')['labels'], ['verdict:safe', 'recommendation:review'])
    assert.equal((one(bundle, 'observed-data')['object_refs'] as unknown[]).length, 6)
  })

  it('has no indicator for a target that is suspicious without any kind of threat, such as a name that does not exist', () => {
    const suspicious = { ...readResult('nxdomain') } as unknown as Plain
    assert.deepEqual([suspicious['verdict'], suspicious['threat_types']], ['suspicious', []])
    const bundle = bundleOf(suspicious)
    assert.deepEqual([all(bundle, 'indicator'), all(bundle, 'sighting')], [[], []])
    assert.match(String(one(bundle, 'note')['abstract']), /^Suspicious domain name /)
  })

  it('has no sighting of a name that is only listed', () => {
    const bundle = bundleOf(phishing({ content_analysis: null, ssl_info: null }))
    assert.deepEqual([all(bundle, 'indicator').length, all(bundle, 'sighting')], [1, []])
  })

  it('says when something could not be looked up', () => {
    const note = one(bundleOf(phishing({ coverage: { complete: false } })), 'note')
    assert.match(String(note['content']), /is unknown, not harmless/)
  })

  it('is about the URL of a link, and writes it as a URI', () => {
    const url = "https://a.example/x|y?q='%zz[1]\\"
    const { objects } = bundleOf(phishing({ url, final_url: 'https://b.example/', result_id: null }))
    const values = objects.flatMap(({ type, value }) => (type === 'url' ? [value] : []))
    assert.deepEqual(values, ["https://a.example/x%7Cy?q='%25zz%5B1%5D%5C", 'https://b.example/'])
    const { pattern } = objects.find(({ type }) => type === 'indicator') ?? {}
    assert.equal(pattern, "[url:value = 'https://a.example/x%7Cy?q=\\'%25zz%5B1%5D%5C']")
  })

  it('is about an address of version 6', () => {
    const { objects } = bundleOf(phishing({ domain: null, ip: '2001:db8::1' }))
    const { pattern } = objects.find(({ type }) => type === 'indicator') ?? {}
    assert.equal(pattern, "[ipv6-addr:value = '2001:db8::1']")
  })

  it('is the same whenever the result is exchanged, and another for another result', () => {
    const again = phishing({ cached: true, process_time_ms: 7 })
    assert.deepEqual(bundleOf(again), bundleOf(phishing()))
    const idsOf = (result: Plain) =>
      bundleOf(result).objects.flatMap(({ id, created_by_ref }) => (created_by_ref ? [id] : []))
    const other = new Set(idsOf(phishing({ result_id: 'bBcDeFgHiJkLmNoPqRsTuV' })))
    assert.deepEqual(
      idsOf(phishing()).filter(id => other.has(id)),
      [],
    )
    const unkept = { result_id: null }
    assert.deepEqual(bundleOf(phishing(unkept)), bundleOf(phishing(unkept)))
    assert.notEqual(
      bundleOf(phishing({ ...unkept, checked_at: '2026-11-22T12:00:01Z' })).id,
      bundleOf(phishing(unkept)).id,
    )
  })

  for (const tlp of TLP_LEVELS) {
    it(`marks everything that the check found TLP:${tlp}`, () => {
      const { objects } = bundleOf(phishing(), { tlp })
      const [identity, marking, ...found] = objects
      assert.deepEqual([identity?.['type'], marking?.['type']], ['identity', 'marking-definition'])
      assert.equal(marking?.['name'], `TLP:${tlp === 'clear' ? 'WHITE' : tlp.toUpperCase()}`)
      assert.deepEqual(
        new Set(found.map(({ object_marking_refs }) => String(object_marking_refs))),
        new Set([marking?.['id']]),
      )
    })
  }

  it('marks nothing when there is no level', () => {
    const { objects } = bundleOf(phishing(), { tlp: null })
    assert.equal(JSON.stringify(objects).includes('marking'), false)
  })

  it('is not made of an object that is no result', () => {
    assert.throws(() => exchange('stix', { verdict: 'safe' }), RangeError)
  })
})
