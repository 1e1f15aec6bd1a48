// Data is JSON that anybody can add to: every file below `src` and `plugins` has a schema, and a README with its provenance.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { DeliveryNetworksFile } from '../plugins/carbon_footprint/delivery.ts'
import { ActsFile } from '../plugins/content_analysis/acts.ts'
import { GenericWordsFile } from '../plugins/content_analysis/generic_words.ts'
import { PhrasesFile } from '../plugins/content_analysis/page_model/features.ts'
import { PageModelFile } from '../plugins/content_analysis/page_model/judge.ts'
import { ProductsFile } from '../plugins/content_analysis/products.ts'
import { RolesFile } from '../plugins/content_analysis/roles.ts'
import { SocialNetworksFile } from '../plugins/content_analysis/social.ts'
import { FreeHostingFile } from '../plugins/content_analysis/traits.ts'
import { KindsFile } from '../plugins/cookies/kinds.ts'
import { NetworksFile } from '../plugins/geo_location/network_kind.ts'
import { WellKnownFile } from '../plugins/link/asset_folders.ts'
import { PathWordsFile } from '../plugins/link/path_words.ts'
import { RedirectorsFile } from '../plugins/link/redirectors.ts'
import { PlacesFile } from '../plugins/reputation/lookalike/judge.ts'
import { LureWordsFile } from '../plugins/reputation/lookalike/words.ts'
import { ListSitesFile } from '../plugins/reputation/presentation.ts'
import { ReverseWordsFile } from '../plugins/reputation/reverse_names.ts'
import { AuthoritiesFile } from '../plugins/ssl_info/caa.ts'
import { FingerprintFile } from '../plugins/tech_stack/fingerprints/fingerprints.ts'
import { SupportEndsFile } from '../plugins/tech_stack/signals.ts'
import { packageRoot } from '../src/base/package_root.ts'
import { OwnNetworksFile } from '../src/engine/ownership/owner.ts'
import { KnownListsFile } from '../src/evidence/listings/known_lists.ts'
import { WhoisServersFile } from '../src/evidence/registration/whois.ts'
import { WhoisWordsFile } from '../src/evidence/registration/whois_words.ts'
import { RuleFile } from '../src/evidence/served/rule.ts'
import { SuitesFile } from '../src/evidence/tls_offer/suites.ts'
import { SectorFile } from '../src/knowledge/brands/sector_schema.ts'
import { DatasetsFile } from '../src/knowledge/datasets/known_datasets.ts'
import { SpecialPurposeFile } from '../src/network/guard.ts'
import { EndingsFile, LettersFile, WordsFile } from '../src/results/lookalikes/candidates.ts'
import { FreeMailFile } from '../src/targets/email.ts'
import { PlatformsFile } from '../src/targets/platforms.ts'
import { SharedHostsFile } from '../src/targets/shared_hosts.ts'
import { AbusedSuffixesFile } from '../src/targets/suffixes.ts'
import { HealthySiteFile } from '../src/testing/check_page.ts'
import { assertCheap } from './cpu.ts'

/** The schema of each file, or of all files in a folder. */
const SCHEMAS: Readonly<Record<string, object>> = {
  'plugins/carbon_footprint/data/delivery_networks.json': DeliveryNetworksFile,
  'plugins/content_analysis/data/acts.json': ActsFile,
  'plugins/content_analysis/data/free_hosting.json': FreeHostingFile,
  'plugins/content_analysis/data/generic_words.json': GenericWordsFile,
  'plugins/content_analysis/data/phrases.json': PhrasesFile,
  'plugins/content_analysis/data/products.json': ProductsFile,
  'plugins/content_analysis/data/roles.json': RolesFile,
  'plugins/content_analysis/data/social_networks.json': SocialNetworksFile,
  'plugins/content_analysis/page_model/weights.json': PageModelFile,
  'plugins/cookies/data/kinds.json': KindsFile,
  'plugins/geo_location/networks.json': NetworksFile,
  'plugins/link/data/path_words.json': PathWordsFile,
  'plugins/link/data/redirectors.json': RedirectorsFile,
  'plugins/link/data/well_known.json': WellKnownFile,
  'plugins/reputation/data/list_sites.json': ListSitesFile,
  'plugins/reputation/data/lure_words.json': LureWordsFile,
  'plugins/reputation/data/places.json': PlacesFile,
  'plugins/reputation/data/reverse_words.json': ReverseWordsFile,
  'plugins/ssl_info/data/authorities.json': AuthoritiesFile,
  'plugins/tech_stack/fingerprints': FingerprintFile,
  'plugins/tech_stack/support_ends.json': SupportEndsFile,
  'src/engine/ownership/own_networks.json': OwnNetworksFile,
  'src/evidence/listings/known_lists.json': KnownListsFile,
  'src/evidence/registration/data/whois_servers.json': WhoisServersFile,
  'src/evidence/registration/data/whois_words.json': WhoisWordsFile,
  'src/evidence/served/rules': RuleFile,
  'src/evidence/tls_offer/data/suites.json': SuitesFile,
  'src/knowledge/brands/sectors': SectorFile,
  'src/knowledge/datasets/known_datasets.json': DatasetsFile,
  'src/network/data/special_purpose.json': SpecialPurposeFile,
  'src/results/lookalikes/data/endings.json': EndingsFile,
  'src/results/lookalikes/data/letters.json': LettersFile,
  'src/results/lookalikes/data/words.json': WordsFile,
  'src/targets/data/abused_suffixes.json': AbusedSuffixesFile,
  'src/targets/data/free_mail.json': FreeMailFile,
  'src/targets/data/platforms.json': PlatformsFile,
  'src/targets/data/shared_hosts.json': SharedHostsFile,
  'src/testing/healthy_site.json': HealthySiteFile,
}

/** No data, but settings of tools and templates of new plugins. */
const isSetting = (file: string) => file.startsWith('src/cli/plugin/template') || file.endsWith('tsconfig.json')

const files = ['src', 'plugins'].flatMap(folder =>
  readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name).split(sep).join('/'))
    .filter(file => file.endsWith('.json') && !isSetting(file)),
)

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
/** The regular expressions of the file that is validated. */
let expressions: string[] = []
ajv.addFormat('regex', (text: string) => expressions.push(text) > 0)

/** Text that an expression fails on late: what it looks for itself, over and over, and what repetitions take. */
function hostileTo(source: string): string[] {
  const parts = source.match(/[\p{L}\d ]{2,}/gu) ?? []
  const longest = parts.toSorted((a, b) => b.length - a.length).slice(0, 6)
  return ['a', '1', ' ', '/a', ...longest, parts.join(' ')].map(unit =>
    unit.repeat(Math.ceil(CHARACTERS / (unit.length || 1))),
  )
}
const CHARACTERS = 2 ** 14
/** What one expression may cost over all of its texts, in walks over two mebibytes. */
const BUDGET = 20

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8')

describe('a data file', () => {
  it('stands at every place that has a schema', () => {
    const places = Object.keys(SCHEMAS).filter(place => !files.some(file => file === place || dirname(file) === place))
    assert.deepEqual(places, [])
  })

  for (const file of files) {
    it(`follows its schema: ${file}`, () => {
      const schema = SCHEMAS[file] ?? SCHEMAS[dirname(file)]
      assert.ok(schema, 'add its schema to the table of this test')
      const check = ajv.compile(schema)
      expressions = []
      check(JSON.parse(read(file)))
      assert.deepEqual(
        (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`),
        [],
      )
      for (const source of new Set(expressions)) {
        const compiled = ['', 'i', 'u'].map(flags => new RegExp(source, flags))
        const texts = hostileTo(source)
        try {
          assertCheap(() => texts.map(text => compiled.map(one => one.test(text))), BUDGET)
        } catch (error) {
          assert.fail(`${source}: ${error}`)
        }
      }
    })
  }

  it('has a page beside or above it that says its source and licence', () => {
    const silent = [...new Set(files.map(dirname))].filter(
      folder => !pagesAt(folder).some(page => /source/i.test(page) && /licence/i.test(page)),
    )
    assert.deepEqual(silent, [])
  })
})

/** README or model card of the folder and of the one above. */
const pagesAt = (folder: string): string[] =>
  [folder, dirname(folder)].flatMap(at =>
    readdirSync(join(packageRoot, at)).flatMap(name => (name.endsWith('.md') ? [read(join(at, name))] : [])),
  )
