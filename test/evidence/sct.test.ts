import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { demandsStaple, embeddedTimestampsOf } from '../../src/evidence/tls/leaf.ts'
import { nameLogs, readTimestamps } from '../../src/evidence/tls/sct.ts'
import { integer, octets, sequence, utf8 } from '../../src/testing/der.ts'
import { createAuthority, extension } from '../../src/testing/lab_ca.ts'

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
const vector = (content: Buffer) => Buffer.concat([uint16(content.length), content])

/** A timestamp of RFC 6962 section 3.2, with a signature of any octets. */
function sct(log: number, at: bigint, { version = 0, extensions = Buffer.alloc(0), trailing = Buffer.alloc(0) } = {}) {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(at)
  const head = [Buffer.from([version]), Buffer.alloc(32, log), time, vector(extensions)]
  return Buffer.concat([...head, Buffer.from([4, 3]), vector(Buffer.alloc(71, 9)), trailing])
}
const list = (...scts: readonly Buffer[]) => octets(vector(Buffer.concat(scts.map(vector))))

const moment = 1_767_268_800_123n
const logged_at = '2026-01-01T12:00:00.123Z'
const seen = (log: number) => ({ log_id: Buffer.alloc(32, log).toString('base64'), logged_at, source: 'certificate' })

describe('the log of a timestamp', () => {
  const timestamp = { log_id: Buffer.alloc(32, 1).toString('base64'), logged_at, source: 'certificate' } as const
  const log = { name: 'Argon', operator: 'Google', state: 'usable' }
  const other = { ...timestamp, log_id: Buffer.alloc(32, 2).toString('base64') }

  it('is named where the list has it', () =>
    assert.deepEqual(nameLogs([timestamp, other], new Map([[timestamp.log_id, log]])), [{ ...timestamp, log }, other]))

  it('is not named without a list', () => assert.deepEqual(nameLogs([timestamp], null), [timestamp]))
})

describe('certificate timestamps', () => {
  const rows: [title: string, value: Buffer, told: unknown][] = [
    ['of two logs', list(sct(1, moment), sct(2, moment)), [seen(1), seen(2)]],
    ['with extensions', list(sct(1, moment, { extensions: Buffer.from('leaf index') })), [seen(1)]],
    ['without any', list(), []],
    ['of a later version are skipped', list(sct(1, moment, { version: 1 }), sct(2, moment)), [seen(2)]],
    ['of the year 10000 are malformed', list(sct(1, 253_402_300_800_000n)), null],
    ['with the longest time are malformed', list(sct(1, 0xffff_ffff_ffff_ffffn)), null],
    ['with octets after the signature are malformed', list(sct(1, moment, { trailing: Buffer.from([0]) })), null],
    ['of no octets are malformed', list(Buffer.alloc(0)), null],
    ['in a list that is longer than it says are malformed', octets(Buffer.concat([uint16(0), sct(1, moment)])), null],
    ['in a list that is shorter than it says are malformed', octets(uint16(200)), null],
    ['without the inner octet string are malformed', vector(sct(1, moment)), null],
  ]
  for (const [title, value, told] of rows) {
    it(title, () => assert.deepEqual(readTimestamps(value, 'certificate'), told))
  }

  it('are at most 64', () => {
    const many = Array.from({ length: 200 }, () => sct(1, moment))
    assert.equal(readTimestamps(list(...many), 'staple')?.length, 64)
  })

  it('of any octets are read without an exception', () => {
    const value = list(sct(1, moment), sct(2, moment))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(value.length), (bytes, at) => {
        for (const hostile of [bytes, Buffer.concat([value.subarray(0, at), bytes])]) {
          const found = readTimestamps(Buffer.from(hostile), 'certificate')
          for (const { log_id } of found ?? []) assert.equal(Buffer.from(log_id, 'base64').length, 32)
        }
      }),
    )
  })
})

describe('the extensions of a certificate', () => {
  const authority = createAuthority()
  const derOf = (...extensions: readonly Buffer[]): Buffer => {
    const [pem = ''] = authority.issue({ names: ['a.example'], extensions }).chain
    return Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64')
  }
  const feature = (value: Buffer) => extension('1.3.6.1.5.5.7.1.24', false, value)

  const features: [title: string, extensions: readonly Buffer[], told: boolean | null][] = [
    ['without a feature demand no staple', [], false],
    ['with status_request demand a staple', [feature(sequence(integer(5n)))], true],
    ['with several features may demand a staple', [feature(sequence(integer(17n), integer(5n)))], true],
    ['with another feature demand no staple', [feature(sequence(integer(17n)))], false],
    ['with a longer number demand no staple', [feature(sequence(integer(0x0105n)))], false],
    ['with text for a feature do not tell', [feature(sequence(utf8('5')))], null],
    ['with a feature that is no list do not tell', [feature(integer(5n))], null],
  ]
  for (const [title, extensions, told] of features) {
    it(title, () => assert.equal(demandsStaple(derOf(...extensions)), told))
  }

  const embedded = (value: Buffer) => extension('1.3.6.1.4.1.11129.2.4.2', false, value)
  const timestamps: [title: string, extensions: readonly Buffer[], told: unknown][] = [
    ['without timestamps have none', [], []],
    ['with timestamps show them', [embedded(list(sct(7, moment)))], [seen(7)]],
    ['with malformed timestamps do not tell', [embedded(octets(uint16(9)))], null],
    ['with timestamps after 70 others show them', [...others(70), embedded(list(sct(7, moment)))], [seen(7)]],
  ]
  for (const [title, extensions, told] of timestamps) {
    it(title, () => assert.deepEqual(embeddedTimestampsOf(derOf(...extensions)), told))
  }

  it('of any octets are read without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), bytes => {
        demandsStaple(Buffer.from(bytes))
        embeddedTimestampsOf(Buffer.from(bytes))
      }),
    )
  })
})

function others(count: number): Buffer[] {
  return Array.from({ length: count }, (_, at) => extension(`1.3.6.1.4.1.99999.${at}`, false, octets(Buffer.alloc(1))))
}
