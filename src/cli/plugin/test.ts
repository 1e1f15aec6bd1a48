// `assay plugin test`: does a plugin keep the contract, and do its own tests pass?
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { builtInPlugins } from '../../../plugins/index.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { loadRegistry } from '../../config/plugins.ts'
import { BUILT_IN } from '../../engine/contract.ts'
import { CliError, EXIT } from '../exit_codes.ts'
import { requireSound } from '../options.ts'
import type { Output } from '../output.ts'

const TESTS = /\.test\.m?js$/

export function addTest(plugin: Command, { out, err }: Output): void {
  plugin
    .command('test')
    .description('hold a plugin to the contract and run its tests')
    .argument('<path>', 'its folder, or its module')
    .option('--isolated', 'load it as the configuration’s "isolated" does: in a process of its own')
    .action(async (path: string, { isolated = false }: { isolated?: boolean }) => {
      const { folder, entry } = located(path)
      out(`${await contractReport({ module: entry, isolated })}\n`)
      const files = readdirSync(folder).filter(name => TESTS.test(name))
      if (files.length === 0) throw new CliError(EXIT.usage, `${folder} has no tests (*.test.js)`)
      const code = await runTests(
        files.map(name => join(folder, name)),
        { out, err },
      )
      if (code !== 0) throw new CliError(EXIT.failed_on, 'its tests fail')
    })
}

function located(path: string): { folder: string; entry: string } {
  const absolute = resolve(path)
  const found = statSync(absolute, { throwIfNoEntry: false })
  if (!found) throw new CliError(EXIT.usage, `${path}: no such file`)
  if (found.isFile()) return { folder: resolve(absolute, '..'), entry: absolute }
  return { folder: absolute, entry: join(absolute, 'index.js') }
}

/** A line for each plugin of the module; ends the command with every fault when there are any. */
async function contractReport(entry: Config['load'][number]): Promise<string> {
  const { config, base, faults } = readConfig({}, { ...readEnvironment(), config: undefined })
  const loaded = await loadRegistry(builtInPlugins, { ...config, load: [entry] }, base)
  loaded.registry.close()
  requireSound([...faults, ...loaded.faults])
  const { analyzers, offered, extensions } = loaded.registry
  const sections = [...analyzers, ...offered].filter(({ origin }) => origin !== BUILT_IN)
  const sources = extensions.filter(({ origin }) => origin !== BUILT_IN)
  return [
    ...sections.map(({ analyzer, signals }) => {
      const ids = Object.keys(signals)
      return `${analyzer.name}: keeps the contract; reads ${analyzer.needs.join(', ') || 'nothing'}; signals: ${ids.join(', ') || 'none'}`
    }),
    ...sources.map(({ name }) => `${name}: keeps the contract`),
  ].join('\n')
}

/** Its exit code. What the tests print goes where the command's own text goes. */
async function runTests(files: readonly string[], { out, err }: Pick<Output, 'out' | 'err'>): Promise<number> {
  const offer = join(import.meta.dirname, `offer${extname(import.meta.filename)}`)
  const args = [...process.execArgv, '--import', offer, '--test', ...files]
  // Else a test runner that was started by another one runs nothing.
  const { NODE_TEST_CONTEXT, ...env } = readEnvironment().variables ?? {}
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  child.stdout.setEncoding('utf8').on('data', out)
  child.stderr.setEncoding('utf8').on('data', err)
  const [code] = await once(child, 'close')
  return code ?? 1
}
