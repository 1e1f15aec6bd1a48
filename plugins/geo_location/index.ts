// geo_location: location and network of the target's address, and whether it is a hosting network.
import { analyzer, Type } from '../../src/engine/plugin.ts'
import { networkKind } from './network_kind.ts'
import { presentation } from './presentation.ts'
import { Section } from './section.ts'

const Options = Type.Object(
  {
    hosting_asns: Type.Array(Type.Integer({ minimum: 1, maximum: 4_294_967_295 }), {
      default: [],
      description: 'Additional autonomous systems to classify as hosting.',
    }),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'geo_location',
  description: 'Location and network of the address.',
  targets: ['domain', 'ip'],
  needs: ['location'],
  presentation,
  schema: Section,
  options: Options,
  signals: {
    hosting_network: {
      weight: 0,
      group: 'network',
      severity: 'info',
      title: 'Address in a hosting network',
      advice: null,
    },
  },
  analyze({ location }, { options }) {
    // The section is about one address.
    const { ip, asn, organization, databases = null, networks: _, ...place } = location
    const isAdded = asn !== null && options.hosting_asns.includes(asn)
    const classification = networkKind(asn, organization)
    const kind = isAdded && (classification === null || classification === 'access') ? 'hosting' : classification
    const isHosting = kind !== null && kind !== 'access'
    const section = {
      ip,
      ...place,
      asn,
      isp: organization,
      is_hosting: isHosting,
      network_kind: kind,
      databases: databases && [...databases],
    }
    const owner = [organization, asn === null ? null : `AS${asn}`].filter(part => part !== null).join(', ')
    const detail = `${ip} is in a hosting network (${owner}).`
    return {
      section,
      signals: !isHosting ? [] : [{ id: 'hosting_network' as const, detail, evidence: { asn, network_kind: kind } }],
    }
  },
})
