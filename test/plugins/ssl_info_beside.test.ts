// What the certificates are that a server sends beside the path.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Certificate } from '../../plugins/ssl_info/tls.ts'
import { authority, certificate, judge, tls, withoutTls } from './ssl_info_judged.ts'

const nameOf = (common_name: string, organization: string | null = 'Example Trust') => ({
  label: common_name,
  common_name,
  organization,
  country: 'NL',
})
const [top, issuing, old] = [nameOf('Example Root'), nameOf('Example CA 1'), nameOf('Old Root', 'Other Trust')]
const root = authority({ subject: top, issuer: top, self_signed: true })
const intermediate = authority({ subject: issuing, issuer: top })
const path = { chain: [certificate({ issuer: issuing }), intermediate], root }

describe('a certificate beside the path', () => {
  const past = { not_after: '2020-01-01T00:00:00Z' }
  const rows: readonly (readonly [what: string, sent: Certificate, role: string, parts?: object])[] = [
    ['of another root', authority({ subject: old, issuer: old, self_signed: true }), 'root'],
    ['of an expired root', authority({ subject: old, issuer: old, self_signed: true, ...past }), 'root'],
    ['of the issuer, signed by another root', authority({ subject: issuing, issuer: old }), 'cross_sign'],
    ['of the issuer, by another root, expired', authority({ subject: issuing, issuer: old, ...past }), 'cross_sign'],
    ['of the root, signed by another', authority({ subject: top, issuer: old }), 'cross_sign'],
    ['of the root under another key', authority({ subject: top, issuer: top, self_signed: true }), 'cross_sign'],
    [
      'of an authority that issued nothing here',
      authority({ subject: nameOf('Example CA 2'), issuer: top }),
      'other_authority',
    ],
    [
      'of an authority of the same name elsewhere',
      authority({ subject: nameOf('Example CA 1', 'Other Trust'), issuer: old }),
      'other_authority',
    ],
    ['of an authority without a name', authority({ subject: null, issuer: top }), 'other_authority'],
    ['of another site', certificate({ subject: nameOf('other.example', null) }), 'other_leaf'],
    ['of the same site', certificate({ issuer: issuing, ...past }), 'other_leaf'],
    ['of a site that signed it itself', certificate({ self_signed: true }), 'other_leaf'],
    [
      'of the issuer where no path leads to a root',
      authority({ subject: issuing, issuer: old }),
      'cross_sign',
      { root: null },
    ],
    [
      'of a root where no path leads to one',
      authority({ subject: old, issuer: old, self_signed: true }),
      'root',
      { root: null },
    ],
  ]
  for (const [what, sent, role, parts] of rows)
    it(`${what} is ${role}`, () => {
      const { section } = judge(tls({ ...path, ...parts, beside: [sent] }))
      assert.deepEqual(
        section.sent_beside?.map(one => [one.role, one.not_after]),
        [[role, sent.not_after]],
      )
    })

  it('is unknown where not all could be read, or there is no handshake', () => {
    assert.equal(judge(tls({ ...path, beside: null })).section.sent_beside, null)
    assert.equal(judge(withoutTls('refused'), {}).section.sent_beside, null)
  })
})
