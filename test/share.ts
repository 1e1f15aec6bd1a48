// The suite in a few processes: to start one and load the service in it costs more than most files' own tests.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'node:test'
import { BUILT } from './assay.ts'

const SHARES = 4
const HERE = import.meta.dirname

/** Seconds that the long files take, roughly and in proportion; any other takes one. */
const SECONDS: Readonly<Record<string, number>> = {
  'api/check.test.ts': 8,
  'api/connections.test.ts': 8,
  'api/kept.test.ts': 10,
  'api/retries.test.ts': 12,
  'bulk/remote.test.ts': 10,
  'cli/built.test.ts': 6,
  'cli/cgroup.test.ts': 10,
  'cli/check_many.test.ts': 16,
  'cli/descriptors.test.ts': 6,
  'cli/drain.test.ts': 4,
  'cli/isolated.test.ts': 34,
  'cli/isolated_commands.test.ts': 19,
  'cli/log.test.ts': 13,
  'cli/misdeeds.test.ts': 7,
  'cli/outage.test.ts': 5,
  'cli/output.test.ts': 7,
  'cli/serve.test.ts': 11,
  'cli/tools.test.ts': 4,
  'datasets/refresh.test.ts': 4,
  'evidence/document.test.ts': 6,
  'evidence/page.test.ts': 3,
  'faults/faults.test.ts': 26,
  'fuzz/fuzz.test.ts': 8,
  'network/http.test.ts': 4,
  'network/tls.test.ts': 3,
  'plugins/guide.test.ts': 5,
  'plugins/seo_health_hostile.test.ts': 3,
  'redis_garbage.test.ts': 16,
  'redis_instances.test.ts': 13,
  'redis_network.test.ts': 19,
  'redis_outage.test.ts': 14,
  'rolling_restart.test.ts': 16,
  'scoring/silent_sources.test.ts': 20,
  'service/ending.test.ts': 4,
  'store/processes.test.ts': 5,
  'store/redis_results.test.ts': 5,
  'store/result_cache.test.ts': 3,
  'store/write_ahead_log.test.ts': 4,
  'web/browser.test.ts': 13,
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

/**
 * For an `assert.ok` without a message, Node looks for the words of its condition in the source; in a file that tsx made
 * one line of it looks for minutes, and a failed test would be one that hangs.
 */
function sayNoWordsOfSource(): void {
  const { ok } = assert
  Object.assign(assert, { ok: (value: unknown, message: string | Error = 'is not so') => ok(value, message) })
}

/** A file's own suite: hooks outside of any other are run for it alone, and one that fails takes no other file with it. */
const load = (file: string) =>
  new Promise((resolve, reject) => {
    describe(file, () => {
      const loaded = import(join(HERE, file))
      loaded.then(resolve, reject)
      return loaded
    })
  })

/** Runs the `number`th share of the files in this process, one file after the other. */
export async function runShare(number: 1 | 2 | 3 | 4): Promise<void> {
  process.env[BUILT] = 'yes'
  sayNoWordsOfSource()
  // Tests begin as soon as their file is read: what nearly all of them load comes first, so that none is held up by it.
  for (const common of COMMON) await import(common)
  for (const file of deal()[number - 1] ?? []) await load(file)
}
