// What is wrong with the delegation and with each server.
import { type Evidence, printable } from '../../src/engine/plugin.ts'
import { nameList, type Section } from './section.ts'

type ZoneServers = Evidence['name_servers']
type ZoneServer = ZoneServers['servers'][number]
type ServerIssue = NonNullable<Section['issues']>[number]

const severities = {
  lame_server: 'error',
  name_server_without_address: 'error',
  name_server_not_public: 'error',
  name_server_unanswered: 'warning',
  delegation_differs: 'warning',
  serials_differ: 'info',
  name_servers_in_one_network: 'info',
} as const

const issue = (code: keyof typeof severities, message: string): ServerIssue => ({
  code,
  severity: severities[code],
  message: printable(message),
})

/** The names by the first server that has the zone: what a resolver replaces the delegation with (RFC 2181 section 5.4.1). */
const namesOfZone = ({ servers }: ZoneServers): readonly string[] | null =>
  servers.find(({ names }) => names !== null)?.names ?? null

/** Null where the parent did not say, or no server has the zone. */
export function isConsistent(facts: ZoneServers): boolean | null {
  const names = namesOfZone(facts)
  if (facts.delegation === null || names === null) return null
  return facts.delegation.join() === names.join()
}

export const isLame = ({ contact, authoritative }: ZoneServer): boolean | null =>
  contact === 'answered' && authoritative !== null ? !authoritative : null

/** Codes by their names in the field (RFC 1035 section 4.1.1). */
const codes: Readonly<Record<number, string>> = { 0: 'without authority', 2: 'SERVFAIL', 3: 'NXDOMAIN', 5: 'REFUSED' }

function serverIssue(server: ZoneServer, zone: string): ServerIssue[] {
  const { name, contact, reason, rcode } = server
  if (isLame(server)) {
    const how = codes[rcode ?? 0] ?? `code ${rcode}`
    return [issue('lame_server', `${name} is a name server of ${zone}, but does not have the zone (${how}).`)]
  }
  if (contact === 'no_address') return [issue('name_server_without_address', `The name server ${name} has no address.`)]
  if (contact === 'internal') return [issue('name_server_not_public', `The name server ${name} has no public address.`)]
  if (contact !== 'unanswered') return []
  return [
    issue(
      'name_server_unanswered',
      `The name server ${name} does not answer over TCP (${reason ?? 'timeout'}), which RFC 9210 requires.`,
    ),
  ]
}

function delegationIssue(facts: ZoneServers): ServerIssue[] {
  const names = namesOfZone(facts)
  if (isConsistent(facts) !== false || facts.delegation === null || names === null) return []
  const { delegation } = facts
  const extra = delegation.filter(name => !names.includes(name))
  const lacking = names.filter(name => !delegation.includes(name))
  const parts = [
    ...(extra.length > 0 ? [`${nameList(extra)} only by ${facts.parent}`] : []),
    ...(lacking.length > 0 ? [`${nameList(lacking)} only by the zone itself`] : []),
  ]
  return [issue('delegation_differs', `The parent zone and ${facts.zone} name different servers: ${parts.join('; ')}.`)]
}

function serialIssue({ servers, zone }: ZoneServers): ServerIssue[] {
  const serials = [...new Set(servers.flatMap(({ serial }) => serial ?? []))].sort((a, b) => a - b)
  if (serials.length < 2) return []
  return [issue('serials_differ', `The name servers of ${zone} have different versions of it: ${serials.join(', ')}.`)]
}

/** The first 24 bits of an IPv4 address, 48 of an IPv6 one in canonical form. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address.split('.').slice(0, 3).join('.')
  const [start = '', end = ''] = address.split('::')
  const head = start.split(':').filter(Boolean)
  const missing = 8 - head.length - end.split(':').filter(Boolean).length
  return [...head, ...Array(address.includes('::') ? missing : 0).fill('0')].slice(0, 3).join(':')
}

function networkIssue({ servers }: ZoneServers): ServerIssue[] {
  const addresses = [...new Set(servers.flatMap(({ address }) => address ?? []))]
  const networks = new Set(addresses.map(networkOf))
  if (servers.length < 2 || networks.size !== 1) return []
  return [
    issue(
      'name_servers_in_one_network',
      'All name servers are in one network, so one failure can take down all of them (RFC 2182).',
    ),
  ]
}

/** Most serious first. */
export function issuesOf(facts: ZoneServers): ServerIssue[] {
  const faults = [
    ...facts.servers.flatMap(server => serverIssue(server, facts.zone)),
    ...delegationIssue(facts),
    ...serialIssue(facts),
    ...networkIssue(facts),
  ]
  return (['error', 'warning', 'info'] as const).flatMap(severity => faults.filter(one => one.severity === severity))
}
