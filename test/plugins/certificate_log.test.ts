// Certificate logs, as crt.sh answers.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readCertificates } from '../../plugins/certificate_log/index.ts'
import { describeSource, TARGET } from './third_party.ts'

const certificates = [
  {
    issuer_ca_id: 16_418,
    issuer_name: "C=US, O=Let's Encrypt, CN=R3",
    common_name: TARGET,
    id: 1,
    name_value: `${TARGET}\n*.${TARGET}\nMail.${TARGET}`,
    entry_timestamp: '2024-01-02T03:04:05.6',
    not_before: '2024-01-02T02:04:05',
    not_after: '2024-04-01T02:04:05',
    serial_number: '03',
  },
  {
    issuer_name: 'C=GB, O="Sectigo Limited", CN=x',
    common_name: TARGET,
    name_value: `other-${TARGET}`,
    not_before: '2021-05-06T00:00:00',
    not_after: '2022-05-06T23:59:59',
  },
  { issuer_name: "C=US, O=Let's Encrypt, CN=E5", name_value: TARGET, not_before: '2026-10-01T00:00:00' },
  { issuer_name: 'O=Elsewhere', name_value: `${TARGET}.elsewhere.example`, not_before: '2019-01-01T00:00:00' },
]
describeSource('certificate_log', {
  extension: 'crt_sh',
  key: '',
  header: 'authorization',
  read: readCertificates,
  url: /^\/\?q=healthy-shop\.lab&output=json&deduplicate=Y$/,
  body: JSON.stringify(certificates),
  section: {
    certificates: 2,
    first_issued_at: '2024-01-02T02:04:05.000Z',
    last_issued_at: '2026-10-01T00:00:00.000Z',
    issuers: ["Let's Encrypt"],
    names: [`*.${TARGET}`, `mail.${TARGET}`],
  },
  none: { reason: 'ip_target' },
})

it('a domain without certificates has no first one', () => {
  const { certificates, first_issued_at } = readCertificates([], TARGET) ?? assert.fail()
  assert.deepEqual([certificates, first_issued_at], [0, null])
})

it('finds the names of the domain behind a thousand others', () => {
  const others = Array.from({ length: 1_200 }, (_, number) => `a${number}.elsewhere.example`)
  const shared = {
    issuer_name: 'O=One',
    name_value: [...others, `shop.${TARGET}`].join('\n'),
    not_before: '2025-01-01T00:00:00',
  }
  assert.deepEqual(readCertificates([shared], TARGET)?.names, [`shop.${TARGET}`])
})
