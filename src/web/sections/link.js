import { NONE, quoteOr, words } from './section.js'

/** @typedef {{ place: 'path' | 'query', encoding: 'plain' | 'base64' }} Address */
/** @typedef {{ service: string, leads_to: string | null, guarded: boolean }} Redirector */

/** @type {(address: Address | null) => string | readonly string[]} */
const address = found =>
  found === null ? NONE : `in the ${found.place}${found.encoding === 'base64' ? ', in Base64' : ''}`

/** @type {(redirector: Redirector | null) => string | readonly string[]} */
const redirector = found =>
  found === null ? NONE : `${found.service}, to ${found.leads_to ?? 'a site it does not name'}`

/** @type {import('./section.js').Section} */
export const link = {
  title: 'Link',
  looks: 'what the link itself says: brands and lures in its path, hidden folders, redirectors',
  describe(section) {
    const { brands, hosts_in_path, lure, asset_folder, host_beside_at_sign, double_encoding } = section
    const plays = [...new Set([...brands, ...hosts_in_path])]
    const remarkable =
      plays.length > 0 || [lure, asset_folder, host_beside_at_sign, double_encoding].some(fact => fact !== null)
    /** @type {(import('./section.js').Quoted | string)[]} */
    const summary =
      plays.length > 0
        ? ['The path of the link names ', { text: plays.join(', ') }, ', whose site this is not.']
        : [remarkable ? 'The link has unusual parts.' : 'Nothing about the link itself is unusual.']
    return {
      summary,
      facts: [
        ['Brands in the path', brands],
        ['Other sites in the path', hosts_in_path],
        ['Lure in the path', quoteOr(lure, NONE)],
        ['Folder that holds no pages', quoteOr(asset_folder, NONE)],
        ['E-mail address', address(section.email_address)],
        ['Host name beside an @', quoteOr(host_beside_at_sign, NONE)],
        ['Encoded twice', double_encoding === null ? NONE : words(double_encoding)],
        ['Redirection service', redirector(section.redirector)],
      ],
    }
  },
}
