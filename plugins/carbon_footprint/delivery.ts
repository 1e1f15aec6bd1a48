// Delivery networks (CDNs), which hide where a site is hosted.
import { dataFile, type Evidence, type Static, Type } from '../../src/engine/plugin.ts'
import data from './data/delivery_networks.json' with { type: 'json' }

const DeliveryNetwork = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    names: Type.Array(Type.String(), {
      minItems: 1,
      description: 'Parts of the CDN’s name and of its network’s name, lower case.',
    }),
    except: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'Parts of names that contain the name of a CDN but belong to hosting providers.',
      }),
    ),
    headers: Type.Optional(
      Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 }), {
        minItems: 1,
        description: 'Name of a header and a part of its value in lower case; "" matches any value.',
      }),
    ),
  },
  { additionalProperties: false },
)
type DeliveryNetwork = Static<typeof DeliveryNetwork>

export const DeliveryNetworksFile = dataFile({ networks: Type.Array(DeliveryNetwork, { minItems: 1 }) })
const networks: readonly DeliveryNetwork[] = data.networks

/** The CDN of that name, or null. */
export function deliveryNamed(name: string | null): string | null {
  const lowerName = (name ?? '').toLowerCase()
  const holds = (parts: readonly string[] = []) => parts.some(part => lowerName.includes(part))
  return networks.find(({ names, except }) => holds(names) && !holds(except))?.name ?? null
}

type Headers = Evidence['page']['exchanges'][number]['headers']

const isOf = ({ headers: marks = [] }: DeliveryNetwork, responseHeaders: Headers): boolean =>
  marks.some(([name, part = '']) =>
    responseHeaders.some(([header, value]) => header === name && value.toLowerCase().includes(part)),
  )

/** The CDN that answered, by response headers, otherwise by the network of its address; or null. */
export function deliveryOf(headers: Headers, organization: string | null): string | null {
  return networks.find(network => isOf(network, headers))?.name ?? deliveryNamed(organization)
}
