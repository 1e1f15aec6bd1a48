// `assay plugin`: `new` writes a plugin with its test, `test` checks one against the contract and runs its tests.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, parse, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { builtInPlugins } from '../../../plugins/index.ts'
import { moduleFile, packageRoot, version } from '../../base/package_root.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { BUILT_IN, type LoadedPlugin } from '../../engine/contract.ts'
import { SNAKE_CASE } from '../../engine/declared_signals.ts'
import { loadRegistry } from '../../engine/plugins.ts'
import { createRegistry, evidenceOf, isAnalyzer } from '../../engine/registry.ts'
import { DEFAULT_GROUPS } from '../../engine/scoring/groups.ts'
import { CliError, EXIT } from '../exit_codes.ts'
import { invocation } from '../invocation.ts'
import { requireSound } from '../options.ts'
import { type Output, writeText } from '../output.ts'

/** The name of the plugin in the templates. */
const PLACEHOLDER = 'my_section'

function addNew(plugin: Command, { out }: Output): void {
  plugin
    .command('new')
    .description('create a working plugin with its test')
    .argument('<name>', 'snake_case name of the result field, the configuration key and the folder')
    .option('--dir <dir>', 'parent directory of the new folder', '.')
    .option('--source', 'with its own data source: a third party queried over https')
    .addOption(new Option('--typescript', 'in TypeScript, as a package to publish').conflicts('source'))
    .action((name: string, { dir, source, typescript }: { dir: string; source?: boolean; typescript?: boolean }) => {
      const folder = resolve(dir, checkedName(name, source === true))
      if (existsSync(folder)) throw new CliError(EXIT.cannot_create, `${folder} already exists`)
      const template = typescript ? 'template_typescript' : source ? 'template_source' : 'template'
      for (const [file, text] of filesFor(name, template)) {
        writeText(join(folder, file), text)
      }
      out(`${folder}: a plugin with its test. Next:\n\n`)
      // The registry of the author need not have assay, and the peer should be the one that loads the plugin.
      if (typescript) out(`  cd ${join(dir, name)} && npm install --no-save ${packageRoot} && npm test\n`)
      out(`  ${invocation()} plugin test ${join(dir, name)}\n`)
      out(`  ${invocation()} check example.com --config ${join(dir, name, 'config.json')}\n`)
    })
}

/** Ends the command when no plugin with this name could be loaded, or when its source would replace built-in evidence. */
function checkedName(name: string, hasSource: boolean): string {
  if (!SNAKE_CASE.test(name))
    throw new CliError(EXIT.usage, `"${name}" is not a snake_case word such as ${PLACEHOLDER}`)
  const stub: LoadedPlugin = { plugin: { name, description: '', apply() {} }, origin: name }
  const [fault] = createRegistry([...builtInPlugins, stub], { plugins: {}, groups: DEFAULT_GROUPS }).faults
  if (fault) throw new CliError(EXIT.usage, fault.message)
  const evidenceNames = builtInPlugins.flatMap(({ plugin }) => (isAnalyzer(plugin) ? evidenceOf(plugin) : []))
  if (hasSource && evidenceNames.some(evidence => evidence === name))
    throw new CliError(EXIT.usage, `evidence "${name}" already exists; choose another name for the source`)
  return name
}

/** What is left off the names of template files that tools would take for files of this package. */
const SUFFIX = /\.template$/

/** The files of the template, with the name of the plugin and the version of this package filled in. */
function filesFor(name: string, template: string): [file: string, text: string][] {
  const folder = join(packageRoot, 'src/cli/plugin', template)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter(file => statSync(join(folder, file)).isFile())
    .map(file => [file.replace(SUFFIX, ''), renameIn(readFileSync(join(folder, file), 'utf8'), name)])
}

const renameIn = (text: string, name: string): string =>
  text
    .replaceAll('ASSAY_VERSION', version)
    .replaceAll(PLACEHOLDER, name)
    .replaceAll(PLACEHOLDER.toUpperCase(), name.toUpperCase())
    .replaceAll(PLACEHOLDER.replaceAll('_', '-'), name.replaceAll('_', '-'))

const TESTS = /\.test\.m?js$/

function addTest(plugin: Command, { out, err }: Output): void {
  plugin
    .command('test')
    .description('check a plugin against the contract and run its tests')
    .argument('<path>', 'folder or module of the plugin')
    .option('--isolated', 'load it in a separate process, like "isolated" in the configuration')
    .action(async (path: string, { isolated = false }: { isolated?: boolean }) => {
      const { folder, entry } = locate(path)
      out(`${await contractReport({ module: entry, isolated })}\n`)
      const files = readdirSync(folder).filter(name => TESTS.test(name))
      if (files.length === 0) throw new CliError(EXIT.usage, `${folder} has no tests (*.test.js)`)
      const code = await runTests(
        files.map(name => join(folder, name)),
        { out, err },
      )
      if (code !== 0) throw new CliError(EXIT.failed_on, 'the tests of the plugin failed')
    })
}

function locate(path: string): { folder: string; entry: string } {
  const absolute = resolve(path)
  const stats = statSync(absolute, { throwIfNoEntry: false })
  if (!stats) throw new CliError(EXIT.usage, `${path}: no such file`)
  if (stats.isFile()) return { folder: resolve(absolute, '..'), entry: absolute }
  const entry = join(absolute, entryOf(absolute))
  if (!existsSync(entry))
    throw new CliError(EXIT.usage, `${entry} does not exist: build the plugin first, with \`npm run build\``)
  return { folder: dirname(entry), entry }
}

/** The file that a package exports, `index.js` if it states none; tests are beside it. */
function entryOf(folder: string): string {
  const manifest = join(folder, 'package.json')
  const { exports } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : { exports: undefined }
  const main: unknown = exports?.['.']?.default ?? exports?.['.'] ?? exports
  return typeof main === 'string' ? main : 'index.js'
}

/** One line for each plugin of the module; ends the command with all faults when there are any. */
async function contractReport(entry: Config['load'][number]): Promise<string> {
  const { config, faults } = readConfig({}, { ...readEnvironment(), config: undefined })
  // Without a configuration, nothing is beside the plugin.
  const registryResult = await loadRegistry(builtInPlugins, { ...config, load: [entry] }, parse(packageRoot).root)
  registryResult.registry.close()
  requireSound([...faults, ...registryResult.faults])
  const { analyzers, offered, extensions } = registryResult.registry
  const sections = [...analyzers, ...offered].filter(({ origin }) => origin !== BUILT_IN)
  const sources = extensions.filter(({ origin }) => origin !== BUILT_IN)
  return [
    ...sections.map(({ analyzer, signals }) => {
      const ids = Object.keys(signals)
      return `${analyzer.name}: follows the contract; reads ${analyzer.needs.join(', ') || 'nothing'}; signals: ${ids.join(', ') || 'none'}`
    }),
    ...sources.map(({ name }) => `${name}: follows the contract`),
  ].join('\n')
}

/** The exit code of the tests. Their output goes to the output of the command. */
async function runTests(files: readonly string[], { out, err }: Pick<Output, 'out' | 'err'>): Promise<number> {
  const offer = moduleFile('src/cli/plugin/offer')
  // From Node 24 on, a test runner hands all its options to what it runs.
  const own = process.execArgv.filter(option => !/^--(?:inspect|test)/.test(option))
  const args = [...own, '--import', offer, '--test', ...files]
  // A test runner that finds this variable would run nothing.
  const { NODE_TEST_CONTEXT, ...env } = readEnvironment().variables ?? {}
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  child.stdout.setEncoding('utf8').on('data', out)
  child.stderr.setEncoding('utf8').on('data', err)
  const [code] = await once(child, 'close')
  return code ?? 1
}

export function definePlugin(plugin: Command, output: Output): void {
  addNew(plugin, output)
  addTest(plugin, output)
}
