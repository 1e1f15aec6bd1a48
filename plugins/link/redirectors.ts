// Pages of known services that redirect to any site: the link shows a name that people trust.
import { dataFile, expression, identify, type Static, type TargetUrl, Type } from '../../src/engine/plugin.ts'
import data from './data/redirectors.json' with { type: 'json' }
import type { LinkParts } from './link_parts.ts'

/** A known service that redirects, and where this link of it leads. */
export interface Redirector {
  readonly service: string
  /** Host that the link leads to; null if the link does not say. */
  readonly leads_to: string | null
  /** The service checks or signs its links. */
  readonly guarded: boolean
}

export const RedirectorsFile = dataFile({
  redirectors: Type.Array(
    Type.Object(
      {
        service: Type.String({ minLength: 1 }),
        hosts: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: 'The host, or a name above it.' })),
        host_pattern: Type.Optional(expression({ description: 'In place of `hosts`.' })),
        path: expression(),
        parameters: Type.Optional(
          Type.Array(Type.String(), {
            minItems: 1,
            description:
              'Parameters that hold the destination; absent if it follows in the path or is the whole query.',
          }),
        ),
        guarded: Type.Optional(Type.Literal(true, { description: 'The service checks or signs its links.' })),
      },
      { additionalProperties: false, oneOf: [{ required: ['hosts'] }, { required: ['host_pattern'] }] },
    ),
    { minItems: 1 },
  ),
})

interface RedirectorEntry {
  readonly service: string
  readonly host: RegExp
  readonly path: RegExp
  readonly parameters: readonly string[]
  readonly guarded: boolean
}

const below = (hosts: readonly string[]): string =>
  `(?:^|\\.)(?:${hosts.map(host => host.replaceAll('.', '\\.')).join('|')})$`

const entries: readonly RedirectorEntry[] = (data as Static<typeof RedirectorsFile>).redirectors.map(
  ({ service, hosts = [], host_pattern, path, parameters = [], guarded = false }) => ({
    service,
    parameters,
    guarded,
    host: new RegExp(host_pattern ?? below(hosts)),
    path: new RegExp(path),
  }),
)

/** The service that redirects, and the destination; null if the link uses none, or leads back to the service itself. */
export function redirectorOf(parts: LinkParts, host: string | null): Redirector | null {
  if (host === null) return null
  const { path } = parts.url
  const entry = entries.find(one => one.host.test(host) && one.path.test(path))
  if (entry === undefined) return null
  const destination = destinationOf(entry, parts)
  // Without a destination it is an ordinary page of the service, unless it hides where it leads.
  if (destination === undefined) return null
  if (destination !== null && identify(destination).owner === identify(host).owner) return null
  return { service: entry.service, leads_to: destination, guarded: entry.guarded }
}

/** Undefined: there is no destination; null: there is one that cannot be read. */
function destinationOf(
  { path, parameters }: RedirectorEntry,
  { url, parameters: query }: LinkParts,
): string | null | undefined {
  if (parameters.length === 0) return hostIn(afterMatch(url, path))
  const value = parameters
    .flatMap(name => query.filter(([one]) => one === name).map(([, text]) => text))
    .find(text => text !== '')
  if (value === undefined) return undefined
  // A path on the service itself
  if (value.startsWith('/') && !value.startsWith('//')) return undefined
  return hostIn(value) ?? hostIn(unpack(value)) ?? null
}

function afterMatch({ path, query }: TargetUrl, pattern: RegExp): string {
  const rest = path.replace(pattern, '')
  try {
    return decodeURIComponent(rest === '' || rest === '/' ? (query ?? '') : rest)
  } catch {
    return ''
  }
}

const host = /^(?:https?:)?(?:\/\/)?([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})(?::\d{1,5})?(?:[/?#]|$)/i

const hostIn = (text: string): string | undefined => host.exec(text)?.[1]?.toLowerCase()

/** Bing and others write the destination in Base64, after two characters. */
function unpack(value: string): string {
  try {
    return atob(value.replace(/^a1/, '').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''))
  } catch {
    return ''
  }
}
