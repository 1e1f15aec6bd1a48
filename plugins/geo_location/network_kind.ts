// Classifies a network: by the tables first, then by words in the owner's name.
import { accessNetworks, accessWords } from './access_networks.ts'
import { type HostingKind, hostingNetworks } from './hosting_networks.ts'

/** `access`: consumer and office lines, not servers. */
export type NetworkKind = HostingKind | 'access'

const kinds: readonly HostingKind[] = ['cloud', 'hosting', 'cdn']

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
  const known = kinds.find(kind => asn !== null && Object.hasOwn(hostingNetworks[kind], asn))
  if (known === undefined && asn !== null && Object.hasOwn(accessNetworks, asn)) return 'access'
  return known ?? (organization === null ? null : kindByName(organization))
}
