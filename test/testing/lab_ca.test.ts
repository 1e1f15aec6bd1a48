import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { createAuthority, type KeyKind, selfSign } from '../../src/testing/lab_ca.ts'

describe('the lab certificate authority', () => {
  for (const key of ['p256', 'p384', 'p521', 'ed25519', 'rsa1024'] satisfies KeyKind[]) {
    it(`issues a ${key} certificate that its intermediate and root verify`, () => {
      const root = createAuthority({ key })
      const issued = root.subordinate({ key }).issue({ names: ['a.example'], ips: ['192.0.2.1', '2001:db8::1'], key })
      const [leaf, intermediate, top] = issued.chain.map(pem => new X509Certificate(pem))
      assert.ok(leaf && intermediate && top)
      assert.equal(leaf.subjectAltName, 'DNS:a.example, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1')
      assert.deepEqual([leaf.ca, intermediate.ca, top.ca], [false, true, true])
      assert.ok(leaf.verify(intermediate.publicKey) && intermediate.verify(top.publicKey) && top.verify(top.publicKey))
      assert.ok(leaf.checkIssued(intermediate))
      assert.equal(issued.cert, `${issued.chain[0]}${issued.chain[1]}`)
    })
  }

  it('issues invalid certificates too', () => {
    const made = selfSign({
      subject: [
        ['O', 'One'],
        ['O', 'Tw\0o'],
      ],
      not_before: new Date('1901-01-01T00:00:00Z'),
      not_after: new Date('9999-12-31T23:59:59Z'),
      serial: -129n,
    })
    const certificate = new X509Certificate(made.cert)
    assert.equal(certificate.serialNumber, '-81')
    assert.equal(certificate.validTo, 'Dec 31 23:59:59 9999 GMT')
    assert.match(certificate.validFrom, /1901/)
    assert.ok(certificate.verify(certificate.publicKey))
    assert.equal(certificate.subjectAltName, undefined)
  })
})
