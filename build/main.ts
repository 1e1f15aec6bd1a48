// Makes the JavaScript of `dist`: few files instead of some two thousand, with the validators of the built-in schemas
// compiled beforehand. Loading modules and compiling schemas took nine tenths of a start. `tsc` writes the types.
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { builtInPlugins } from '../plugins/index.ts'
import { packageRoot } from '../src/base/package_root.ts'
import { describeCommand } from '../src/cli/described.ts'
import { manualPage } from '../src/cli/manual_page.ts'
import { completeProgram } from '../src/cli/program.ts'
import { ConfigSchema } from '../src/config/schema.ts'
import { CompositeSchema } from '../src/engine/composites_of.ts'
import { ajvOptions, compiledName, type SchemaKind } from '../src/engine/json_schema.ts'
import { RecordingSchema } from '../src/engine/recording.ts'
import { createRegistry, isAnalyzer } from '../src/engine/registry.ts'
import { HEAD } from '../src/engine/result_fields.ts'
import { frameSchema } from '../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../src/engine/scoring/groups.ts'
import { expandModel } from '../src/evidence/name_score/model_file.ts'
import { EXPANDED_MODEL, shippedModelPath } from '../src/evidence/name_score/name_model.ts'
import { OPERATIONS } from '../src/service/api/operations.ts'
import type { Operation } from '../src/service/api/routes.ts'
import { bundleTests } from './test_bundle.ts'

/** Files that are started or imported by their own name. */
const ENTRIES = [
  'src/cli/main.ts',
  'src/cli/plugin/offer.ts',
  'src/engine/own_package.ts',
  'src/engine/plugin.ts',
  'src/index.ts',
  'src/engine/isolation/child.ts',
  'src/testing/index.ts',
]

/** Dependencies that are not bundled, because only some installations use them. */
const EXTERNAL = ['pg', 'bullmq']

/** What requests are validated against. */
const requestSchemas = Object.values<Operation>(OPERATIONS).flatMap(({ query, body }) =>
  [query, body].filter(one => one !== undefined),
)

/** Every schema that a start and a check under the default configuration validate against. */
function builtInSchemas(): readonly (readonly [kind: SchemaKind, schema: object])[] {
  const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
  return [
    ['settings', ConfigSchema],
    ['settings', CompositeSchema],
    ['settings', RecordingSchema],
    ['result', frameSchema(registry)],
    ['section', HEAD.signal_details],
    ...requestSchemas.map(schema => ['request', schema] as const),
    ...builtInPlugins.flatMap(({ plugin }) => [
      ...(isAnalyzer(plugin) ? [['section', plugin.schema] as const] : []),
      ...(plugin.options === undefined ? [] : [['settings', plugin.options] as const]),
    ]),
  ]
}

/** Where the compiled validators are, below `dist`. */
const COMPILED = 'compiled'

/** The code of each compiled validator by its name. */
const validators = new Map(
  builtInSchemas().map(([kind, schema]) => {
    const ajv = new Ajv2020({ ...ajvOptions[kind], code: { source: true } })
    return [compiledName(kind, schema), standalone.default(ajv, ajv.compile(schema))]
  }),
)

/** Resolves `compiled:<name>` to a validator. */
const compiledValidators: Plugin = {
  name: 'validators',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^compiled:/ }, ({ path }) => ({ path: path.slice(COMPILED.length + 1), namespace: COMPILED }))
    onLoad({ filter: /.*/, namespace: COMPILED }, ({ path }) => ({
      contents: validators.get(path) ?? '',
      resolveDir: packageRoot,
    }))
  },
}

/** A file for each validator. In a chunk they would be read at every start, and most commands need few of them. */
const buildValidators = () =>
  build({
    absWorkingDir: packageRoot,
    entryPoints: [...validators.keys()].map(name => ({ in: `${COMPILED}:${name}`, out: name })),
    outdir: `dist/${COMPILED}`,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    metafile: true,
    plugins: [compiledValidators],
  })

/** Puts the compiled validators, each loaded at its first use by `load`, in the place of `compiled_schemas.ts`. */
const schemasBy = (setup: string, load: (name: string) => string): Plugin => ({
  name: 'compiled schemas',
  setup({ onLoad }) {
    const entries = [...validators.keys()].map(name => `${name}: () => ${load(name)}`)
    onLoad({ filter: /\/compiled_schemas\.ts$/ }, ({ path }) => ({
      contents: `${setup}\nexport const compiledSchemas = {${entries.join(',')}}`,
      resolveDir: dirname(path),
    }))
  },
})

const compiledSchemas = schemasBy(
  `import { createRequire } from 'node:module'
  import { packageRoot } from '../base/package_root.ts'
  const load = createRequire(packageRoot + '/dist/${COMPILED}/')`,
  name => `load('./${name}.cjs')`,
)

const { metafile: compiled } = await buildValidators()
const shared: BuildOptions = {
  absWorkingDir: packageRoot,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Names stay, for stack traces. The rest is half the source, which V8 keeps in memory.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  logLevel: 'warning',
  external: EXTERNAL,
}
const { metafile } = await build({
  ...shared,
  entryPoints: ENTRIES,
  outdir: 'dist',
  outbase: '.',
  chunkNames: 'chunks/[hash]',
  splitting: true,
  format: 'esm',
  metafile: true,
  // CommonJS dependencies ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  plugins: [compiledSchemas],
})
writeFileSync(join(packageRoot, 'dist', EXPANDED_MODEL), expandModel(readFileSync(shippedModelPath)))
chmodSync(join(packageRoot, 'dist/src/cli/main.js'), 0o755)

/** The terms of each bundled package, which its licence asks to be kept with every copy. */
const packages = new Set(
  Object.keys({ ...metafile.inputs, ...compiled.inputs }).flatMap(
    path => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  ),
)
const licences = [...packages].sort().map(path => {
  const file = readdirSync(join(packageRoot, path)).find(name => /^licen[cs]e/i.test(name))
  const { name, version, license } = JSON.parse(readFileSync(join(packageRoot, path, 'package.json'), 'utf8'))
  const text = file === undefined ? '' : readFileSync(join(packageRoot, path, file), 'utf8').trim()
  return `${name} ${version} (${license})\n\n${text}\n`
})
writeFileSync(join(packageRoot, 'dist/THIRD_PARTY_LICENSES.txt'), licences.join('\n---\n\n'))

// The time of the source where a packager sets it, so that two builds are equal (reproducible-builds.org).
const { SOURCE_DATE_EPOCH } = process.env
const date = SOURCE_DATE_EPOCH === undefined ? new Date() : new Date(Number(SOURCE_DATE_EPOCH) * 1_000)
mkdirSync(join(packageRoot, 'dist/man'))
writeFileSync(join(packageRoot, 'dist/man/assay.1'), manualPage(describeCommand(await completeProgram()), date))

if (process.argv.includes('--tests')) await bundleTests(EXTERNAL, [compiledSchemas])
