import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Staple, Tls } from '../../src/evidence/tls/facts.ts'
import { parseOcspResponse } from '../../src/evidence/tls/ocsp_response.ts'
import { describeStaple } from '../../src/evidence/tls/staple.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { startLabWeb } from '../../src/testing/lab_web.ts'
import { without } from '../needs.ts'
import { domainTarget } from './lab_check.ts'
import { startVisit } from './lab_visit.ts'
import { createOpensslAuthority, type OpensslAuthority, type ResponseOptions } from './openssl_authority.ts'

const skip = without('openssl')
const here = '93.184.216.34'

let authority: OpensslAuthority
before(() => {
  if (!skip) authority = createOpensslAuthority()
})

describe('an OCSP response', { skip }, () => {
  const read = async (response: Buffer, candidates = [authority.der('root')]): Promise<Staple> =>
    (await describeStaple(response, authority.der('leaf'), candidates)).staple
  const told = ({ certificate_status, revoked_at, revocation_reason, for_this_certificate, verified }: Staple) => [
    certificate_status,
    revoked_at,
    revocation_reason,
    for_this_certificate,
    verified,
  ]

  const rows: [title: string, options: ResponseOptions, told: unknown[]][] = [
    ['says good, signed by the issuer', {}, ['good', null, null, true, true]],
    ['identifies the issuer by its key', { by_key: true }, ['good', null, null, true, true]],
    ['identifies the certificate by SHA-256', { hash: 'sha256' }, ['good', null, null, true, true]],
    ['says revoked', { status: 'revoked' }, ['revoked', '2026-01-01T12:00:00Z', null, true, true]],
    [
      'says revoked, and why',
      { status: 'revoked_key' },
      ['revoked', '2026-01-01T12:00:00Z', 'key_compromise', true, true],
    ],
    ['says unknown', { status: 'unknown' }, ['unknown', null, null, true, true]],
    ['is signed by an authorized responder', { signer: 'responder' }, ['good', null, null, true, true]],
    [
      'is signed by an authorized responder, identified by its key',
      { signer: 'responder', by_key: true },
      ['good', null, null, true, true],
    ],
    [
      'is signed by a stranger',
      { signer: 'stranger', status: 'revoked' },
      ['revoked', '2026-01-01T12:00:00Z', null, true, null],
    ],
    ['is signed by a certificate that is not for OCSP', { signer: 'leaf' }, ['good', null, null, true, null]],
    ['is about another certificate', { about: 'other' }, [null, null, null, false, true]],
  ]
  for (const [title, options, expected] of rows) {
    it(title, async () => assert.deepEqual(told(await read(authority.response(options))), expected))
  }

  it('has the times of its updates', async () => {
    const { produced_at, this_update, next_update } = await read(authority.response({ minutes: 90 }))
    assert.equal(produced_at, this_update)
    assert.equal(Date.parse(next_update ?? '') - Date.parse(this_update ?? ''), 90 * 60_000)
  })

  it('may lack the time of the next update', async () => {
    assert.equal((await read(authority.response({ minutes: null }))).next_update, null)
  })

  it('is not verified without the certificate of the issuer', async () => {
    const { certificate_status, for_this_certificate, verified } = await read(authority.response(), [])
    assert.deepEqual([certificate_status, for_this_certificate, verified], ['good', null, null])
  })

  it('is not verified after a change of what is signed', async () => {
    const response = authority.response({ status: 'revoked' })
    const at = response.indexOf('20260101120000Z')
    response.write('20250101120000Z', at, 'latin1')
    assert.deepEqual(told(await read(response)), ['revoked', '2025-01-01T12:00:00Z', null, true, false])
  })

  it('with a date that is no date is unreadable', async () => {
    const response = authority.response({ status: 'revoked' })
    response.write('20260230120000Z', response.indexOf('20260101120000Z'), 'latin1')
    assert.equal((await read(response)).response, 'unreadable')
  })

  const others: [title: string, response: Buffer, status: string][] = [
    ['that only says to try later', Buffer.from('30030a0103', 'hex'), 'try_later'],
    ['that refuses', Buffer.from('30030a0106', 'hex'), 'unauthorized'],
    ['with a status that does not exist', Buffer.from('30030a0104', 'hex'), 'unreadable'],
    ['that is successful without content', Buffer.from('30030a0100', 'hex'), 'unreadable'],
    ['with octets after it', Buffer.from('30030a010300', 'hex'), 'unreadable'],
    ['that is empty', Buffer.alloc(0), 'unreadable'],
    ['of more than 64 KiB', Buffer.alloc(65_537, 0x30), 'too_large'],
  ]
  for (const [title, response, status] of others) {
    it(`${title} is ${status}`, async () => assert.equal((await read(response)).response, status))
  }

  it('is unreadable wherever it is cut', () => {
    const response = authority.response({ signer: 'responder' })
    for (let length = 0; length < response.length; length += 1) {
      assert.equal(parseOcspResponse(response.subarray(0, length)), null, `${length} octets`)
    }
  })

  it('never makes the reader throw, and is verified only as it was signed', async () => {
    const response = authority.response({ status: 'revoked' })
    const [leaf, root] = [authority.der('leaf'), authority.der('root')]
    const genuine = parseOcspResponse(response)
    assert.ok(genuine?.status === 'successful')
    const change = fc.record({ at: fc.nat(response.length - 1), octet: fc.integer({ min: 1, max: 255 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async changes => {
        const damaged = Buffer.from(response)
        for (const { at, octet } of changes) damaged[at] = (damaged[at] ?? 0) ^ octet
        const { staple } = await describeStaple(damaged, leaf, [root])
        const parsed = parseOcspResponse(damaged)
        const signed = parsed?.status === 'successful' && parsed.basic.signed.equals(genuine.basic.signed)
        if (!signed) assert.notEqual(staple.verified, true)
      }),
      { numRuns: 300 },
    )
  })
})

it('any octets in place of an OCSP response or a certificate are read without an exception', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 400 }),
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('', '3080', '3082ffff', '30030a0100', '3084ffffffff'),
      async (response, certificate, head) => {
        const bytes = Buffer.concat([Buffer.from(head, 'hex'), response])
        const { staple } = await describeStaple(bytes, Buffer.from(certificate), [Buffer.from(certificate)])
        assert.notEqual(staple.verified, true)
      },
    ),
  )
})

describe('a server', { skip }, () => {
  let dns: LabDns
  before(async () => {
    dns = await startLabDns({ zones: { 'a.example': { A: [here] } } })
  })
  after(() => dns.close())

  async function see(leaf: 'leaf' | 'demanding', response: Buffer | null): Promise<Tls> {
    const server = await authority.serve(leaf, response)
    const web = await startLabWeb()
    web.place(here, 443, server.port)
    const check = startVisit(web, dns, domainTarget('a.example'), { extra_roots: authority.root })
    const seen = await check.gather('tls')
    check.end()
    await Promise.all([web.close(), server.close()])
    return seen
  }

  it('staples a response', async () => {
    const { stapled, staple, must_staple } = await see('leaf', authority.response())
    assert.deepEqual(
      [
        stapled,
        must_staple,
        staple?.response,
        staple?.certificate_status,
        staple?.for_this_certificate,
        staple?.verified,
      ],
      [true, false, 'successful', 'good', true, true],
    )
  })

  it('staples the response that its certificate is revoked', async () => {
    const { staple } = await see('leaf', authority.response({ status: 'revoked_key' }))
    assert.deepEqual(
      [staple?.certificate_status, staple?.revocation_reason, staple?.verified],
      ['revoked', 'key_compromise', true],
    )
  })

  it('staples nothing, though its certificate demands it', async () => {
    const { stapled, staple, must_staple } = await see('demanding', null)
    assert.deepEqual([stapled, staple, must_staple], [false, null, true])
  })

  it('staples what is no response', async () => {
    const { stapled, staple } = await see('leaf', Buffer.from('30030a0104', 'hex'))
    assert.deepEqual([stapled, staple?.response], [true, 'unreadable'])
  })
})
