// Passive DNS, in the Common Output Format.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readRecords } from '../../plugins/passive_dns/index.ts'
import { describeSource, TARGET } from './third_party.ts'

const records = [
  { rrname: `${TARGET}.`, rrtype: 'A', rdata: '192.0.2.1', time_first: 1_600_000_000, time_last: 1_610_000_000 },
  {
    rrname: TARGET,
    rrtype: 'NS',
    rdata: ['ns1.example.', 'ns2.example.'],
    time_first: 1_590_000_000,
    time_last: 1_760_000_000,
  },
  { rrname: TARGET, rrtype: 'SOA', rdata: 'x', time_first: 1, time_last: 1 },
]
const record = (type: string, value: string, first_seen_at: string, last_seen_at: string) => ({
  name: TARGET,
  type,
  value,
  first_seen_at,
  last_seen_at,
})
describeSource('passive_dns', {
  extension: 'passive_dns_server',
  key: 'Basic dXNlcjpwYXNz',
  header: 'authorization',
  read: readRecords,
  url: /^\/healthy-shop\.lab$/,
  body: `${records.map(one => JSON.stringify(one)).join('\n')}\n`,
  section: {
    first_seen_at: '2020-05-20T18:40:00.000Z',
    last_seen_at: '2025-10-09T08:53:20.000Z',
    total: 3,
    records: [
      record('NS', 'ns1.example', '2020-05-20T18:40:00.000Z', '2025-10-09T08:53:20.000Z'),
      record('NS', 'ns2.example', '2020-05-20T18:40:00.000Z', '2025-10-09T08:53:20.000Z'),
      record('A', '192.0.2.1', '2020-09-13T12:26:40.000Z', '2021-01-07T06:13:20.000Z'),
    ],
  },
  none: { section: { first_seen_at: null, last_seen_at: null, total: 0, records: [] } },
})

it('a record without a value or a time is passed over or has none', () => {
  const odd = [
    { rrtype: 'A', rdata: 1 },
    { rrtype: 'A', rrname: 'a', rdata: 'b', time_first: 'x', time_last: 1e99 },
  ]
  assert.deepEqual(readRecords(odd)?.records, [
    { name: 'a', type: 'A', value: 'b', first_seen_at: null, last_seen_at: null },
  ])
})
