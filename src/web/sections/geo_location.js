import { quote } from './section.js'

/** @type {import('./section.js').Section} */
export const geo_location = {
  title: 'Place and network',
  looks: 'where the address is and whose network it belongs to',
  tell({ ip, country, country_name, region, city, asn, isp, is_hosting, network_kind }) {
    const place = [city, country_name ?? country].filter(Boolean).join(', ')
    return {
      summary: [
        ...(place === '' ? ['The place of the address is not known'] : ['The address is in ', quote(place)]),
        ...(isp === null ? [''] : [', in the network of ', quote(isp)]),
        is_hosting ? ', where servers live.' : '.',
      ],
      facts: [
        ['Address', ip],
        ['Country', country_name ?? country],
        ['Region', region],
        ['City', city],
        ['Network', asn === null ? null : `AS${asn}`],
        ['Operator', isp === null ? null : quote(isp)],
        ['Kind', network_kind],
      ],
    }
  },
}
