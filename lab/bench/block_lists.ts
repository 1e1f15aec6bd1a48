// The default blocklists in the lab: each lists its test points (RFC 5782 section 5) and nothing else.

import { testPoints } from '../../src/evidence/listings/list_health.ts'
import { chooseLists } from '../../src/evidence/listings/lists.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'

export const blockLists: readonly LabHost[] = chooseLists().map(list => ({
  name: list.zone,
  addresses: [],
  zones: Object.fromEntries(testPoints(list).listed.map(point => [`${point}.${list.zone}`, { A: ['127.0.0.2'] }])),
}))
