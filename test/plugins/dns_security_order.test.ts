// Resolvers rotate the records of a set, so their order says nothing (RFC 2181 section 5).
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { gatherDns } from '../../src/evidence/dns/gather.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { limits } from '../../src/network/limits.ts'
import { unvetted } from '../../src/targets/target.ts'
import { domainTarget, resolverOf, type Zone } from '../evidence/mail_zone.ts'
import { check, healthy } from './dns_security_checked.ts'

const NAME = 'example.com'

const zone: Zone = {
  ...healthy,
  [NAME]: {
    ...healthy[NAME],
    MX: [
      { preference: 10, exchange: 'mx1.example.com' },
      { preference: 10, exchange: 'mx2.example.com' },
      { preference: 5, exchange: 'mx.example.com' },
    ],
    TXT: ['v=spf1 mx include:a.example.net -all', 'v=spf1 -all', 'verification=1', 'verification=2', 'v=spf2 a'],
    NS: ['ns1.example.com', 'ns2.example.com', 'ns3.example.com', 'ns4.example.com', 'ns5.example.com'],
    CAA: [
      { critical: false, tag: 'issue', value: 'ca.example' },
      { critical: false, tag: 'issue', value: 'not a name' },
      { critical: true, tag: 'future', value: 'x' },
    ],
    DS: [8, 13, 5].map(algorithm => ({ key_tag: algorithm, algorithm, digest_type: 2 })),
    DNSKEY: [256, 257].map(flags => ({ flags, algorithm: 8, bits: flags === 256 ? 512 : 768 })),
  },
  'mx1.example.com': { A: ['192.0.2.1', '192.0.2.2', '10.0.0.1'], AAAA: ['2001:db8::1', '2001:db8::2'] },
  'ns3.example.com': { AAAA: ['2001:db8::3'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject', 'v=DMARC2; p=none'] },
  '_mta-sts.example.com': { TXT: ['v=STSv1; id=1', 'v=STSv2; id=2', 'v=STSv3; id=3'] },
  'default._bimi.example.com': { TXT: ['v=BIMI1; l=', 'v=BIMI1; l=https://example.com/l.svg'] },
}

/** Each set of records in another order. */
const shuffled: fc.Arbitrary<Zone> = fc.record(
  Object.fromEntries(
    Object.entries(zone).map(([name, records]) => [
      name,
      fc.record(
        Object.fromEntries(
          Object.entries(records).map(([type, set]) => [
            type,
            fc.shuffledSubarray([...(set as readonly unknown[])], { minLength: (set as readonly unknown[]).length }),
          ]),
        ),
      ),
    ]),
  ),
) as fc.Arbitrary<Zone>

async function dnsIn(records: Zone) {
  const signal = new AbortController().signal
  const { resolver } = resolverOf(records)
  const network = { limits, resolver, ...unvetted, refuse: () => null }
  const context = { target: domainTarget(NAME), signal, network, shared: new Map() } as unknown as GatherContext
  return gatherDns(context)
}

const judged = async (records: Zone) => {
  const { section, signals } = await check(NAME, records, { dns: await dnsIn(records) })
  return { section, signals }
}

describe('dns_security', () => {
  test('reports the same whatever order the records arrive in', async () => {
    const expected = await judged(zone)
    await fc.assert(fc.asyncProperty(shuffled, async records => deepEqual(await judged(records), expected)))
  })
})
