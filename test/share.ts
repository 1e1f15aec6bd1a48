// The suite in a few processes: to start one and load the service in it costs more than most files' own tests.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BUILT } from './assay.ts'

const SHARES = 3
const HERE = import.meta.dirname

/** Seconds that the long files take, roughly and in proportion; any other takes one. */
const SECONDS: Readonly<Record<string, number>> = {
  'api/retries.test.ts': 10,
  'bulk/remote.test.ts': 15,
  'cli/built.test.ts': 14,
  'cli/cgroup.test.ts': 12,
  'cli/check.test.ts': 6,
  'cli/check_many.test.ts': 20,
  'cli/drain.test.ts': 4,
  'cli/explain.test.ts': 4,
  'cli/isolated.test.ts': 30,
  'cli/isolated_commands.test.ts': 15,
  'cli/log.test.ts': 15,
  'cli/misdeeds.test.ts': 10,
  'cli/outage.test.ts': 8,
  'cli/serve.test.ts': 12,
  'evidence/document.test.ts': 11,
  'faults/faults.test.ts': 36,
  'fuzz/fuzz.test.ts': 12,
  'plugins/guide.test.ts': 12,
  'plugins/seo_health_hostile.test.ts': 14,
  'redis_garbage.test.ts': 14,
  'redis_instances.test.ts': 12,
  'redis_network.test.ts': 12,
  'redis_outage.test.ts': 10,
  'rolling_restart.test.ts': 26,
  'scoring/silent_sources.test.ts': 20,
  'store/full_disk.test.ts': 6,
  'store/processes.test.ts': 14,
  'store/redis_results.test.ts': 8,
  'store/result_cache.test.ts': 6,
  'web/browser.test.ts': 24,
}
const secondsOf = (file: string) => SECONDS[file] ?? 1

/** What the tests load between them, nearly all of it. */
const COMMON = ['../src/cli/program.ts', '../src/testing/index.ts', '../src/bulk/remote/work.ts', 'fast-check']

/** Every test file of the project, by path from here, in as many shares: the longest ones first, each goes to the share that has least to do. */
function deal(): readonly (readonly string[])[] {
  const files = readdirSync(HERE, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .sort((one, other) => secondsOf(other) - secondsOf(one) || (one < other ? -1 : 1))
  const shares = Array.from({ length: SHARES }, () => ({ seconds: 0, files: [] as string[] }))
  for (const file of files) {
    const least = shares.reduce((one, other) => (other.seconds < one.seconds ? other : one))
    least.seconds += secondsOf(file)
    least.files.push(file)
  }
  return shares.map(({ files }) => files.sort())
}

/** Runs the `number`th share of the files in this process, one file after the other. */
export async function runShare(number: 1 | 2 | 3): Promise<void> {
  process.env[BUILT] = 'yes'
  // Tests begin as soon as their file is read: what nearly all of them load comes first, so that none is held up by it.
  for (const common of COMMON) await import(common)
  for (const file of deal()[number - 1] ?? []) await import(join(HERE, file))
}
