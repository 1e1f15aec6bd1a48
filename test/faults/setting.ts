// The configuration of the service that faults are played to: production's, with shorter patience and the lab's sources.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { writeMmdb } from '../../src/testing/lab_mmdb.ts'
import { PATIENT } from '../patience.ts'
import { judgesTimes } from './client.ts'
import type { Stage } from './stage.ts'
import { type FaultWorld, GREEN_HOST } from './world.ts'

/** Milliseconds: lower than production's, which the same code obeys, lest hundreds of faults take hours. */
export const LIMITS = {
  dns_try_ms: 700,
  dns_phase_ms: 1_800,
  connect_ms: 1_000,
  tls_ms: 1_500,
  headers_ms: 1_500,
  body_ms: 1_500,
  robots_ms: 1_000,
  sitemap_ms: 1_000,
} as const

/** Milliseconds: a whole check, and the answer to it. */
export const DEADLINE_MS = 7_000
export const ANSWER_MS = DEADLINE_MS + 500

/** The most that a configuration may give a check. */
const LONGEST_DEADLINE_MS = 9_000

/** Octets of kept results: little, so that what grows beyond is no kept result. */
export const CACHE_BYTES = 8 * 1024 * 1024

const LISTS = ['spamhaus_zen', 'spamhaus_dbl']

export interface Setting {
  readonly directory: string
  readonly config: string
  readonly data: string
  readonly roots: string
}

export function writeSetting(stage: Stage, world: FaultWorld): Setting {
  const directory = mkdtempSync(join(tmpdir(), 'assay-faults-'))
  const file = (name: string, content: string | Buffer) => {
    const path = join(directory, name)
    writeFileSync(path, content)
    return path
  }
  const places = file('places.mmdb', writeMmdb(locations))
  const rdap_bootstrap = file('rdap.json', JSON.stringify(bootstrap(world)))
  const data = join(directory, 'data')
  const config = file(
    'config.json',
    JSON.stringify({
      server: { host: stage.service.bind, port: 0, drain_delay_ms: 0 },
      metrics: { expose: 'service' },
      data,
      // Where times are not judged, the machine is busy with other tests, and no case waits for a limit.
      check: { deadline_ms: judgesTimes() ? DEADLINE_MS : LONGEST_DEADLINE_MS },
      cache: { max_bytes: CACHE_BYTES },
      network: {
        resolvers: world.resolvers,
        ...(judgesTimes() ? { limits: LIMITS } : { unsafe_limits: PATIENT }),
      },
      datasets: { city: places, asn: places, rdap_bootstrap },
      downloads: { enabled: false },
      blocklists: { enabled: Object.fromEntries(knownLists.map(({ id }) => [id, LISTS.includes(id)])) },
      green_hosting: { endpoint: `https://${GREEN_HOST}/` },
      plans: { startup: { quota: 100_000, period: 'month' }, small: { quota: 2, period: 'month' } },
    }),
  )
  return { directory, config, data, roots: file('roots.pem', world.root) }
}

const where = {
  country: { iso_code: 'NL' },
  city: { names: { en: 'Amsterdam' } },
  autonomous_system_number: 64_496,
  autonomous_system_organization: 'Lab Hosting Cooperative',
}
const locations = { '93.184.0.0/16': where, '2a10:3781::/48': where }

/** Cases that have a registry at all, each one of its own: a registry that is overrun is left alone for an hour. */
const CASES = 4_096

/** RFC 9224. Names that are not listed have no registry service. */
const bootstrap = (world: FaultWorld) => ({
  version: '1.0',
  publication: new Date().toISOString(),
  services: Array.from({ length: CASES }, (_, number) => {
    const { registered, registry } = world.place(number)
    return [[registered], [`https://${registry}/`]]
  }),
})
