import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { rootCertificates } from 'node:tls'
import { isPublicRoot } from '../../src/evidence/tls/trust_store.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()

describe('a public root', () => {
  it('is each one that Node ships', () => {
    assert.deepEqual(
      rootCertificates.filter(pem => !isPublicRoot(fingerprint(pem))),
      [],
    )
  })

  it('is not one that an installation adds', () => {
    assert.equal(isPublicRoot(fingerprint(createAuthority().certificate)), false)
  })
})
