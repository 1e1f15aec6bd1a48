// `assay plugin new`: a folder with a plugin that works, its test, its README and a configuration that loads it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { builtInPlugins } from '../../../plugins/index.ts'
import { type Loaded, SNAKE_CASE } from '../../engine/contract.ts'
import { createRegistry, evidenceOf, isAnalyzer } from '../../engine/registry.ts'
import { packageRoot } from '../../package_root.ts'
import { DEFAULT_GROUPS } from '../../scoring/groups.ts'
import { CliError, EXIT } from '../exit_codes.ts'
import { writeText } from '../files.ts'
import type { Output } from '../output.ts'

/** What the templates call the plugin. */
const PLACEHOLDER = 'my_section'

export function addNew(plugin: Command, { out }: Output): void {
  plugin
    .command('new')
    .description('write a plugin that works, with its test')
    .argument('<name>', 'snake_case: the field in the result, the key in the configuration, the folder')
    .option('--dir <dir>', 'where the folder is made', '.')
    .option('--source', 'with a source of its own: a third party that is asked over https')
    .action((name: string, { dir, source }: { dir: string; source?: boolean }) => {
      const folder = resolve(dir, checkedName(name, source === true))
      if (existsSync(folder)) throw new CliError(EXIT.cannot_create, `${folder} exists already`)
      for (const [file, text] of filesFor(name, source ? 'template_source' : 'template')) {
        writeText(join(folder, file), text)
      }
      out(`${folder}: a plugin with its test. Next:\n\n  assay plugin test ${join(dir, name)}\n`)
      out(`  assay check example.com --config ${join(dir, name, 'config.json')}\n`)
    })
}

/** Ends the command at a name under which the plugin could not be loaded, or would answer for evidence of ours. */
function checkedName(name: string, hasSource: boolean): string {
  if (!SNAKE_CASE.test(name)) throw new CliError(EXIT.usage, `"${name}" is no snake_case word, such as ${PLACEHOLDER}`)
  const named: Loaded = { plugin: { name, description: '', apply() {} }, origin: name }
  const [fault] = createRegistry([...builtInPlugins, named], { plugins: {}, groups: DEFAULT_GROUPS }).faults
  if (fault) throw new CliError(EXIT.usage, fault.message)
  const read = builtInPlugins.flatMap(({ plugin }) => (isAnalyzer(plugin) ? evidenceOf(plugin) : []))
  if (hasSource && read.some(evidence => evidence === name))
    throw new CliError(
      EXIT.usage,
      `there is evidence called "${name}" already, which a source of that name would answer for`,
    )
  return name
}

/** Names and texts of the template's files, under the plugin's own name. */
export function filesFor(name: string, template: 'template' | 'template_source'): [file: string, text: string][] {
  const folder = join(packageRoot, 'src/cli/plugin', template)
  return readdirSync(folder).map(file => [file, renamed(readFileSync(join(folder, file), 'utf8'), name)])
}

const renamed = (text: string, name: string): string =>
  text
    .replaceAll(PLACEHOLDER, name)
    .replaceAll(PLACEHOLDER.toUpperCase(), name.toUpperCase())
    .replaceAll(PLACEHOLDER.replaceAll('_', '-'), name.replaceAll('_', '-'))
