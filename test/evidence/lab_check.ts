// The context of a gatherer, for one check with a lab DNS.
import { CpuQueue } from '../../src/base/cpu_queue.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Limits } from '../../src/network/limits.ts'
import type { Target } from '../../src/targets/target.ts'
import { type LabDnsOptions, type LabZones, startLabDns } from '../../src/testing/lab_dns.ts'
import { farDeadline, PATIENT } from '../patience.ts'

export { domainTarget, ipTarget } from '../evidence_of.ts'

export type LabOptions = Partial<LabDnsOptions> & {
  readonly zones: LabZones
  readonly limits?: Partial<Limits>
  readonly deny?: readonly string[]
}

/** Short waits for a failing lab; otherwise so long that a busy machine does not ask twice. */
const NEAR = { dns_try_ms: 300, dns_phase_ms: 700 }

type Gather<T> = (context: GatherContext) => Promise<T>

/** Runs the gatherer with a new lab; also returns the queries, as `TYPE name` in alphabetical order. */
export async function inLab<T>(options: LabOptions, target: Target, gather: Gather<T>) {
  const dns = await startLabDns(options)
  try {
    const limits = { ...PATIENT, ...(options.fault && NEAR), ...options.limits }
    const run = await withResolver(dns.address, target, gather, { limits, deny: options.deny ?? [] })
    return { ...run, asked: dns.queries.map(({ type, name }) => `${type} ${name}`).sort() }
  } finally {
    await dns.close()
  }
}

/** Runs the gatherer of one check that asks this resolver. */
export async function withResolver<T>(
  resolver: string,
  target: Target,
  gather: Gather<T>,
  { limits = {}, deny = [] }: Pick<LabOptions, 'limits' | 'deny'> = {},
) {
  const check = new AbortController()
  const deadline = farDeadline()
  const network = createNetwork({ resolvers: [resolver], guard: createGuard({ own: () => [], deny }), limits })
  const gatherOther = () => Promise.reject(new Error('needs no other evidence'))
  const context = {
    target,
    now: new Date(),
    signal: check.signal,
    deadline,
    network: network.open({ signal: check.signal, deadline }),
    cpu: new CpuQueue().open(''),
    shared: new Map(),
    gather: gatherOther,
  }
  const started = performance.now()
  try {
    const evidence = await gather(context)
    return { evidence, took: performance.now() - started }
  } finally {
    check.abort()
  }
}
