// Address blocks that are not public: the IANA special-purpose registries (RFC 6890) where "globally reachable" is
// false, multicast, blocks that embed IPv4 addresses, and cloud metadata services.

/** `reason` null: globally reachable, although inside a block that is not. The most specific entry decides. */
export interface SpecialBlock {
  readonly cidr: string
  readonly reason: string | null
}

export const specialBlocks: readonly SpecialBlock[] = [
  // IANA IPv4 Special-Purpose Address Registry
  { cidr: '0.0.0.0/8', reason: 'this_network' },
  { cidr: '10.0.0.0/8', reason: 'private_use' },
  { cidr: '100.64.0.0/10', reason: 'shared_address_space' },
  { cidr: '127.0.0.0/8', reason: 'loopback' },
  { cidr: '169.254.0.0/16', reason: 'link_local' },
  { cidr: '172.16.0.0/12', reason: 'private_use' },
  { cidr: '192.0.0.0/24', reason: 'ietf_protocol_assignments' },
  { cidr: '192.0.0.9/32', reason: null },
  { cidr: '192.0.0.10/32', reason: null },
  { cidr: '192.0.2.0/24', reason: 'documentation' },
  { cidr: '192.88.99.0/24', reason: '6to4_relay' },
  { cidr: '192.168.0.0/16', reason: 'private_use' },
  { cidr: '198.18.0.0/15', reason: 'benchmarking' },
  { cidr: '198.51.100.0/24', reason: 'documentation' },
  { cidr: '203.0.113.0/24', reason: 'documentation' },
  { cidr: '240.0.0.0/4', reason: 'reserved' },
  { cidr: '255.255.255.255/32', reason: 'broadcast' },
  // IANA IPv4 Multicast Address Space Registry
  { cidr: '224.0.0.0/4', reason: 'multicast' },
  // IANA IPv6 Address Space: global unicast is 2000::/3 alone (RFC 4291 section 2.4)
  { cidr: '::/0', reason: 'not_global_unicast' },
  { cidr: '2000::/3', reason: null },
  { cidr: 'fec0::/10', reason: 'site_local' },
  { cidr: 'ff00::/8', reason: 'multicast' },
  // IANA IPv6 Special-Purpose Address Registry
  { cidr: '::1/128', reason: 'loopback' },
  { cidr: '::/128', reason: 'unspecified' },
  { cidr: '100::/64', reason: 'discard_only' },
  { cidr: '100:0:0:1::/64', reason: 'dummy_prefix' },
  { cidr: '2001::/23', reason: 'ietf_protocol_assignments' },
  { cidr: '2001:1::1/128', reason: null },
  { cidr: '2001:1::2/128', reason: null },
  { cidr: '2001:1::3/128', reason: null },
  { cidr: '2001:2::/48', reason: 'benchmarking' },
  { cidr: '2001:3::/32', reason: null },
  { cidr: '2001:4:112::/48', reason: null },
  { cidr: '2001:10::/28', reason: 'orchid' },
  { cidr: '2001:20::/28', reason: null },
  { cidr: '2001:30::/28', reason: null },
  { cidr: '2001:db8::/32', reason: 'documentation' },
  { cidr: '3fff::/20', reason: 'documentation' },
  { cidr: '5f00::/16', reason: 'segment_routing' },
  { cidr: 'fc00::/7', reason: 'unique_local' },
  { cidr: 'fe80::/10', reason: 'link_local' },
  // IPv4 inside IPv6: a gateway would forward to an address that nobody vetted
  { cidr: '::/96', reason: 'ipv4_compatible' },
  { cidr: '64:ff9b:1::/48', reason: 'nat64' },
  { cidr: '2001::/32', reason: 'teredo' },
  { cidr: '2002::/16', reason: '6to4' },
  // Instance metadata and platform services of cloud providers; some look public
  { cidr: '100.100.100.200/32', reason: 'cloud_metadata' },
  { cidr: '168.63.129.16/32', reason: 'cloud_metadata' },
  { cidr: '169.254.169.254/32', reason: 'cloud_metadata' },
  { cidr: '169.254.170.2/32', reason: 'cloud_metadata' },
  { cidr: 'fd00:ec2::254/128', reason: 'cloud_metadata' },
  { cidr: 'fd20:ce::254/128', reason: 'cloud_metadata' },
]
