// Data is JSON that anybody can add to: every file below `src` and `plugins` has a schema, and a README with its provenance.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { NetworksFile } from '../plugins/geo_location/network_kind.ts'
import { FingerprintFile } from '../plugins/tech_stack/fingerprints/fingerprints.ts'
import { SupportEndsFile } from '../plugins/tech_stack/signals.ts'
import { packageRoot } from '../src/base/package_root.ts'
import { KnownListsFile } from '../src/evidence/listings/known_lists.ts'
import { RuleFile } from '../src/evidence/served/rule.ts'
import { SectorFile } from '../src/knowledge/brands/sector_schema.ts'
import { DatasetsFile } from '../src/knowledge/datasets/known_datasets.ts'

/** The schema of each file, or of all files in a folder. */
const SCHEMAS: Readonly<Record<string, object>> = {
  'plugins/geo_location/networks.json': NetworksFile,
  'plugins/tech_stack/fingerprints': FingerprintFile,
  'plugins/tech_stack/support_ends.json': SupportEndsFile,
  'src/evidence/listings/known_lists.json': KnownListsFile,
  'src/evidence/served/rules': RuleFile,
  'src/knowledge/brands/sectors': SectorFile,
  'src/knowledge/datasets/known_datasets.json': DatasetsFile,
}

/** No data, but settings of tools and templates of new plugins. */
const isSetting = (file: string) => file.startsWith('src/cli/plugin/template') || file.endsWith('tsconfig.json')

const files = ['src', 'plugins'].flatMap(folder =>
  readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name).split(sep).join('/'))
    .filter(file => file.endsWith('.json') && !isSetting(file)),
)

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
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
      check(JSON.parse(read(file)))
      assert.deepEqual(
        (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`),
        [],
      )
    })
  }

  it('has a README beside or above it with source and licence', () => {
    const folders = [...new Set(files.map(dirname))]
    const readme = (folder: string) => [folder, dirname(folder)].map(at => join(at, 'README.md')).find(existsHere)
    const silent = folders.filter(folder => !/licence/i.test(read(readme(folder) ?? 'package.json')))
    assert.deepEqual(silent, [])
  })
})

const existsHere = (file: string) => existsSync(join(packageRoot, file))
