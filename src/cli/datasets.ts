// `assay datasets`: lists the datasets with their age and terms, or fetches them now.

import type { Command } from 'commander'
import { didYouMean } from '../base/fault.ts'
import type { Datasets } from '../knowledge/datasets/datasets.ts'
import type { DroppedCounts, DropReason } from '../knowledge/datasets/list_format.ts'
import type { DatasetStatus } from '../knowledge/datasets/status.ts'
import { createService } from '../service/service.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { configOption, dataOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'

export function defineDatasets(command: Command, output: Output): void {
  dataOption(configOption(command))
    .option('-j, --json', 'print JSON')
    .action((options: SharedOptions & { json?: boolean }) =>
      using(options, async datasets => {
        await datasets.load()
        const all = datasets.status()
        output.out(options.json ? `${JSON.stringify(all)}\n` : listing(all))
      }),
    )
  dataOption(configOption(command.command('refresh').description('fetch datasets now (default: all that are on)')))
    .argument('[ids...]', 'IDs of the datasets')
    .option('--force', 'fetch even when nothing is new, and accept datasets that have shrunk')
    .action((ids: readonly string[], _options, self: Command) =>
      refresh(ids, self.optsWithGlobals<Refreshing>(), output),
    )
}

type Refreshing = SharedOptions & { readonly force?: boolean }

function unknownDataset(strange: readonly string[], ids: readonly string[]): CliError {
  const hint = strange.length === 1 ? didYouMean(strange[0] ?? '', ids) : ''
  return new CliError(EXIT.usage, `unknown or disabled dataset: ${strange.join(', ')}${hint}`)
}

async function refresh(ids: readonly string[], options: Refreshing, { out }: Output): Promise<void> {
  await using(options, async datasets => {
    await datasets.load()
    const on = datasets.status().filter(({ state }) => state !== 'off')
    const strange = ids.filter(id => !on.some(one => one.id === id))
    if (strange.length > 0)
      throw unknownDataset(
        strange,
        on.map(({ id }) => id),
      )
    const outcomes = []
    for (const { id } of on.filter(one => ids.length === 0 || ids.includes(one.id))) {
      const { signal } = new AbortController()
      const outcome = await datasets.refresh(id, { signal, force: options.force === true })
      const entries = datasets.status().find(one => one.id === id)?.entries ?? 0
      out(
        `${id}: ${outcome?.status === 'failed' ? `failed: ${outcome.reason}` : `${outcome?.status}, ${entries} entries`}\n`,
      )
      outcomes.push(outcome)
    }
    const failures = outcomes.filter(outcome => outcome?.status === 'failed').length
    if (failures > 0)
      throw new CliError(
        EXIT.temporary,
        `${failures} of ${outcomes.length} could not be refreshed; the previous copies stay in use`,
      )
  })
}

/** Downloads are enabled for these commands, whatever the configuration says about the service. */
async function using(options: SharedOptions, work: (datasets: Datasets) => Promise<void>): Promise<void> {
  const { config, registry, environment } = await settle(options)
  const { extra_roots } = environment
  const service = await createService({
    config: { ...config, downloads: { ...config.downloads, enabled: true } },
    registry,
    extra_roots,
  })
  await work(service.datasets).finally(() => service.close())
}

function listing(all: readonly DatasetStatus[]): string {
  const on = all.filter(({ state }) => state !== 'off')
  const off = all.filter(({ state }) => state === 'off')
  const keys = off.filter(({ with_key }) => with_key !== null).map(({ id }) => id)
  const summary = keys.length === 0 ? [] : [`A free key would turn on: ${keys.join(', ')}. See docs/datasets.md.`]
  return `${[...[...on, ...off].map(datasetText), ...summary].join('\n\n')}\n`
}

function datasetText({
  id,
  name,
  use,
  state,
  reason,
  entries,
  dropped,
  age_seconds,
  terms,
  with_key,
  origin,
}: DatasetStatus): string {
  const facts = [
    use.replace('_', ' '),
    ...(entries === null ? [] : [`${entries} entries`]),
    ...(age_seconds === null ? [] : [`confirmed ${age(age_seconds)} ago`]),
    ...(origin === null ? [] : [`from ${origin}`]),
  ]
  const why = reason === null ? '' : state === 'off' ? `: ${reason}` : `, last refresh failed: ${reason}`
  return [
    `${id} (${state}${why})`,
    `  ${name}: ${facts.join(', ')}`,
    ...droppedLine(dropped ?? {}),
    `  terms: ${terms}`,
    ...(with_key === null ? [] : [`  with a free key ${with_key}`]),
  ].join('\n')
}

/** What each reason means, after a number. */
const DROP_REASONS: Readonly<Record<DropReason, string>> = {
  other_rule: 'rules about paths and elements',
  limited_rule: 'rules that hold only on some sites or for some requests',
  wildcard: 'wildcards within names',
  unreadable: 'lines in another format',
  no_host: 'values that are no host',
  other_kind: 'values of another kind',
}

function droppedLine(counts: DroppedCounts): string[] {
  const parts = Object.entries(DROP_REASONS).flatMap(([reason, what]) => {
    const count = counts[reason as DropReason] ?? 0
    return count === 0 ? [] : [`${count} ${what}`]
  })
  return parts.length === 0 ? [] : [`  left out: ${parts.join(', ')}`]
}

const HOUR = 3_600

function age(seconds: number): string {
  if (seconds < HOUR) return `${Math.floor(seconds / 60)} min`
  return seconds < 48 * HOUR ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / (24 * HOUR))} days`
}
