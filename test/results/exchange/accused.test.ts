// Whom an exported result accuses: what was asked for and judged, and nobody else.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MispEvent } from '../../../src/results/exchange/misp.ts'
import type { Bundle } from '../../../src/results/exchange/stix.ts'
import { exchange, type Plain, phishing } from './results.ts'

const NAME = 'healthy.example'
const ADDRESS = '192.0.2.66'

/** A list that names one or the other. */
const listed = (asked: string): Plain => ({
  reputation: { lists: [{ name: 'A list', asked, listed: true, category: 'malware' }] },
})

interface Row {
  readonly what: string
  readonly result: Plain
  /** The address was given along with the name. */
  readonly is_pair?: true
  /** The pattern of the indicator; null for none. */
  readonly stix: string | null
  /** What MISP detects. */
  readonly misp: readonly string[]
  /** What the title names. */
  readonly title: string
}

const both = { domain: NAME, ip: ADDRESS }
const pairOf = (what: string, result: Plain): Row => {
  const title = `pair of name and address ${NAME} at ${ADDRESS}`
  return { what, result, is_pair: true, stix: null, misp: [], title }
}

const rows: readonly Row[] = [
  {
    what: 'a name',
    result: { domain: NAME, ip: null },
    stix: `[domain-name:value = '${NAME}']`,
    misp: [`domain ${NAME}`],
    title: `domain name ${NAME}`,
  },
  {
    what: 'a name, and not the address that was connected to',
    result: both,
    stix: `[domain-name:value = '${NAME}']`,
    misp: [`domain ${NAME}`],
    title: `domain name ${NAME}`,
  },
  {
    what: 'an address',
    result: { domain: null, ip: ADDRESS, ...listed(ADDRESS) },
    stix: `[ipv4-addr:value = '${ADDRESS}']`,
    misp: [`ip-dst ${ADDRESS}`],
    title: `IP address ${ADDRESS}`,
  },
  {
    what: 'the URL of a link, and neither its host nor the address',
    result: { ...both, url: `https://${NAME}/x` },
    stix: `[url:value = 'https://${NAME}/x']`,
    misp: [`url https://${NAME}/x`],
    title: `URL https://${NAME}/x`,
  },
  {
    what: 'the URL of a link to an address',
    result: { domain: null, ip: ADDRESS, url: `http://${ADDRESS}/x` },
    stix: `[url:value = 'http://${ADDRESS}/x']`,
    misp: [`url http://${ADDRESS}/x`],
    title: `URL http://${ADDRESS}/x`,
  },
  pairOf('neither of a pair whose address is listed', { ...both, ...listed(ADDRESS) }),
  pairOf('neither of a pair whose name is listed', { ...both, ...listed(NAME) }),
  pairOf('neither of a pair whose page is malicious', both),
  pairOf('nobody in a safe pair', { ...both, verdict: 'safe' }),
]

const titled = (verdict: unknown, title: string) =>
  `${{ safe: 'Safe', suspicious: 'Suspicious' }[String(verdict)] ?? 'Malicious'} ${title}`

describe('an exported result', () => {
  for (const { what, result, is_pair = false, stix, misp, title } of rows) {
    const found = phishing({ final_url: null, ...result })

    it(`accuses ${what}, in STIX`, () => {
      const { objects } = exchange('stix', found, { is_pair }) as Bundle
      const of = (type: string) => objects.filter(one => one.type === type)
      assert.deepEqual(
        of('indicator').map(({ pattern }) => pattern),
        stix === null ? [] : [stix],
      )
      const [note] = of('note')
      assert.equal(note?.['abstract'], titled(found['verdict'], title))
      const judged = objects.filter(({ id }) => String(note?.['object_refs']).split(',').includes(id))
      const named = judged.flatMap(({ value }) => (value === undefined ? [] : [value]))
      const alone = found['url'] ?? found['domain'] ?? found['ip']
      assert.deepEqual(named, is_pair ? [found['domain'], found['ip']] : [alone])
      const leads = objects.filter(one => one['relationship_type'] === 'resolves-to')
      assert.equal(leads.length, found['ip'] !== null && found['domain'] !== null && !is_pair ? 1 : 0)
      if (stix === null) assert.deepEqual(of('sighting'), [])
    })

    it(`accuses ${what}, in MISP`, () => {
      const { Event } = exchange('misp', found, { is_pair }) as MispEvent
      const attributes = [...Event.Attribute, ...Event.Object.flatMap(one => one.Attribute)]
      assert.deepEqual(
        attributes.filter(({ to_ids }) => to_ids).map(({ type, value }) => `${type} ${value}`),
        misp,
      )
      assert.ok(Event.info.startsWith(`${titled(found['verdict'], title)} (assay`), Event.info)
      const tuples = Event.Object.filter(({ name }) => name === 'domain-ip')
      assert.equal(tuples.length, found['ip'] !== null && found['domain'] !== null && !is_pair ? 1 : 0)
    })
  }
})
