// C: what resolvers and name servers do.
import type { FaultCase } from '../case.ts'
import { healthyPage } from '../healthy.ts'

export const dnsFaults: readonly FaultCase[] = [
  {
    row: 49,
    of: 'a name that does not exist',
    world: ({ name }) => ({ dns: ({ name: asked }) => (asked === name ? { rcode: 'NXDOMAIN' } : undefined) }),
    expect: {
      signals: ['domain_not_found'],
      sections: { dns_security: 'not_applicable domain_not_found' },
      connections: [],
    },
  },
  {
    row: 70,
    of: 'a healthy site',
    world: ({ name, address, issue }) => ({
      sites: [{ host: name, addresses: [address], https: healthyPage, credentials: issue() }],
    }),
    expect: { sections: { web: 'completed' }, connections: undefined },
  },
]
