// Which kind of network servers live in: by the table first, by words of the owner's name second.
import { hostingNetworks, type NetworkKind } from './hosting_networks.ts'

const kinds: readonly NetworkKind[] = ['cloud', 'hosting', 'cdn']

/** Words that tell alone, and the ends of words that do (`webhosting`, `icloud`). */
const words: Readonly<Record<string, NetworkKind>> = { server: 'hosting', servers: 'hosting', colo: 'hosting' }
const endings: Readonly<Record<string, NetworkKind>> = {
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

/** `data` tells together with one of these after it. */
const afterData: readonly (string | undefined)[] = ['center', 'centers', 'centre', 'centres']

function kindOfWord(word: string, next: string | undefined): NetworkKind | null {
  if (Object.hasOwn(words, word)) return words[word] ?? null
  if (word === 'data' && afterData.includes(next)) return 'hosting'
  const ending = Object.keys(endings).find(ending => word.endsWith(ending))
  return ending === undefined ? null : (endings[ending] ?? null)
}

function kindByName(organization: string): NetworkKind | null {
  const parts = organization.toLowerCase().split(/[^a-z0-9]/)
  return parts.map((part, at) => kindOfWord(part, parts[at + 1])).find(kind => kind !== null) ?? null
}

/** Null for networks of people, and for those nothing is known of. */
export function networkKind(asn: number | null, organization: string | null): NetworkKind | null {
  const known = kinds.find(kind => asn !== null && Object.hasOwn(hostingNetworks[kind], asn))
  return known ?? (organization === null ? null : kindByName(organization))
}
