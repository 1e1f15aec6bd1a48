// link: judges the URL itself: brands and lures in its path, other hosts, hidden folders, addresses, redirectors.
import { analyzer, ConfiguredBrands, configuredBrands, raise, Type } from '../../src/engine/plugin.ts'
import { addressIn, doubleEncoding } from './addresses.ts'
import { assetFolder } from './asset_folders.ts'
import { linkParts } from './link_parts.ts'
import { hostBesideAt, hostsInPath } from './other_hosts.ts'
import { brandsIn, brandWords, lureIn } from './path_words.ts'
import { presentation } from './presentation.ts'
import { redirectorOf } from './redirectors.ts'
import { MAX_MEMBERS, Section } from './section.ts'
import { composites, type LinkFacts, signals } from './signals.ts'

export default analyzer({
  name: 'link',
  description:
    'What the checked URL itself says: brands and lures in its path, other hosts, hidden folders, redirectors.',
  targets: ['domain', 'ip'],
  needs: [],
  presentation,
  schema: Section,
  options: Type.Object({ brands: ConfiguredBrands }, { additionalProperties: false }),
  signals,
  composites,
  analyze(_evidence, { target, options }) {
    if (target.url === null) return { notApplicable: 'no_url' }
    const parts = linkParts(target.url)
    const host = target.domain
    const words = brandWords(configuredBrands(options.brands))
    const redirector = redirectorOf(parts, host)
    const facts: LinkFacts = {
      folder: assetFolder(parts),
      hosts: redirector === null ? hostsInPath(parts, host, words.ownersOf) : [],
      brands: brandsIn(parts, host, words),
      lure: lureIn(parts),
      beside: hostBesideAt(parts),
      address: addressIn(parts),
      encoded: doubleEncoding(parts),
      redirector,
    }
    const section: Section = {
      brands: facts.brands.slice(0, MAX_MEMBERS).map(one => one.brand),
      hosts_in_path: facts.hosts.slice(0, MAX_MEMBERS).map(one => one.host),
      lure: facts.lure?.word ?? null,
      asset_folder: facts.folder?.folder ?? null,
      email_address: facts.address,
      host_beside_at_sign: facts.beside,
      double_encoding: facts.encoded,
      redirector,
    }
    return { section, signals: raise(signals, facts) }
  },
})
