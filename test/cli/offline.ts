// Configurations whose checks need no network: every built-in plugin is off, a fixture is on.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { builtInPlugins } from '../../plugins/index.ts'

const FIXTURES = resolve(import.meta.dirname, '../fixtures/plugins')

/** Writes one that loads the fixture, and gives its path. */
export function offline(directory: string, fixture: string, settings: object = {}): string {
  const file = join(directory, `${fixture}-${Object.keys(settings).length}.json`)
  const off = Object.fromEntries(builtInPlugins.map(({ plugin }) => [plugin.name, false]))
  // A port that refuses at once: the machine's own resolvers may leave questions unanswered.
  const network = { resolvers: ['127.0.0.1:9'] }
  const config = { load: [join(FIXTURES, `${fixture}.js`)], plugins: { ...off, ...settings }, network }
  writeFileSync(file, JSON.stringify(config))
  return file
}
