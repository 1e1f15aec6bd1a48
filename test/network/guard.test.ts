import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { throughNat64, translatedAddresses } from '../../src/network/address_block.ts'
import {
  createGuard,
  denyFault,
  interfaceAddresses,
  isGloballyReachable,
  refusalOf,
  type SpecialBlock,
  specialBlocks,
} from '../../src/network/guard.ts'

const guard = createGuard({ own: () => [] })

const judged: Readonly<Record<string, string | null>> = {
  '8.8.8.8': null,
  '2606:4700::1111': null,
  '0.0.0.0': 'this_network',
  '0.1.2.3': 'this_network',
  '10.0.0.1': 'private_use',
  '100.63.255.255': null,
  '100.64.0.0': 'shared_address_space',
  '100.127.255.255': 'shared_address_space',
  '100.128.0.0': null,
  '126.255.255.255': null,
  '127.0.0.1': 'loopback',
  '127.255.255.255': 'loopback',
  '169.253.255.255': null,
  '169.254.0.1': 'link_local',
  '169.255.0.0': null,
  '172.15.255.255': null,
  '172.16.0.0': 'private_use',
  '172.31.255.255': 'private_use',
  '172.32.0.0': null,
  '192.0.0.8': 'ietf_protocol_assignments',
  '192.0.0.9': null,
  '192.0.0.10': null,
  '192.0.0.11': 'ietf_protocol_assignments',
  '192.0.0.170': 'ietf_protocol_assignments',
  '192.0.1.0': null,
  '192.0.2.1': 'documentation',
  '192.31.196.1': null,
  '192.52.193.1': null,
  '192.88.98.255': null,
  '192.88.99.1': '6to4_relay',
  '192.168.1.1': 'private_use',
  '192.175.48.1': null,
  '198.17.255.255': null,
  '198.18.0.1': 'benchmarking',
  '198.19.255.255': 'benchmarking',
  '198.20.0.0': null,
  '198.51.100.1': 'documentation',
  '203.0.113.1': 'documentation',
  '223.255.255.255': null,
  '224.0.0.1': 'multicast',
  '239.255.255.255': 'multicast',
  '240.0.0.1': 'reserved',
  '255.255.255.255': 'broadcast',
  '::': 'unspecified',
  '::1': 'loopback',
  '::2': 'ipv4_compatible',
  '::127.0.0.1': 'ipv4_compatible',
  '::8.8.8.8': 'ipv4_compatible',
  '::ffff:127.0.0.1': 'loopback',
  '::ffff:7f00:1': 'loopback',
  '::ffff:8.8.8.8': null,
  '::ffff:a9fe:a9fe': 'cloud_metadata',
  '::ffff:0:7f00:1': 'not_global_unicast',
  // NAT64: the IPv4 address within decides
  '64:ff9b::a9fe:a9fe': 'cloud_metadata',
  '64:ff9b::10.0.0.1': 'private_use',
  '64:ff9b::127.0.0.1': 'loopback',
  '64:ff9b::8.8.8.8': null,
  '64:ff9b:1::1': 'nat64',
  '100::1': 'discard_only',
  '100:0:0:1::1': 'dummy_prefix',
  '2001::1': 'teredo',
  '2001:0:53aa:64c::1': 'teredo',
  '2001:1::': 'ietf_protocol_assignments',
  '2001:1::1': null,
  '2001:1::2': null,
  '2001:1::3': null,
  '2001:1::4': 'ietf_protocol_assignments',
  '2001:2::1': 'benchmarking',
  '2001:3::1': null,
  '2001:4:111::1': 'ietf_protocol_assignments',
  '2001:4:112::1': null,
  '2001:4:113::1': 'ietf_protocol_assignments',
  '2001:10::1': 'orchid',
  '2001:20::1': null,
  '2001:3f:ffff::1': null,
  '2001:40::1': 'ietf_protocol_assignments',
  '2001:200::1': null,
  '2001:db8::1': 'documentation',
  '2002:7f00:1::': '6to4',
  '2002:808:808::': '6to4',
  '2620:4f:8000::1': null,
  '3fff::1': 'documentation',
  '3fff:1000::': null,
  '4000::1': 'not_global_unicast',
  '5f00::1': 'segment_routing',
  'fc00::1': 'unique_local',
  'fdff::1': 'unique_local',
  'fe80::1': 'link_local',
  'fec0::1': 'site_local',
  'ff02::1': 'multicast',
  '2606:4700::5efe:a00:1': 'isatap',
  '2606:4700::200:5efe:8.8.8.8': 'isatap',
  '2606:4700::201:5efe:8.8.8.8': null,
  '100.100.100.200': 'cloud_metadata',
  '168.63.129.16': 'cloud_metadata',
  '168.63.129.17': null,
  '169.254.169.254': 'cloud_metadata',
  '169.254.170.2': 'cloud_metadata',
  'fd00:ec2::254': 'cloud_metadata',
  '': 'invalid_address',
  localhost: 'invalid_address',
  '127.1': 'invalid_address',
  '010.8.8.8': 'invalid_address',
  '0x7f000001': 'invalid_address',
  '8.8.8.8 ': 'invalid_address',
  '[2606:4700::1]': 'invalid_address',
  'fe80::1%eth0': 'invalid_address',
  '2606:4700::1%1': 'invalid_address',
}

describe('the guard', () => {
  for (const [address, reason] of Object.entries(judged))
    it(`answers ${reason ?? 'nothing'} for ${JSON.stringify(address)}`, () =>
      assert.equal(guard.refuse(address), reason))

  it('lets the most specific block decide everywhere inside and at both edges of every block', () => {
    const edges = specialBlocks.flatMap(({ cidr }) => {
      const { first, last, bits } = span(cidr)
      return [first - 1n, first, last, last + 1n].map(value => ({ value, bits }))
    })
    const inside = fc.constantFrom(...specialBlocks).chain(({ cidr }) => {
      const { first, last, bits } = span(cidr)
      return fc.bigInt(first, last).map(value => ({ value, bits }))
    })
    const examples = edges.filter(({ value, bits }) => value >= 0n && value < 1n << BigInt(bits)).map(edge => [edge])
    fc.assert(
      fc.property(inside, ({ value, bits }) => {
        const expected = reference(value, bits)
        if (expected !== 'elsewhere') assert.equal(guard.refuse(text(value, bits)), expected)
      }),
      { examples: examples as [{ value: bigint; bits: number }][], numRuns: 2_000 },
    )
  })

  it('treats every spelling of an IPv4-mapped address as its IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), address => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
        const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        const spellings = [`::ffff:${address}`, `::FFFF:${groups}`, `0:0:0:0:0:ffff:${groups}`]
        for (const spelling of spellings) assert.equal(guard.refuse(spelling), guard.refuse(address))
      }),
    )
  })

  it('never throws and never permits what is not an address', () => {
    fc.assert(fc.property(fc.string(), junk => guard.refuse(`${junk}!`) === 'invalid_address'))
  })

  it('refuses our own public addresses and the broadcast address of our networks', () => {
    const mine = createGuard({ own: () => ['93.184.216.34/24', '2606:4700::5/64', '8.8.4.4', '9.9.9.8/31'] })
    const reasons = ['93.184.216.34', '93.184.216.35', '93.184.216.255', '2606:4700::5', '::ffff:8.8.4.4', '9.9.9.9']
    assert.deepEqual(
      reasons.map(address => mine.refuse(address)),
      ['own_address', null, 'broadcast', 'own_address', 'own_address', null],
    )
  })

  it('reads our own addresses each time', () => {
    let own = ['8.8.4.4/24']
    const moving = createGuard({ own: () => own })
    assert.equal(moving.refuse('8.8.4.4'), 'own_address')
    own = ['8.8.4.5/24']
    assert.equal(moving.refuse('8.8.4.4'), null)
  })

  it('knows the interfaces of this machine by default', () => {
    const outward = Object.values(networkInterfaces()).flatMap(entries => (entries ?? []).filter(one => !one.internal))
    assert.equal(interfaceAddresses().length, outward.length)
    for (const { address } of outward) assert.notEqual(createGuard().refuse(address.replace(/%.*/, '')), null)
    assert.ok(interfaceAddresses().every(address => !address.includes('%')))
  })

  it('permits any address that the operator allows, and no other', () => {
    const inside = createGuard({ allow: ['10.1.0.0/16', '::1', '169.254.169.254'], own: () => ['10.1.0.1/16'] })
    const addresses = ['10.1.0.1', '10.1.255.255', '10.2.0.0', '::1', '::2', '169.254.169.254', '::ffff:10.1.2.3']
    assert.deepEqual(
      addresses.map(address => inside.refuse(address)),
      [null, null, 'private_use', null, 'ipv4_compatible', null, null],
    )
  })

  const denying = createGuard({
    allow: ['10.0.0.0/8', '64:ff9b::/96', '2002::/16'],
    deny: ['10.1.0.0/16', '8.8.8.8', '2001:67c:2b0:db32:0:1::/96', 'corp.example', 'Bücher.example', 'lan'],
    own: () => [],
  })
  const deniedAddresses: Readonly<Record<string, string | null>> = {
    '10.1.2.3': 'denied',
    '::ffff:10.1.2.3': 'denied',
    '10.2.0.0': null,
    '8.8.8.8': 'denied',
    '8.8.8.9': null,
    '2001:67c:2b0:db32:0:1:808:909': 'denied',
    '2001:67c:2b0:db32:0:2:808:909': null,
    // The address to which a gateway would forward
    '64:ff9b::a01:203': 'denied',
    '64:ff9b::a02:203': null,
    '2002:a01:203::1': 'denied',
    '2002:a02:203::1': null,
    '127.0.0.1': 'loopback',
  }
  for (const [address, reason] of Object.entries(deniedAddresses))
    it(`answers ${reason ?? 'nothing'} for ${address} with a deny list, even if it is allowed`, () =>
      assert.equal(denying.refuse(address), reason))

  const deniedNames: Readonly<Record<string, string | null>> = {
    'corp.example': 'denied',
    'CORP.example.': 'denied',
    'a.b.corp.example': 'denied',
    'notcorp.example': null,
    example: null,
    'corp.example.com': null,
    'xn--bcher-kva.example': 'denied',
    'printer.lan': 'denied',
    lan: 'denied',
    '': null,
  }
  for (const [name, reason] of Object.entries(deniedNames))
    it(`answers ${reason ?? 'nothing'} for the name ${JSON.stringify(name)} with a deny list`, () =>
      assert.equal(denying.refuseName(name), reason))

  it('denies every address inside a denied block and every name below a denied name, and no other', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4(), (network, bits, address) => {
        const { first, last } = span(`${network}/${bits}`)
        const value = ipaddr.IPv4.parse(address).toByteArray()
        const at = value.reduce((sum, octet) => (sum << 8n) | BigInt(octet), 0n)
        const size = last - first
        const start = first - (first % (size + 1n))
        const isIn = at >= start && at <= start + size
        const { refuse } = createGuard({ allow: ['0.0.0.0/0'], deny: [`${network}/${bits}`], own: () => [] })
        assert.equal(refuse(address), isIn ? 'denied' : null)
      }),
    )
    fc.assert(
      fc.property(fc.domain(), fc.domain(), (name, other) => {
        const { refuseName } = createGuard({ deny: [name] })
        const isIn =
          other.toLowerCase() === name.toLowerCase() || other.toLowerCase().endsWith(`.${name.toLowerCase()}`)
        assert.deepEqual([refuseName(`${other}.${name}`), refuseName(other)], ['denied', isIn ? 'denied' : null])
      }),
    )
  })

  for (const entry of ['10.0.0.0/33', 'https://corp.example', '*.corp.example', '.corp.example', '10.1', 'a..b', ''])
    it(`rejects the deny entry ${JSON.stringify(entry)}`, () =>
      assert.throws(() => createGuard({ deny: [entry] }), { name: 'TypeError' }))

  const NEITHER = 'is not an address, a CIDR range or a domain name'
  const denyFaults: Readonly<Record<string, string | null>> = {
    '10.0.0.0/8': null,
    '::1': null,
    'corp.example': null,
    '10.0.0.0/33': NEITHER,
    '10.0.0.0/x8': NEITHER,
    '10.0.0.0/8/8': NEITHER,
    'https://corp.example': NEITHER,
    '*.corp.example': 'has a wildcard or a leading dot; a name already covers all names below it',
    '.corp.example': 'has a wildcard or a leading dot; a name already covers all names below it',
    '-corp.example': `${NEITHER} (The domain has a label that begins or ends with a hyphen.)`,
  }
  for (const [entry, fault] of Object.entries(denyFaults))
    it(`finds ${fault === null ? 'no' : 'a'} fault in the deny entry ${entry}`, () => {
      assert.equal(denyFault(entry), fault)
      if (fault === null) assert.doesNotThrow(() => createGuard({ deny: [entry] }))
      else
        assert.throws(() => createGuard({ deny: [entry] }), {
          name: 'TypeError',
          message: `network.deny: "${entry}" ${fault}`,
        })
    })

  it('denies no name where only addresses are denied', () =>
    assert.equal(createGuard({ deny: ['10.0.0.0/8'] }).refuseName('corp.example'), null))

  it('has a failure for a host all of whose addresses are refused', () =>
    assert.deepEqual(
      [refusalOf(['private_use', null, 'loopback']), refusalOf(['private_use', 'denied'])],
      ['not_public', 'denied'],
    ))

  const reachable: Readonly<Record<string, boolean>> = {
    '8.8.8.8': true,
    '2606:4700::1111': true,
    '64:ff9b::8.8.8.8': true,
    '64:ff9b::10.0.0.1': false,
    '10.0.0.1': false,
    '2606:4700::5efe:a00:1': false,
    'no address': false,
  }
  for (const [address, expected] of Object.entries(reachable))
    it(`${expected ? 'tells' : 'does not tell'} that ${address} is globally reachable`, () =>
      assert.equal(isGloballyReachable(address), expected))

  it('reads the IPv4 addresses that a translator might, at every prefix length (RFC 6052 section 2.4)', () => {
    assert.deepEqual(translatedAddresses('192.0.2.33'), [])
    for (const [text, at] of [
      ['2001:db8:c000:221::', 0],
      ['2001:db8:1c0:2:21::', 1],
      ['2001:db8:122:c000:2:2100::', 2],
      ['2001:db8:122:3c0:0:221::', 3],
      ['2001:db8:122:344:c0:2:2100::', 4],
      ['2001:db8:122:344::192.0.2.33', 5],
    ] as const)
      assert.equal(translatedAddresses(text)[at], '192.0.2.33', text)
    assert.equal(translatedAddresses('2001:db8::1').length, 6)
    assert.equal(throughNat64('192.0.2.33'), '64:ff9b::192.0.2.33')
  })

  for (const block of [
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    'intranet',
    '10.0.0.0/',
    '10.0.0.0/8x',
    '10.0.0.0/x8',
    '10.0.0.0/8/9',
    'fe80::%1/64',
  ])
    it(`rejects the block ${block}`, () =>
      assert.throws(() => createGuard({ allow: [block] }), {
        name: 'TypeError',
        message: `Invalid address block: ${block}`,
      }))
})

function span(cidr: string): { first: bigint; last: bigint; bits: number } {
  const [address, prefix] = ipaddr.parseCIDR(cidr)
  const bits = address.kind() === 'ipv4' ? 32 : 128
  const first = address.toByteArray().reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
  return { first, last: first + (1n << BigInt(bits - prefix)) - 1n, bits }
}

function text(value: bigint, bits: number): string {
  const octets = Array.from({ length: bits / 8 }, (_, at) => Number((value >> BigInt(bits - 8 * (at + 1))) & 255n))
  return ipaddr.fromByteArray(octets).toString()
}

/** An independent, numeric reading of the table. `elsewhere`: mapped and ISATAP addresses, which are not in the table. */
function reference(value: bigint, bits: number): string | null {
  if (bits === 128 && (value >> 32n === 0xffffn || ((value >> 32n) & 0xfdffffffn) === 0x5efen)) return 'elsewhere'
  const holding = specialBlocks.filter(({ cidr }) => {
    const block = span(cidr)
    return block.bits === bits && value >= block.first && value <= block.last
  })
  const size = ({ cidr }: SpecialBlock) => span(cidr).last - span(cidr).first
  return holding.sort((one, other) => (size(one) < size(other) ? -1 : 1))[0]?.reason ?? null
}
