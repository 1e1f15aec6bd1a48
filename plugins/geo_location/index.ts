// geo_location: where the target's address is, whose network it is in, and whether servers live there.
import { analyzer, type TSchema, Type } from '../../src/engine/plugin.ts'
import { networkKind } from './network_kind.ts'

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const Section = Type.Object(
  {
    ip: Type.String(),
    country: Nullable(Type.String({ description: 'ISO 3166-1 alpha-2.' })),
    country_name: Nullable(Type.String({ description: 'English.' })),
    region: Nullable(Type.String()),
    city: Nullable(Type.String()),
    latitude: Nullable(Type.Number({ description: 'Degrees, WGS 84.' })),
    longitude: Nullable(Type.Number({ description: 'Degrees, WGS 84.' })),
    asn: Nullable(Type.Integer({ description: 'Number of the autonomous system that announces the address.' })),
    isp: Nullable(Type.String({ description: 'Organization that runs it.' })),
    is_hosting: Type.Boolean({ description: 'Servers live there; false also when the network is not known.' }),
    network_kind: Nullable(Type.Enum(['cloud', 'hosting', 'cdn', 'access'])),
  },
  { additionalProperties: false },
)

const Options = Type.Object(
  {
    hosting_asns: Type.Array(Type.Integer({ minimum: 1, maximum: 4_294_967_295 }), {
      default: [],
      description: 'Autonomous systems that count as hosting, beside those known.',
    }),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'geo_location',
  description: 'Place and network of the address.',
  targets: ['domain', 'ip'],
  needs: ['location'],
  schema: Section,
  options: Options,
  signals: { hosting_network: { weight: 0, group: 'network', title: 'Address in a hosting network' } },
  analyze({ location }, { options }) {
    const { ip, asn, organization, ...place } = location
    const isAdded = asn !== null && options.hosting_asns.includes(asn)
    const known = networkKind(asn, organization)
    const kind = isAdded && (known === null || known === 'access') ? 'hosting' : known
    const is_hosting = kind !== null && kind !== 'access'
    const section = { ip, ...place, asn, isp: organization, is_hosting, network_kind: kind }
    const owner = [organization, asn === null ? null : `AS${asn}`].filter(part => part !== null).join(', ')
    const detail = `${ip} is in a network of servers (${owner}).`
    return {
      section,
      signals: !is_hosting ? [] : [{ id: 'hosting_network' as const, detail, evidence: { asn, network_kind: kind } }],
    }
  },
})
