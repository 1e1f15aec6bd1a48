// name_servers: whether the name servers of the zone have it, agree with each other, and are those that the parent zone names.
import { analyzer, type Evidence, mainReason, orUnknown } from '../../src/engine/plugin.ts'
import { isConsistent, isLame, issuesOf } from './judge.ts'
import { presentation } from './presentation.ts'
import { Section } from './section.ts'

type ZoneServers = Evidence['name_servers']

/** Why parts of it are unknown. */
function unknownOf({ delegation_reason, servers }: ZoneServers): string | null {
  const reasons = servers.flatMap(({ contact, reason }) => (contact === 'unknown' ? [reason ?? 'timeout'] : []))
  return mainReason(
    [...reasons, ...(delegation_reason === null ? [] : [delegation_reason])].map(one => `name_servers_${one}`),
  )
}

function describe(facts: ZoneServers): Section {
  const { zone, parent, delegation, servers, total } = facts
  return {
    zone,
    parent,
    delegation: delegation && [...delegation],
    consistent: isConsistent(facts),
    servers: servers.map(server => {
      const { rcode: _, authoritative: __, names: ___, ...facts } = server
      return { ...facts, lame: isLame(server) }
    }),
    total,
    issues: orUnknown(issuesOf(facts), unknownOf(facts) === null),
  }
}

export default analyzer({
  name: 'name_servers',
  description: 'Queries each name server of the zone: lame servers, versions of the zone, delegation by the parent.',
  targets: ['domain'],
  needs: ['name_servers'],
  optional: true,
  presentation,
  schema: Section,
  signals: {},
  analyze: ({ name_servers }) => ({ section: describe(name_servers), signals: [], unknown: unknownOf(name_servers) }),
})
