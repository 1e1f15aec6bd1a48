// Public scans, as the search of urlscan.io answers.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readScans } from '../../plugins/public_scans/index.ts'
import { describeSource, TARGET } from './third_party.ts'

const UUID = '018f2a5b-1c1e-7000-8000-0123456789ab'
const scans = {
  results: [
    {
      submitter: {},
      _id: UUID,
      stats: { requests: 3 },
      task: { visibility: 'public', uuid: UUID, time: '2026-11-02T03:04:05.678Z', url: `https://${TARGET}/` },
      page: { url: `https://${TARGET}/start?reset=secret#top`, ip: '193.0.14.10', status: '200' },
    },
  ],
  total: 12,
  took: 4,
  has_more: true,
}

describeSource('public_scans', {
  extension: 'urlscan',
  key: 'U-KEY',
  header: 'api-key',
  read: readScans,
  url: /^\/search\/\?size=10&q=page\.domain:%22healthy-shop\.lab%22$/,
  body: JSON.stringify(scans),
  section: {
    total: 12,
    last_scanned_at: '2026-11-02T03:04:05.678Z',
    scans: [
      {
        scanned_at: '2026-11-02T03:04:05.678Z',
        page: `https://${TARGET}/start`,
        ip: '193.0.14.10',
        report: `https://urlscan.io/result/${UUID}/`,
      },
    ],
  },
  none: { reason: 'status_404' },
})

it('a scan without a time or an ID is passed over', () =>
  assert.deepEqual(readScans({ total: 1, results: [null, { task: { time: 'x', uuid: UUID } }] })?.scans, []))
