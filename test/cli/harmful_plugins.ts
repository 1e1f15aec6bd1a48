// Configurations that load harmful plugins, for the tests of the small and the large tier.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { builtInPlugins } from '../../plugins/index.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures/plugins')

export const fixture = (file: string): string => join(FIXTURES, file)

export const directory = temporaryDirectory()
/** No built-in plugin, hence no network. */
const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))

/** The path of a configuration that loads these modules. */
export function configFor(name: string, load: readonly string[]): string {
  const file = join(directory, `${name}.json`)
  const server = { port: 0, drain_delay_ms: 0 }
  const rest = { downloads: { enabled: false }, network: { resolvers: ['127.0.0.1:9'] } }
  writeFileSync(file, JSON.stringify({ server, data: `${name}-data`, plugins: off, load, ...rest }))
  return file
}
