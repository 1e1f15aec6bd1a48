// The hosts that an extension may reach: those that it declares in `hosts`. Its gatherers get the network of the check,
// narrowed to them, whether they run in this process or in one of their own.
import { isIP } from 'node:net'
import type { GatherContext } from '../evidence/evidence.ts'
import type { CheckNetwork } from '../network/network.ts'
import { identify } from '../targets/identity.ts'
import { bareHost } from '../targets/url.ts'
import type { Extension } from './plugin.ts'

/** The target's own hosts: its address, its name, and every name of the same owner. */
const TARGET = 'target'
/** Every public host. */
const ANY = '*'

/** A name of two labels or more, `*.` for all names below it, or an address. */
const isHost = (host: string): boolean =>
  isIP(host) !== 0 || (host.length < 254 && /^(?:\*\.)?(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/.test(host))

/** What is wrong with the declaration of an extension of unknown origin. */
export function hostFaults(hosts: unknown, options: unknown): string[] {
  if (!Array.isArray(hosts)) return ['"hosts" must be an array']
  const { properties = {} } = Object(options) as { readonly properties?: object }
  return hosts.flatMap((host: unknown) => {
    if (typeof host === 'string' && (host === TARGET || host === ANY || isHost(host))) return []
    const { option } = Object(host) as { readonly option?: unknown }
    if (typeof option !== 'string')
      return [
        `"hosts" names ${JSON.stringify(host)}: write "api.example.com", "*.example.com", "${TARGET}", "${ANY}" or { option: "endpoint" }`,
      ]
    return Object.hasOwn(properties, option)
      ? []
      : [`"hosts" names the option "${option}", which "options" does not have`]
  })
}

/** The declared hosts, and the hosts of URLs in the options. */
export const declaredHosts = ({ hosts = [] }: Pick<Extension, 'hosts'>, options: unknown): readonly string[] =>
  hosts.flatMap(host => {
    if (typeof host === 'string') return [host]
    const url = (Object(options) as Readonly<Record<string, unknown>>)[host.option]
    return typeof url === 'string' && URL.canParse(url) ? [bareHost(new URL(url).hostname)] : []
  })

/** The context of a gatherer of the extension `name`. What it asks of any other host throws. */
export function narrowContext(context: GatherContext, name: string, hosts: readonly string[]): GatherContext {
  if (hosts.includes(ANY)) return context
  const { network, target, gather } = context
  /** The addresses that DNS has for declared hosts. */
  const addresses = new Set<string>()

  const reaches = (name: string): boolean => {
    const host = bareHost(name).toLowerCase()
    const isOfTarget =
      host === target.ip || (target.registrable !== null && identify(host).owner === target.registrable)
    return hosts.some(one =>
      one === TARGET ? isOfTarget : one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one,
    )
  }
  const require = (isDeclared: boolean, host: string): void => {
    if (!isDeclared) throw new Error(`plugin "${name}" may not reach "${host}": its "hosts" do not declare it`)
  }
  const addTargets = async (): Promise<void> => {
    const targetAddresses = hosts.includes(TARGET) ? await gather('addresses').catch(() => null) : null
    for (const { address } of targetAddresses?.answers ?? []) addresses.add(address)
  }
  const requireAddresses = async (candidates: readonly string[]): Promise<void> => {
    const isKnown = (address: string) => addresses.has(address) || reaches(address)
    if (!candidates.every(isKnown)) await addTargets()
    for (const address of candidates) require(isKnown(address), address)
  }

  const query: CheckNetwork['resolver']['query'] = async (name, type, options) => {
    require(reaches(name), name)
    const answer = await network.resolver.query(name, type, options)
    const isAddress = type === 'A' || type === 'AAAA'
    if (isAddress && answer.status === 'found') for (const address of answer.records) addresses.add(address as string)
    return answer
  }
  return {
    ...context,
    network: {
      ...network,
      resolver: { query },
      async connect(request) {
        await requireAddresses(request.addresses)
        return network.connect(request)
      },
      async fetch(request) {
        const host = URL.canParse(request.url) ? new URL(request.url).hostname : null
        // A malformed URL has no host, and `fetch` says so.
        if (host !== null) require(reaches(host), host)
        if (request.addresses) await requireAddresses(request.addresses)
        return network.fetch({ ...request, reaches })
      },
    },
  }
}
