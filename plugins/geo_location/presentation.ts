// How people see the section.
import { labelsOf, type Presentation, quote, quoteOr, type Source, words } from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

/** Whom the licence of a database wants named where results are shown, by the beginning of its type. */
const makers = [
  { type: 'DBIP', label: 'IP geolocation by DB-IP', url: 'https://db-ip.com' },
  { type: 'Geo', label: 'GeoLite data by MaxMind', url: 'https://www.maxmind.com' },
  { type: 'ipinfo', label: 'IP address data by IPinfo', url: 'https://ipinfo.io' },
] as const

const sourcesOf = (databases: Section['databases']): readonly Source[] =>
  makers
    .filter(({ type }) => databases?.some(one => one.toLowerCase().startsWith(type.toLowerCase())))
    .map(({ label, url }) => ({ label, url }))

export const presentation: Presentation<Section> = {
  title: 'Location and network',
  looks: 'where the address is and which network it belongs to; it does not affect the score',
  order: 140,
  informs: true,
  describe(section) {
    const { ip, country, country_name, region, city, latitude, longitude, asn, isp, is_hosting, network_kind } = section
    const place = [city, country_name ?? country].filter(Boolean).join(', ')
    const isNetworkKnown = asn !== null || isp !== null
    return {
      summary: [
        ...(place === '' ? ['The location of the address is unknown'] : ['The address is in ', quote(place)]),
        ...(isp === null ? [''] : [', in the network of ', quote(isp)]),
        is_hosting ? ', a hosting network.' : '.',
      ],
      ...(latitude === null || longitude === null ? {} : { place: { label: place || ip, latitude, longitude } }),
      dependencies: isp === null ? [] : [{ role: network_kind === 'cdn' ? 'Delivered by' : 'Hosted by', party: isp }],
      facts: [
        [label.ip, ip],
        [label.country, country_name ?? country],
        [label.region, region],
        [label.city, city],
        [label.asn, asn === null ? null : `AS${asn}`],
        [label.isp, quoteOr(isp)],
        [label.network_kind, network_kind === null ? (isNetworkKnown ? 'not recognised' : null) : words(network_kind)],
      ],
      links: sourcesOf(section.databases),
    }
  },
}
