// Classifies a network: by the table first, then by words in the owner's name.
import { dataFile, type Static, Type } from '../../src/engine/plugin.ts'
import data from './networks.json' with { type: 'json' }

/**
 * Autonomous systems that sell computing (`cloud`), web space, servers and colocation (`hosting`), or delivery and
 * protection of other sites (`cdn`); `access`: consumer and office lines, not servers.
 */
const NetworkKind = Type.Enum(['cloud', 'hosting', 'cdn', 'access'])
export type NetworkKind = Static<typeof NetworkKind>
type HostingKind = Exclude<NetworkKind, 'access'>

export const NetworksFile = dataFile({
  networks: Type.Array(
    Type.Object(
      {
        asn: Type.Integer({ minimum: 1, maximum: 4_294_967_294 }),
        kind: NetworkKind,
        name: Type.String({ minLength: 1 }),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
  access_words: Type.Array(Type.String({ pattern: '^[a-z]+$' }), {
    uniqueItems: true,
    description: 'Words in an owner’s name that identify an access network.',
  }),
})
const { networks, access_words } = data as Static<typeof NetworksFile>

const kinds: ReadonlyMap<number, NetworkKind> = new Map(networks.map(({ asn, kind }) => [asn, kind]))
const accessWords: ReadonlySet<string> = new Set(access_words)

/** Whole words that decide, and word endings that decide (`webhosting`, `icloud`). */
const words: Readonly<Record<string, HostingKind>> = { server: 'hosting', servers: 'hosting', colo: 'hosting' }
const endings: Readonly<Record<string, HostingKind>> = {
  cdn: 'cdn',
  cloud: 'cloud',
  vps: 'hosting',
  hosting: 'hosting',
  webhost: 'hosting',
  datacenter: 'hosting',
  datacenters: 'hosting',
  datacentre: 'hosting',
  datacentres: 'hosting',
  colocation: 'hosting',
}

/** `data` decides only before one of these words. */
const afterData: readonly (string | undefined)[] = ['center', 'centers', 'centre', 'centres']

function kindOfWord(word: string, next: string | undefined): HostingKind | null {
  if (Object.hasOwn(words, word)) return words[word] ?? null
  if (word === 'data' && afterData.includes(next)) return 'hosting'
  const ending = Object.keys(endings).find(ending => word.endsWith(ending))
  return ending === undefined ? null : (endings[ending] ?? null)
}

function kindByName(organization: string): NetworkKind | null {
  const parts = organization.toLowerCase().split(/[^a-z0-9]/)
  const hosting = parts.map((part, at) => kindOfWord(part, parts[at + 1])).find(kind => kind !== null)
  return hosting ?? (parts.some(part => accessWords.has(part)) ? 'access' : null)
}

/** Null if nothing is known about the network. */
export function networkKind(asn: number | null, organization: string | null): NetworkKind | null {
  const kind = asn === null ? undefined : kinds.get(asn)
  return kind ?? (organization === null ? null : kindByName(organization))
}
