// Every plugin with its signals and options as Markdown: docs/signals.md, and the same for an installation's own plugins.
import type { Analyzer, Plugin } from '../engine/plugin.ts'
import type { ReadyAnalyzer, Registry } from '../engine/registry.ts'

const HEAD = `# Plugins, signals, weights, groups and options

Made by \`npm run docs\` from the plugins themselves; \`assay plugins --markdown\` prints it for your configuration.

A signal costs its weight times its strength; a group never costs more than its ceiling; a floor is the least score that
a signal leaves. Ids are stable: other programs may rely on them.`

export function catalogue(registry: Registry): string {
  const analyzers = [...registry.analyzers, ...registry.offered]
  return [
    HEAD,
    '## Groups',
    table(
      ['group', 'ceiling'],
      Object.entries(registry.groups).map(([name, ceiling]) => [code(name), `${ceiling}`]),
    ),
    ...analyzers.map(analyzerText),
    ...registry.extensions.filter(({ options }) => options !== undefined).map(extensionText),
  ]
    .join('\n\n')
    .concat('\n')
}

function analyzerText(ready: ReadyAnalyzer): string {
  const { analyzer, signals, enabled } = ready
  const rows = Object.entries(signals).map(([id, { weight, group, floor, title }]) => {
    return [code(id), group, `${weight}`, floor === undefined ? '' : `${floor}`, title]
  })
  return [
    `## ${analyzer.name}`,
    [analyzer.description, ...state(analyzer, enabled)].join(' '),
    `Targets: ${analyzer.targets.join(', ')}. Reads: ${evidence(analyzer)}.`,
    rows.length > 0 ? table(['signal', 'group', 'weight', 'floor', 'meaning'], rows) : 'It has no signals.',
    ...optionTable(analyzer),
  ].join('\n\n')
}

const extensionText = (extension: Plugin): string =>
  [`## ${extension.name}`, extension.description, ...optionTable(extension)].join('\n\n')

const state = ({ optional }: Analyzer, enabled: boolean): string[] =>
  enabled ? [] : [optional ? 'Off until the configuration names it.' : 'Switched off.']

const evidence = ({ needs, wants = [] }: Analyzer): string =>
  [...needs.map(code), ...wants.map(name => `${code(name)} if there is any`)].join(', ') || 'nothing'

interface Property {
  readonly default?: unknown
  readonly description?: string
  readonly writeOnly?: boolean
}

function optionTable({ options }: Plugin): string[] {
  const { properties = {} } = (options ?? {}) as { properties?: Readonly<Record<string, Property>> }
  const rows = Object.entries(properties).map(([name, { default: value, description = '', writeOnly }]) => {
    return [code(name), writeOnly ? 'a secret' : code(JSON.stringify(value)), description]
  })
  return rows.length > 0 ? [table(['option', 'default', 'meaning'], rows)] : []
}

const code = (text: string): string => `\`${text}\``

/** Cells are one line each; a bar would end one. */
const cell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.map(cell).join(' | ')} |`).join('\n')
