// link: judges the URL itself: brands and lures in its path, other hosts, hidden folders, addresses, redirectors.
import {
  advised,
  analyzer,
  ConfiguredBrands,
  configuredBrands,
  type SignalFound,
  Type,
} from '../../src/engine/plugin.ts'
import { addressIn, doubleEncoding } from './addresses.ts'
import { advice } from './advice.ts'
import { assetFolder } from './asset_folders.ts'
import { linkParts } from './link_parts.ts'
import { hostBesideAt, hostsInPath } from './other_hosts.ts'
import { brandsIn, brandWords, lureIn } from './path_words.ts'
import { presentation } from './presentation.ts'
import { redirectorOf } from './redirectors.ts'
import { LISTED, Section } from './section.ts'
import { composites, type Id, signals } from './signals.ts'

/** Strength for a host name of an unknown owner. Archives and look-up services have them in honest paths. */
const OTHER_HOST = 0.3

export default analyzer({
  name: 'link',
  description:
    'What the checked URL itself says: brands and lures in its path, other hosts, hidden folders, redirectors.',
  targets: ['domain', 'ip'],
  needs: [],
  presentation,
  schema: Section,
  options: Type.Object({ brands: ConfiguredBrands }, { additionalProperties: false }),
  signals: advised(signals, advice),
  composites,
  analyze(_evidence, { target, options }) {
    if (target.url === null) return { notApplicable: 'no_url' }
    const parts = linkParts(target.url)
    const host = target.domain
    const words = brandWords(configuredBrands(options.brands))
    const brands = brandsIn(parts, host, words)
    const lure = lureIn(parts)
    const folder = assetFolder(parts)
    const address = addressIn(parts)
    const beside = hostBesideAt(parts)
    const encoded = doubleEncoding(parts)
    const redirector = redirectorOf(parts, host)
    const hosts = redirector === null ? hostsInPath(parts, host, words.ownersOf) : []
    const found: SignalFound<Id>[] = []
    if (folder !== null) {
      const detail = `The link leads to a page in ${folder.folder}, where sites keep files but no pages.`
      found.push({ id: 'page_in_asset_folder', strength: folder.strength, detail, evidence: { folder: folder.folder } })
    }
    const [other] = hosts
    if (other !== undefined) {
      const whose = other.brand === null ? 'another site' : other.brand
      const detail = `The path contains ${other.host}, a name of ${whose}.`
      found.push({
        id: 'host_in_path',
        strength: other.brand === null ? OTHER_HOST : 1,
        detail,
        evidence: { ...other },
      })
    }
    // The signal for the host name covers this.
    const brand = brands.find(one => one.brand !== other?.brand)
    if (brand !== undefined) {
      const detail = `A part of the path is named after ${brand.brand}, which does not own the host.`
      found.push({ id: 'brand_in_path', strength: brand.strength, detail, evidence: { brand: brand.brand } })
    }
    if (lure !== null) {
      const detail = `The path has the words "${lure.word}".`
      found.push({ id: 'lure_in_path', strength: lure.strength, detail, evidence: { words: lure.word } })
    }
    if (beside !== null) {
      const detail = `The path has the host name ${beside} beside an @, which readers may take for the site.`
      found.push({ id: 'host_beside_at_sign', detail, evidence: { host: beside } })
    }
    if (address !== null) {
      const strength = address.place === 'path' || address.encoding === 'base64' ? 1 : 0.5
      const how = address.encoding === 'base64' ? ', in Base64' : ''
      const detail = `The ${address.place} of the link contains an e-mail address${how}.`
      found.push({ id: 'email_address_in_link', strength, detail, evidence: { ...address } })
    }
    if (encoded !== null) {
      const detail = `Characters of the ${encoded} are percent-encoded twice.`
      found.push({ id: 'double_encoding', detail, evidence: { place: encoded } })
    }
    if (redirector !== null && !redirector.guarded) {
      const { service, leads_to } = redirector
      const detail = `${service} only redirects: the link leads to ${leads_to ?? 'a site that it does not name'}.`
      found.push({ id: 'open_redirector', detail, evidence: { service, leads_to } })
    }
    const section: Section = {
      brands: brands.slice(0, LISTED).map(one => one.brand),
      hosts_in_path: hosts.slice(0, LISTED).map(one => one.host),
      lure: lure?.word ?? null,
      asset_folder: folder?.folder ?? null,
      email_address: address,
      host_beside_at_sign: beside,
      double_encoding: encoded,
      redirector,
    }
    return { section, signals: found }
  },
})
