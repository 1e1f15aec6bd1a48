// Delivery networks (CDNs), which hide where a site is hosted.
import type { Evidence } from '../../src/engine/plugin.ts'

interface DeliveryNetwork {
  readonly name: string
  /** Parts of the CDN's name and of its network's name, lower case. */
  readonly names: readonly string[]
  /** Names that contain one of those parts but belong to hosting providers. */
  readonly except?: readonly string[]
  /** Header name and a part of its value in lower case; '' matches any value. */
  readonly headers?: readonly (readonly [name: string, part: string])[]
}

const networks: readonly DeliveryNetwork[] = [
  {
    name: 'Akamai',
    names: ['akamai'],
    except: ['connected cloud', 'linode'],
    headers: [
      ['server', 'akamaighost'],
      ['x-akamai-transformed', ''],
    ],
  },
  { name: 'Amazon CloudFront', names: ['cloudfront'], headers: [['x-amz-cf-id', '']] },
  { name: 'Azion', names: ['azion tec'], headers: [['server', 'azion']] },
  { name: 'Azure Front Door', names: ['azure front door'], headers: [['x-azure-ref', '']] },
  {
    name: 'bunny.net',
    names: ['bunny'],
    headers: [
      ['cdn-pullzone', ''],
      ['server', 'bunnycdn'],
    ],
  },
  { name: 'CacheFly', names: ['cachefly'] },
  {
    name: 'CDN77',
    names: ['cdn77', 'datacamp'],
    headers: [
      ['server', 'cdn77'],
      ['x-77-cache', ''],
    ],
  },
  { name: 'CDNetworks', names: ['cdnetworks', 'quantil'] },
  {
    name: 'Cloudflare',
    names: ['cloudflare'],
    headers: [
      ['cf-ray', ''],
      ['server', 'cloudflare'],
    ],
  },
  { name: 'DDoS-Guard', names: ['ddos-guard'], headers: [['server', 'ddos-guard']] },
  { name: 'Edgio', names: ['edgecast', 'edgio', 'limelight'] },
  {
    name: 'Fastly',
    names: ['fastly'],
    headers: [
      ['x-served-by', 'cache-'],
      ['x-fastly-request-id', ''],
    ],
  },
  { name: 'Gcore', names: ['gcore', 'g-core'] },
  { name: 'Imperva', names: ['imperva', 'incapsula'], headers: [['x-iinfo', '']] },
  { name: 'KeyCDN', names: ['keycdn', 'proinity'], headers: [['server', 'keycdn']] },
  { name: 'Qrator', names: ['qrator'], headers: [['server', 'qrator']] },
  { name: 'StackPath', names: ['stackpath', 'highwinds'] },
  { name: 'StormWall', names: ['stormwall'] },
  {
    name: 'Sucuri',
    names: ['sucuri'],
    headers: [
      ['x-sucuri-id', ''],
      ['server', 'sucuri'],
    ],
  },
]

/** The CDN of that name, or null. */
export function deliveryNamed(name: string | null): string | null {
  const folded = (name ?? '').toLowerCase()
  const holds = (parts: readonly string[] = []) => parts.some(part => folded.includes(part))
  return networks.find(({ names, except }) => holds(names) && !holds(except))?.name ?? null
}

type Headers = Evidence['page']['exchanges'][number]['headers']

const signed = ({ headers: marks = [] }: DeliveryNetwork, sent: Headers): boolean =>
  marks.some(([name, part]) => sent.some(([header, value]) => header === name && value.toLowerCase().includes(part)))

/** The CDN that answered, by response headers, otherwise by the network of its address; or null. */
export function deliveryOf(headers: Headers, organization: string | null): string | null {
  return networks.find(network => signed(network, headers))?.name ?? deliveryNamed(organization)
}
