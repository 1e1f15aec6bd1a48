// The context of a gatherer, for one check with a lab DNS.
import { createCpuQueue } from '../../src/cpu_queue.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Limits } from '../../src/network/limits.ts'
import type { Target } from '../../src/targets/target.ts'
import { type LabDnsOptions, type LabZones, startLabDns } from '../../src/testing/lab_dns.ts'

export type LabOptions = Partial<LabDnsOptions> & {
  readonly zones: LabZones
  readonly limits?: Partial<Limits>
  readonly deny?: readonly string[]
}

/** Short waits for a failing lab; otherwise those of the service, so that a busy machine does not ask twice. */
const NEAR = { dns_try_ms: 300, dns_phase_ms: 700 }

/** Runs the gatherer with a new lab; also returns the queries, as `TYPE name` in alphabetical order. */
export async function inLab<T>(options: LabOptions, target: Target, gather: (context: GatherContext) => Promise<T>) {
  const dns = await startLabDns(options)
  const check = new AbortController()
  const deadline = performance.now() + 8_000
  const guard = createGuard({ own: () => [], deny: options.deny ?? [] })
  const network = createNetwork({
    resolvers: [dns.address],
    guard,
    limits: { ...(options.fault && NEAR), ...options.limits },
  })
  const opened = network.open({ signal: check.signal, deadline })
  const gatherOther = () => Promise.reject(new Error('needs no other evidence'))
  const context = {
    target,
    now: new Date(),
    signal: check.signal,
    deadline,
    network: opened,
    cpu: createCpuQueue().open(''),
    shared: new Map(),
    gather: gatherOther,
  }
  const started = performance.now()
  try {
    const evidence = await gather(context)
    const took = performance.now() - started
    return { evidence, took, asked: dns.queries.map(({ type, name }) => `${type} ${name}`).sort() }
  } finally {
    check.abort()
    await dns.close()
  }
}

export const domainTarget = (domain: string, registrable = domain, registered = registrable): Target => ({
  kind: 'domain',
  domain,
  ip: null,
  registrable,
  registered,
  url: null,
  visit: true,
})

export const ipTarget = (ip: string): Target => ({
  kind: 'ip',
  domain: null,
  ip,
  registrable: null,
  registered: null,
  url: null,
  visit: true,
})
