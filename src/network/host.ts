// From a URL's host to addresses that may be dialled: resolved once, each vetted.
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckNetwork } from './network.ts'
import type { Answer } from './resolve.ts'

/** `failure`: `not_public`, `not_found` (NXDOMAIN or no address), or `dns_<failure>`. */
export type HostAddresses =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly failure: string }

/** Milliseconds a family's answer is awaited when the other has brought an address to dial (RFC 8305 section 3, but longer). */
const familyGrace_ms = 200

/** The host without brackets and without the dot that ends an absolute name. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Never rejects. `host` as `URL.hostname` has it, which is canonical: `0x7f.1` is `127.0.0.1` there. */
export async function hostAddresses(network: CheckNetwork, host: string, signal: AbortSignal): Promise<HostAddresses> {
  const name = bareHost(host)
  if (isIP(name)) return vetted(network, [name])
  const answers = await askBoth(network, name, signal)
  const found = answers.flatMap(answer => (answer.status === 'found' ? answer.records : []))
  if (found.length > 0) return vetted(network, found)
  const unknown = answers.find(answer => answer.status === 'unknown')
  return { ok: false, failure: unknown ? `dns_${unknown.reason}` : 'not_found' }
}

function vetted(network: CheckNetwork, found: readonly string[]): HostAddresses {
  const addresses = found.filter(address => network.refuse(address) === null)
  return addresses.length > 0 ? { ok: true, addresses } : { ok: false, failure: 'not_public' }
}

/** AAAA and A; one that stays out longer than the grace after the other found something is not waited for. */
async function askBoth({ resolver }: CheckNetwork, name: string, signal: AbortSignal): Promise<Answer<string>[]> {
  const both = [resolver.query(name, 'AAAA', { signal }), resolver.query(name, 'A', { signal })]
  const enough = both.map(async asked => {
    const answer = await asked
    if (answer.status !== 'found') return new Promise<never>(() => {})
    await sleep(familyGrace_ms, undefined, { ref: false })
    return [answer]
  })
  return Promise.race([Promise.all(both), ...enough])
}
