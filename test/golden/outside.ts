// What those outside know of the golden sites.
import { demoKnowledge } from '../../src/testing/demo/hosts.ts'
import * as lab from '../../src/testing/demo/outside.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import type { GoldenSite } from './site.ts'

export function outside(sites: readonly GoldenSite[]): readonly LabHost[] {
  const ages = new Map(sites.map(({ asked, age_days }) => ['domain' in asked ? asked.domain : asked.ip, age_days]))
  return lab.outside({
    listed: ['microsoft-mailbox-verify.lab'],
    green: ['static.lab', 'shop.lab'],
    ageOf: domain => ages.get(domain) ?? null,
    networkOf: demoKnowledge.networkOf,
  })
}
