// What ssl_info says about the CAA records of the domain and the issuer of its certificate.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { caaDomainsOf } from '../../plugins/ssl_info/caa.ts'
import type { Evidence } from '../../src/engine/plugin.ts'
import { domainTarget, zoneOf } from '../evidence_of.ts'
import { authority, certificate, find, judge, tls } from './ssl_info_judged.ts'

type CaaRecord = readonly [tag: string, value: string, critical?: boolean]

function dnsWith(records: readonly CaaRecord[], caa_at = 'www.shop.example'): Evidence['dns'] {
  const found = { status: 'found', ttl: 60, authenticated: false, cnames: [] } as const
  const caa = { ...found, records: records.map(([tag, value, critical = false]) => ({ tag, value, critical })) }
  return zoneOf({ zone: 'shop.example', ...(records.length > 0 && { caa, caa_at }) })
}

const target = domainTarget('www.shop.example', 'shop.example')

const issuedBy = (organization: string | null, dns_names = ['www.shop.example']) => {
  const issuer = { label: 'R10', common_name: 'R10', organization, country: 'US' }
  return tls({ chain: [certificate({ issuer, dns_names }), authority()] })
}
const ours = issuedBy("Let's Encrypt")

describe('CAA records', () => {
  const wildcard = issuedBy("Let's Encrypt", ['*.shop.example'])
  const both: CaaRecord[] = [
    ['issue', 'letsencrypt.org'],
    ['issuewild', 'digicert.com'],
  ]
  const rows: [title: string, evidence: typeof ours, dns: Evidence['dns'], permits: boolean | null | undefined][] = [
    ['that name the issuer permit it', ours, dnsWith([['issue', 'letsencrypt.org']]), true],
    ['in capitals permit it', ours, dnsWith([['ISSUE', 'LetsEncrypt.ORG']]), true],
    ['with parameters permit it', ours, dnsWith([['issue', ' letsencrypt.org ; accounturi=https://a/1']]), true],
    [
      'with another authority beside it permit it',
      ours,
      dnsWith([
        ['issue', 'pki.goog'],
        ['issue', 'letsencrypt.org'],
      ]),
      true,
    ],
    ['that name another authority do not', ours, dnsWith([['issue', 'digicert.com']]), false],
    ['that name a longer name do not', ours, dnsWith([['issue', 'notletsencrypt.org']]), false],
    ['that allow nobody do not', ours, dnsWith([['issue', ';']]), false],
    ['that allow nobody permit no unknown issuer', issuedBy('Example Trust'), dnsWith([['issue', ';']]), false],
    [
      'with a critical property that is unknown do not',
      ours,
      dnsWith([
        ['issue', 'letsencrypt.org'],
        ['tbs', 'x', true],
      ]),
      false,
    ],
    ['with such a property alone do not', ours, dnsWith([['tbs', 'x', true]]), false],
    [
      'with an unknown property that is not critical permit it',
      ours,
      dnsWith([
        ['issue', 'letsencrypt.org'],
        ['tbs', 'x'],
      ]),
      true,
    ],
    ['leave an unknown issuer open', issuedBy('Example Trust'), dnsWith([['issue', 'digicert.com']]), null],
    ['leave an issuer without organization open', issuedBy(null), dnsWith([['issue', 'digicert.com']]), null],
    ['for wildcards do not count for the name itself', ours, dnsWith(both), true],
    ['for wildcards count for a wildcard', wildcard, dnsWith(both, 'shop.example'), false],
    ['for all names count for a wildcard', wildcard, dnsWith([['issue', 'letsencrypt.org']], 'shop.example'), true],
    ['of the name do not count for a wildcard of its parent', wildcard, dnsWith(both), undefined],
    [
      'of the registrable domain count for its subdomain',
      ours,
      dnsWith([['issue', 'digicert.com']], 'shop.example'),
      false,
    ],
    ['without a property that restricts do not apply', ours, dnsWith([['iodef', 'mailto:a@shop.example']]), undefined],
    ['that do not exist do not apply', ours, dnsWith([]), undefined],
    [
      'that nobody answered for do not apply',
      ours,
      { ...dnsWith([]), caa: { status: 'unknown', reason: 'timeout' } },
      undefined,
    ],
    [
      'do not apply to a certificate without a trusted path',
      { ...ours, anchored: false },
      dnsWith([['issue', 'digicert.com']]),
      undefined,
    ],
    [
      'do not apply to a certificate for another name',
      issuedBy("Let's Encrypt", ['other.example']),
      dnsWith([['issue', 'digicert.com']]),
      undefined,
    ],
  ]
  for (const [title, evidence, dns, permits] of rows) {
    it(title, () => {
      const { section, signals } = judge(evidence, {
        dns,
        target,
      })
      assert.equal(section.caa?.permits_issuer, permits)
      assert.equal(signals.includes('issuer_not_in_caa'), permits === false)
    })
  }

  it('are unknown, with the reason, if the query was not answered', () => {
    const caa = { status: 'unknown', reason: 'servfail' } as const
    const unknownOf = (evidence: typeof ours) => {
      const finding = find(evidence, { target, dns: { ...dnsWith([]), caa } })
      return 'section' in finding && finding.unknown
    }
    assert.equal(unknownOf(ours), 'caa_servfail')
    // Without a trusted certificate there is nothing to permit.
    assert.equal(unknownOf({ ...ours, anchored: false }), null)
  })

  it('never make it throw, whatever they contain', () => {
    const record = fc.record({
      tag: fc.oneof(fc.constantFrom('issue', 'issuewild', 'Issue'), fc.string({ unit: 'binary', maxLength: 20 })),
      value: fc.string({ unit: 'binary', maxLength: 300 }),
      critical: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 60 }), records => {
        const { section } = judge(ours, {
          target,
          dns: dnsWith(records.map(({ tag, value, critical }) => [tag, value, critical])),
        })
        assert.ok((section.caa?.allowed.length ?? 0) <= 20)
      }),
    )
  })
})

describe('the table of authorities', () => {
  const rows: [organization: string, domain: string | null][] = [
    ["Let's Encrypt", 'letsencrypt.org'],
    ['DigiCert, Inc.', 'digicert.com'],
    ['DIGICERT INC', 'digicert.com'],
    ['Google Trust Services LLC', 'pki.goog'],
    ['SECTIGO LIMITED', 'sectigo.com'],
    ['Example Trust', null],
    ['', null],
  ]
  for (const [organization, domain] of rows) {
    it(`names ${domain ?? 'nobody'} for ${organization || 'no organization'}`, () => {
      assert.equal(caaDomainsOf(organization)?.[0] ?? null, domain)
    })
  }
})
