// Which DNS servers can be named, and where an address is dialled.
import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { wayTo } from '../../src/network/dial.ts'
import { parseResolver, withZones } from '../../src/network/endpoints.ts'

describe('a DNS server', () => {
  const rows: readonly (readonly [string, string | null, number?])[] = [
    ['9.9.9.9', '9.9.9.9', 53],
    ['[::1]:5353', '::1', 5353],
    ['fe80::1%eth0', 'fe80::1%eth0', 53],
    ['[fe80::1%wlp3s0.7]:5353', 'fe80::1%wlp3s0.7', 5353],
    ['2620:fe::fe%eth0', null],
    ['fe80::1%', null],
    ['fe80::1%a%b', null],
    ['fe80::1%a b', null],
    ['localhost', null],
  ]
  for (const [text, host, port] of rows)
    test(`${text} is ${host === null ? 'not read' : 'read'}`, () =>
      deepEqual(parseResolver(text), host === null ? null : { host, port }))
})

describe('a DNS server of the system', () => {
  const rows: readonly (readonly [title: string, conf: string, servers: readonly string[], read: readonly string[]])[] =
    [
      ['has the zone of resolv.conf', 'nameserver fe80::1%eth0\n', ['fe80::1'], ['fe80::1%eth0']],
      ['is found in any spelling', 'options x\n nameserver\tFE80:0::1%eth0 # home\n', ['fe80::1'], ['fe80::1%eth0']],
      [
        'has no zone if none is written',
        'nameserver fe80::1\nnameserver ::1\n',
        ['fe80::1', '::1'],
        ['fe80::1', '::1'],
      ],
      ['has no zone in a comment', '# nameserver fe80::1%eth0\n', ['fe80::1'], ['fe80::1']],
      ['is kept without the file', '', ['9.9.9.9', '[::1]:5353'], ['9.9.9.9', '[::1]:5353']],
    ]
  for (const [title, conf, servers, read] of rows) test(title, () => deepEqual(withZones(servers, conf), read))
})

describe('an IPv4 address', () => {
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ['is dialled as it is', ['192.0.2.7/24', '2001:db8::7/64'], '93.184.216.34'],
    [
      'is dialled through the NAT64 of a network with IPv6 alone',
      ['2001:db8::7/64', 'fe80::7/64'],
      '64:ff9b::93.184.216.34',
    ],
    ['is dialled as it is on a machine without a network', [], '93.184.216.34'],
    ['is dialled as it is where IPv6 reaches the link alone', ['fe80::7/64'], '93.184.216.34'],
  ]
  for (const [title, own, dialled] of rows) test(title, () => equal(wayTo('93.184.216.34', own), dialled))

  test('of version 6 is never translated', () => equal(wayTo('2606:4700::1', ['2001:db8::7/64']), '2606:4700::1'))
})
