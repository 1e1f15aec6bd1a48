// How people see the section.
import { labelsOf, NONE, type Presentation, quote, quoteOr, type Value, words } from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

const address = (fact: Section['email_address']): Value =>
  fact === null ? NONE : `in the ${fact.place}${fact.encoding === 'base64' ? ', in Base64' : ''}`

const redirector = (fact: Section['redirector']): Value =>
  fact === null ? NONE : `${fact.service}, to ${fact.leads_to ?? 'a site it does not name'}`

/** The rules behind what is judged. */
const sources = [
  { label: 'URI syntax (RFC 3986)', url: 'https://www.rfc-editor.org/rfc/rfc3986' },
  { label: 'URL standard (WHATWG)', url: 'https://url.spec.whatwg.org/' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Link',
  looks: 'what the link itself says: brands and lures in its path, hidden folders, redirectors',
  order: 20,
  describe(section) {
    const { brands, hosts_in_path, lure, asset_folder, host_beside_at_sign, double_encoding } = section
    const plays = [...new Set([...brands, ...hosts_in_path])]
    const remarkable =
      plays.length > 0 || [lure, asset_folder, host_beside_at_sign, double_encoding].some(fact => fact !== null)
    return {
      summary:
        plays.length > 0
          ? ['The path of the link names ', quote(plays.join(', ')), ', but the site is not theirs.']
          : [remarkable ? 'The link has unusual parts.' : 'Nothing about the link itself is unusual.'],
      facts: [
        [label.brands, brands],
        [label.hosts_in_path, hosts_in_path],
        [label.lure, quoteOr(lure, NONE)],
        [label.asset_folder, quoteOr(asset_folder, NONE)],
        [label.email_address, address(section.email_address)],
        [label.host_beside_at_sign, quoteOr(host_beside_at_sign, NONE)],
        [label.double_encoding, double_encoding === null ? NONE : words(double_encoding)],
        [label.redirector, redirector(section.redirector)],
      ],
      links: sources,
    }
  },
}
