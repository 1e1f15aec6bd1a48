// `npm run docs`: writes the tables of signals in the READMEs of the built-in plugins.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInPlugins } from '../plugins/index.ts'
import { packageRoot } from '../src/base/package_root.ts'
import { isAnalyzer } from '../src/engine/registry.ts'
import { withSignalTables } from './signal_tables.ts'

for (const { plugin } of builtInPlugins) {
  if (!isAnalyzer(plugin)) continue
  const file = join(packageRoot, 'plugins', plugin.name, 'README.md')
  writeFileSync(file, withSignalTables(readFileSync(file, 'utf8'), plugin.signals))
}
