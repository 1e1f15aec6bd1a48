// The suite in a few processes: starting one and loading the service in it costs more than most files' own tests.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { loadTests } from './assay.ts'

const SHARES = 4
const HERE = import.meta.dirname

/** Seconds that the long files take, roughly and in proportion, waiting included; any other takes one. */
const SECONDS: Readonly<Record<string, number>> = {
  'api/check.test.ts': 6,
  'api/connections.test.ts': 8,
  'api/fairness.test.ts': 5,
  'api/kept.test.ts': 6,
  'api/retries.test.ts': 8,
  'bulk/remote.test.ts': 12,
  'cache/heap.test.ts': 9,
  'cli/backup.test.ts': 3,
  'cli/built.test.ts': 25,
  'cli/cgroup.test.ts': 10,
  'cli/check_many.test.ts': 14,
  'cli/descriptors.test.ts': 5,
  'cli/drain.test.ts': 6,
  'cli/history.test.ts': 20,
  'cli/isolated.test.ts': 22,
  'cli/isolated_commands.test.ts': 14,
  'cli/listening.test.ts': 15,
  'cli/log.test.ts': 12,
  'cli/misdeeds.test.ts': 10,
  'cli/npm.test.ts': 12,
  'cli/outage.test.ts': 5,
  'cli/output.test.ts': 8,
  'cli/reload.test.ts': 4,
  'cli/resolvers.test.ts': 4,
  'cli/serve.test.ts': 14,
  'datasets/refresh.test.ts': 4,
  'deploy/action.test.ts': 3,
  'deploy/mail.test.ts': 3,
  'docs/commands.test.ts': 30,
  'docs/snippets.test.ts': 3,
  'evidence/document.test.ts': 4,
  'evidence/page.test.ts': 4,
  'evidence/real_servers.test.ts': 5,
  'faults/faults.test.ts': 110,
  'fuzz/fuzz.test.ts': 8,
  'isolation/gatherers.test.ts': 12,
  'network/http.test.ts': 4,
  'network/tls.test.ts': 3,
  'plugins/guide.test.ts': 6,
  'plugins/seo_health_hostile.test.ts': 3,
  'redis_garbage.test.ts': 14,
  'redis_instances.test.ts': 12,
  'redis_network.test.ts': 28,
  'redis_outage.test.ts': 22,
  'redis_places.test.ts': 10,
  'rolling_restart.test.ts': 18,
  'scoring/silent_sources.test.ts': 12,
  'service/blame.test.ts': 10,
  'service/blame_property.test.ts': 8,
  'service/ending.test.ts': 5,
  'service/unbound.test.ts': 6,
  'store/full_disk.test.ts': 8,
  'store/processes.test.ts': 5,
  'store/redis_results.test.ts': 9,
  'store/result_cache.test.ts': 5,
  'store/target_share.test.ts': 16,
  'store/write_ahead_log.test.ts': 4,
  'telemetry/traces.test.ts': 8,
  'testing/demo.test.ts': 5,
  'workers/workers.test.ts': 26,
  'web/answers.test.ts': 14,
  'jobs/crash.test.ts': 45,
  'cli/formats.test.ts': 20,
  'api/history.test.ts': 6,
  'api/cors.test.ts': 5,
  'api/jobs.test.ts': 8,
  'service/first_seen.test.ts': 5,
  'evidence/staple.test.ts': 5,
  'evidence/certificate_path.test.ts': 4,
  'service/resolvers.test.ts': 6,
  'plugins/content_analysis_hostile.test.ts': 4,
  'store/quota_script.test.ts': 5,
  'watch/crash.test.ts': 10,
  'watch/runner.test.ts': 3,
  'web/browser.test.ts': 50,
  'web/watches.test.ts': 6,
}
const secondsOf = (file: string) => SECONDS[file] ?? 1

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
 * For an `assert.ok` without a message, Node looks for the words of its condition in the source. In a file of many megabytes
 * it looks for minutes, and a failed test would be one that hangs.
 */
function sayNoWordsOfSource(): void {
  const { ok } = assert
  Object.assign(assert, { ok: (value: unknown, message: string | Error = 'is not so') => ok(value, message) })
}

/** Milliseconds after the last test in which what it opened may close. */
const CLOSING_MS = 5_000

/** A test that fails may leave a service running, which would keep this process waiting for good. */
function endWithTheTests(): void {
  after(() => {
    const end = () => {
      console.error('Something that a test opened was never closed.')
      process.exit(process.exitCode || 1)
    }
    setTimeout(end, CLOSING_MS).unref()
  })
}

/** A file's own suite: hooks outside of any other are run for it alone, and one that fails takes no other file with it. */
const load = (file: string) =>
  new Promise((resolve, reject) => {
    describe(file, () => {
      const loaded = loadTests(join(HERE, file))
      loaded.then(resolve, reject)
      return loaded
    })
  })

/** Runs the `number`th share of the files in this process, one file after the other. */
export async function runShare(number: 1 | 2 | 3 | 4): Promise<void> {
  endWithTheTests()
  sayNoWordsOfSource()
  for (const file of deal()[number - 1] ?? []) await load(file)
}
