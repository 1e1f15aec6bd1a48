// The one shape of sources that ask the API of a third party about a target: what differs between them is data.
import { type Static, Type } from 'typebox'
import type { Evidence, EvidenceName, GatherContext } from '../evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../evidence/facts.ts'
import { createLookup, type LookupOptions } from '../evidence/lookup.ts'
import type { TargetKind } from '../targets/target.ts'
import type { Hooks } from './hooks.ts'

export interface ThirdParty<Name extends EvidenceName> extends Omit<LookupOptions<Evidence[Name] & object>, 'note'> {
  /** The name of the extension, by which it is configured. */
  readonly name: string
  readonly description: string
  readonly provides: Name
  /** What it is asked about: the registrable domain, the first IPv4 address, or the target as it is. */
  readonly about: 'domain' | 'ipv4' | 'target'
  /** The default of the option. */
  readonly endpoint: string
  /** What follows the endpoint; `subject` is percent-encoded. */
  readonly path: (subject: string, kind: TargetKind) => string
  /** The header that carries the key. Without a key nothing is asked, unless it is `free`. */
  readonly key: { readonly header: string; readonly free?: boolean }
  /** The default of the option. */
  readonly per_minute: number
}

const options = (endpoint: string, perMinute: number) =>
  Type.Object(
    {
      key: Type.String({ default: '', pattern: '^[ -~]{0,512}$', writeOnly: true, description: 'The key.' }),
      per_minute: Type.Integer({
        default: perMinute,
        minimum: 1,
        maximum: 100_000,
        description: 'Requests per minute of this process.',
      }),
      endpoint: Type.String({ default: endpoint, pattern: '^https://[!-~]{1,200}$' }),
    },
    { additionalProperties: false },
  )

type Options = Static<ReturnType<typeof options>>

/** An extension that gathers the evidence by one request for each subject. */
export function thirdParty<Name extends EvidenceName>(source: ThirdParty<Name>) {
  const { name, description, provides, about, path, key: by } = source
  return {
    name,
    description,
    provides: [provides as EvidenceName],
    hosts: [{ option: 'endpoint' }],
    options: options(source.endpoint, source.per_minute),
    apply(hooks: Hooks, { key, per_minute, endpoint }: Options) {
      const lookup = createLookup<Evidence[Name] & object>({ ...source, per_minute })
      hooks.gather.for(provides).tapPromise(name, async context => {
        if (key === '' && !by.free) throw new Unavailable('not_configured')
        const subject = await subjectOf(about, context)
        const url = `${endpoint}${path(encodeURIComponent(subject), context.target.kind)}`
        return lookup.ask(context, { subject, url, headers: key === '' ? {} : { [by.header]: key } })
      })
    },
  }
}

async function subjectOf(about: ThirdParty<EvidenceName>['about'], { target, gather }: GatherContext): Promise<string> {
  if (about === 'target') return target.domain ?? target.ip
  if (about === 'domain') {
    if (target.kind === 'ip') throw new NotApplicable('ip_target')
    return target.registrable
  }
  const addresses =
    target.ip === null ? (await gather('addresses')).dialable.map(({ address }) => address) : [target.ip]
  const first = addresses.find(address => !address.includes(':'))
  if (first === undefined) throw new NotApplicable('no_ipv4_address')
  return first
}
