// Phishing pages of the shapes that real kits have, each under the names that kits sit on.
import { logins } from './kit_logins.ts'
import { lures } from './kit_lures.ts'
import type { Shape } from './kit_page.ts'
import type { Situation } from './situation.ts'

const shapes = [...logins, ...lures]

interface Host {
  readonly of: string
  readonly domain: string
  readonly parts: Partial<Situation>
  readonly verdict: Situation['verdict']
}

const OFFSHORE = [64_497, 'Offshore Servers Ltd'] as const

const hosts: readonly Host[] = [
  {
    of: 'a plain name of unknown age',
    domain: 'northern-lights-hub.com',
    parts: { mail: 'none', network: OFFSHORE },
    verdict: 'suspicious',
  },
  {
    of: 'an old site that was broken into',
    domain: 'ringing-bells.org',
    parts: { age_days: 2_922, mail: 'good' },
    verdict: 'suspicious',
  },
  {
    of: 'a free host',
    domain: 'northern-lights.pages.dev',
    parts: { age_days: 2_200, mail: 'none', network: [13_335, 'Cloudflare, Inc.'] },
    verdict: 'suspicious',
  },
]

const NEW = { age_days: 3, mail: 'none', certificate: 'new', network: OFFSHORE } as const

/** Under a brand's look, a kit is known wherever it is. */
const poses = ({ signals }: Shape): boolean => signals.includes('impersonated_brand')

export const kitSituations: readonly Situation[] = shapes.flatMap(shape => {
  const { of, html, lookalike, signals } = shape
  const kit = { page: { html }, signals }
  return [
    ...hosts.map(host => ({
      ...kit,
      ...host.parts,
      of: `${of}, on ${host.of}`,
      domain: host.domain,
      verdict: poses(shape) ? ('malicious' as const) : host.verdict,
    })),
    { ...kit, ...NEW, of: `${of}, on a new plain name`, domain: 'quillbarrow.com', verdict: 'malicious' },
    ...(lookalike === undefined
      ? []
      : [{ ...kit, ...NEW, of: `${of}, on a new look-alike`, domain: lookalike, verdict: 'malicious' as const }]),
  ]
})
