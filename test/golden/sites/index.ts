// All golden sites, by kind.
import type { GoldenSite } from '../site.ts'
import { cms } from './cms.ts'
import { hostile } from './hostile.ts'
import { ipNamed } from './ip_named.ts'
import { ipOnly } from './ip_only.ts'
import { legacyCyrillic, legacyJapanese } from './legacy_charset.ts'
import { phishing } from './phishing.ts'
import { redirecting } from './redirecting.ts'
import { blockPageSite, challenge, parking } from './refusals.ts'
import { shop } from './shop.ts'
import { spa } from './spa.ts'
import { staticSite } from './static.ts'

export const sites: readonly GoldenSite[] = [
  staticSite,
  cms,
  shop,
  spa,
  blockPageSite,
  challenge,
  parking,
  legacyCyrillic,
  legacyJapanese,
  ipNamed,
  ipOnly,
  redirecting,
  hostile,
  phishing,
  { kind: 'nxdomain', asked: { domain: 'no-such-name.lab' }, age_days: null, hosts: [] },
]
