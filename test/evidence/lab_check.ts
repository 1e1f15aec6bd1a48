// What a gatherer is given, for one check against a lab DNS.
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

/** Where the lab is to fail, short waits. Where it is not, those of the service, lest a busy machine asks twice. */
const NEAR = { dns_try_ms: 300, dns_phase_ms: 700 }

/** Runs the gatherer against a fresh lab; also what was asked of the lab, as `TYPE name`, in order of the alphabet. */
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
})

export const ipTarget = (ip: string): Target => ({ kind: 'ip', domain: null, ip, registrable: null, registered: null })
