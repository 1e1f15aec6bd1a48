// The gatherers of a check with the lab internet, without an engine.
import { CpuQueue } from '../../src/base/cpu_queue.ts'
import { gatherAddresses } from '../../src/evidence/addresses/gather.ts'
import createCrawlFilesGatherer from '../../src/evidence/crawl_files/gather.ts'
import createDocumentGatherer from '../../src/evidence/document/gather.ts'
import createEntrancesGatherer from '../../src/evidence/entrances/gather.ts'
import type { Evidence, GatherContext } from '../../src/evidence/evidence.ts'
import createIconGatherer from '../../src/evidence/icon/gather.ts'
import createPageGatherer from '../../src/evidence/page/gather.ts'
import createSecurityTxtGatherer from '../../src/evidence/security_txt/gather.ts'
import { createSiteSessions } from '../../src/evidence/site_session/session.ts'
import createTlsGatherer from '../../src/evidence/tls/gather.ts'
import { createTrustStore } from '../../src/evidence/tls/trust_store.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Limits } from '../../src/network/limits.ts'
import type { Dial } from '../../src/network/network.ts'
import type { Target } from '../../src/targets/target.ts'
import type { LabDns } from '../../src/testing/lab_dns.ts'
import type { LabWeb } from '../../src/testing/lab_web.ts'
import { LONG_MS } from '../patience.ts'

export interface LabVisit {
  gather<Name extends keyof LabGatherers>(name: Name): Promise<Evidence[Name]>
  end(): void
}

export interface VisitOptions {
  /** PEM. */
  readonly extra_roots?: string
  readonly limits?: Partial<Limits>
  /** Milliseconds until the end of the check; longer than any test by default. */
  readonly left_ms?: number
  /** The web's dial function by default. */
  readonly dial?: Dial
  /** The rest of the evidence, for gatherers that the result should not wait for; not in by default. */
  readonly rest?: Promise<void>
}

function labGatherers(extra_roots: string) {
  const sites = createSiteSessions({ extra_roots, user_agent: 'lab' })
  const setup = { sites, trust: createTrustStore(extra_roots), rendering: null }
  return {
    tls: createTlsGatherer(setup),
    page: createPageGatherer(setup),
    document: createDocumentGatherer(setup),
    crawl_files: createCrawlFilesGatherer(setup),
    icon: createIconGatherer(setup),
    security_txt: createSecurityTxtGatherer(setup),
    entrances: createEntrancesGatherer(setup),
  }
}

type LabGatherers = ReturnType<typeof labGatherers>

/** The trust store is shared, because creating it takes longer than a check. */
const known = new Map<string, LabGatherers>()

export function startVisit(web: LabWeb, dns: LabDns, target: Target, options: VisitOptions = {}): LabVisit {
  const { extra_roots = '' } = options
  const { context, end } = openCheck(web, dns, target, options)
  const gatherers = known.get(extra_roots) ?? labGatherers(extra_roots)
  known.set(extra_roots, gatherers)
  return { gather: async name => (await gatherers[name](context)) as Evidence[typeof name], end }
}

/** A check's context over the lab. It gathers addresses only. */
export function openCheck(web: LabWeb, dns: LabDns, target: Target, options: VisitOptions = {}) {
  const { limits = {}, left_ms = LONG_MS, dial = web.dial, rest = new Promise(() => {}) } = options
  const ending = new AbortController()
  const deadline = performance.now() + left_ms
  const guard = createGuard({ own: () => [] })
  const network = createNetwork({ resolvers: [dns.address], guard, limits, dial })
  const context: GatherContext = {
    target,
    now: new Date(),
    signal: ending.signal,
    deadline,
    network: network.open({ signal: ending.signal, deadline }),
    cpu: new CpuQueue().open(''),
    shared: new Map(),
    rest: () => rest,
    gather: (async (name: string) => {
      if (name !== 'addresses') throw new Error(`nobody gathers ${name}`)
      return gatherAddresses(context)
    }) as GatherContext['gather'],
  }
  return { context, end: () => ending.abort() }
}

/** The evidence, or the gatherer's error as text. */
export const outcome = <T>(gathered: Promise<T>): Promise<T | string> =>
  gathered.catch(error => `${error.name}: ${error.reason ?? error.stack}`)
