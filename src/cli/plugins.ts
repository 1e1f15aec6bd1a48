// `assay plugins`: what is installed, what each plugin reads and what its signals cost under this configuration.
import type { Command } from 'commander'
import { secretsOf } from '../config/exposed.ts'
import type { Analyzer } from '../engine/plugin.ts'
import type { ReadyAnalyzer, Registry } from '../engine/registry.ts'
import { catalogue } from './catalogue.ts'
import { configOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'

export function definePlugins(command: Command, { out }: Output): void {
  configOption(command)
    .option('--json', 'print JSON')
    .option('--markdown', 'print a catalogue of plugins, signals and options')
    .action(async (options: SharedOptions & { json?: boolean; markdown?: boolean }) => {
      const { registry } = await settle(options)
      if (options.markdown) out(catalogue(registry))
      else out(options.json ? `${JSON.stringify(described(registry))}\n` : listing(registry))
    })
}

function described(registry: Registry) {
  return {
    analyzers: [...registry.analyzers, ...registry.offered].map(({ analyzer, origin, enabled, options, ...ready }) => ({
      name: analyzer.name,
      description: analyzer.description,
      origin,
      enabled,
      isolated: ready.elsewhere !== undefined,
      targets: analyzer.targets,
      needs: analyzer.needs,
      wants: analyzer.wants ?? [],
      options: withoutSecrets(analyzer, options),
      signals: ready.signals,
    })),
    extensions: registry.extensions.map(({ name, description, origin }) => ({ name, description, origin })),
    groups: registry.groups,
  }
}

/** As the contract promises: what is `writeOnly` is never shown. */
function withoutSecrets({ options: schema }: Analyzer, options: unknown): Readonly<Record<string, unknown>> {
  const secrets = secretsOf(schema)
  return Object.fromEntries(
    Object.entries(options as object).map(([name, value]) => [name, secrets.includes(name) ? '(secret)' : value]),
  )
}

function listing(registry: Registry): string {
  const analyzers = [...registry.analyzers, ...registry.offered].map(analyzerText)
  const extensions = registry.extensions.map(({ name, origin, description }) => `${name} (${origin})\n  ${description}`)
  const groups = Object.entries(registry.groups).map(([name, ceiling]) => `${name} ${ceiling}`)
  return `${[...analyzers, ...extensions, `Ceilings: ${groups.join(', ')}`].join('\n\n')}\n`
}

function analyzerText({ analyzer, origin, enabled, options, signals, elsewhere }: ReadyAnalyzer): string {
  const reads = [...analyzer.needs, ...(analyzer.wants ?? []).map(name => `${name} if there is any`)]
  const width = Math.max(0, ...Object.keys(signals).map(id => id.length))
  return [
    `${analyzer.name} (${origin}, ${enabled ? 'enabled' : analyzer.optional ? 'optional' : 'disabled'}${elsewhere ? ', isolated' : ''})`,
    `  ${analyzer.description}`,
    `  targets: ${analyzer.targets.join(', ')}`,
    `  evidence: ${reads.join(', ') || 'none'}`,
    ...(Object.keys(options as object).length > 0
      ? [`  options: ${JSON.stringify(withoutSecrets(analyzer, options))}`]
      : []),
    ...Object.entries(signals).map(([id, { weight, group, floor, title }]) => {
      const least = floor === undefined ? '' : `, at least ${floor}`
      return `  ${String(weight).padStart(4)}  ${id.padEnd(width)}  ${title} [${group}${least}]`
    }),
  ].join('\n')
}
