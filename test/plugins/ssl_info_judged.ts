// Evidence of a sound handshake with parts replaced, and what ssl_info says of it.
import assert from 'node:assert/strict'
import plugin from '../../plugins/ssl_info/index.ts'
import type { Section } from '../../plugins/ssl_info/section.ts'
import type { Certificate, Tls } from '../../plugins/ssl_info/tls.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import type { Evidence, Finding, Target } from '../../src/engine/plugin.ts'
import { domainTarget } from '../evidence_of.ts'

export { domainTarget } from '../evidence_of.ts'

export const now = new Date('2026-11-20T12:00:00Z')

export function certificate(parts: Partial<Certificate> = {}): Certificate {
  return {
    subject: { label: 'shop.example', common_name: 'shop.example', organization: null, country: null },
    issuer: { label: 'Example CA 1', common_name: 'Example CA 1', organization: 'Example Trust', country: 'NL' },
    serial: '4a',
    not_before: '2026-10-01T00:00:00Z',
    not_after: '2026-12-30T23:59:59Z',
    dns_names: ['shop.example', '*.shop.example'],
    ip_addresses: [],
    key: { kind: 'ec', bits: null, curve: 'P-256' },
    signature_algorithm: 'ecdsa-with-SHA256',
    is_ca: false,
    extended_key_usage: ['1.3.6.1.5.5.7.3.1'],
    self_signed: false,
    fingerprint_sha256: 'f'.repeat(64),
    ...parts,
  }
}

export const authority = (parts: Partial<Certificate> = {}): Certificate =>
  certificate({ is_ca: true, dns_names: [], extended_key_usage: null, not_after: '2030-01-01T00:00:00Z', ...parts })

export function tls(parts: Partial<Tls> = {}): Tls {
  const { chain = [certificate(), authority()] } = parts
  return {
    status: 'handshake',
    failure: null,
    address: '93.184.216.34',
    server_name: 'shop.example',
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    alpn: 'http/1.1',
    key_exchange: { kind: 'ECDH', group: 'X25519', bits: 253, post_quantum: null },
    only_legacy: false,
    client_certificate_requested: false,
    chain,
    chain_length: chain.length,
    root: authority({ self_signed: true }),
    public_root: false,
    path_errors: [],
    paths: 1,
    beside: [],
    missing_intermediate: false,
    verify_error: null,
    anchored: true,
    stapled: false,
    staple: null,
    must_staple: false,
    timestamps: [],
    ...parts,
  }
}

const unshown = { stapled: null, staple: null, must_staple: null, timestamps: null } as const

export const withoutTls = (status: 'failed' | 'refused', failure: string | null = null): Tls =>
  tls({
    status,
    failure,
    protocol: null,
    cipher: null,
    alpn: null,
    key_exchange: null,
    chain: [],
    chain_length: null,
    root: null,
    public_root: null,
    paths: 0,
    beside: null,
    anchored: null,
    ...unshown,
  })

export interface Judged {
  readonly target?: Target
  readonly now?: Date
  readonly expiry_warning_days?: number
  readonly page?: Evidence['page'] | null
  readonly dns?: Evidence['dns'] | null
}

const validate = sectionAjv().compile(plugin.schema)

export function find(evidence: Tls, judged: Judged = {}): Finding<Section, string> {
  const finding = plugin.analyze(
    { tls: evidence, page: judged.page ?? null, dns: judged.dns ?? null },
    {
      target: judged.target ?? domainTarget('shop.example'),
      missing: {},
      now: judged.now ?? now,
      options: { expiry_warning_days: judged.expiry_warning_days ?? 14 },
    },
  )
  if ('section' in finding) assert.ok(validate(finding.section), JSON.stringify(validate.errors))
  return finding
}

export interface Judgement {
  readonly section: Section
  readonly reasons: readonly string[]
  readonly signals: readonly string[]
}

/** As `find`, for evidence that yields a section. */
export function judge(evidence: Tls, judged: Judged = {}): Judgement {
  const finding = find(evidence, judged)
  assert.ok('section' in finding)
  const { section, signals } = finding
  return { section, reasons: section.invalid_reasons, signals: signals.map(({ id }) => id) }
}
