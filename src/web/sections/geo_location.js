import { quote, quoteOr, words } from './section.js'

/** @type {import('./section.js').Section} */
export const geo_location = {
  title: 'Location and network',
  looks: 'where the address is and which network it belongs to; it does not affect the score',
  informs: true,
  describe({ ip, country, country_name, region, city, asn, isp, is_hosting, network_kind }) {
    const place = [city, country_name ?? country].filter(Boolean).join(', ')
    const isNetworkKnown = asn !== null || isp !== null
    return {
      summary: [
        ...(place === '' ? ['The location of the address is unknown'] : ['The address is in ', quote(place)]),
        ...(isp === null ? [''] : [', in the network of ', quote(isp)]),
        is_hosting ? ', a hosting network.' : '.',
      ],
      facts: [
        ['Address', ip],
        ['Country', country_name ?? country],
        ['Region', region],
        ['City', city],
        ['Network', asn === null ? null : `AS${asn}`],
        ['Operator', quoteOr(isp)],
        ['Kind', network_kind === null ? (isNetworkKnown ? 'not recognised' : null) : words(network_kind)],
      ],
    }
  },
}
