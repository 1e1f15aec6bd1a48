// The suite in a few processes: starting one and loading the service in it costs more than most files' own tests.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { loadTests } from './assay.ts'
import { filesOf, tier } from './tiers.ts'

const SHARES = 4
const HERE = import.meta.dirname

/** Seconds that the long files take, roughly and in proportion, waiting included; any other takes one. */
const SECONDS: Readonly<Record<string, number>> = {
  'service/api/batch.test.ts': 10,
  'service/api/connections.test.ts': 11,
  'service/api/cors.test.ts': 5,
  'service/api/exchange.test.ts': 8,
  'service/api/fairness.test.ts': 10,
  'service/api/history.test.ts': 16,
  'service/api/jobs.test.ts': 28,
  'service/api/kept.test.ts': 4,
  'service/api/log.test.ts': 9,
  'service/api/retries.test.ts': 8,
  'service/api/turns.test.ts': 10,
  'service/api/watches.test.ts': 7,
  'bulk/distributed.large.test.ts': 20,
  'cli/built.large.test.ts': 27,
  'cli/cgroup.test.ts': 8,
  'cli/check.test.ts': 9,
  'cli/check_many.test.ts': 15,
  'cli/descriptors.test.ts': 5,
  'cli/drain.test.ts': 4,
  'cli/formats.test.ts': 4,
  'cli/history.test.ts': 8,
  'cli/isolated.large.test.ts': 42,
  'cli/isolated_commands.large.test.ts': 13,
  'cli/listening.test.ts': 21,
  'cli/loading.test.ts': 45,
  'cli/log.test.ts': 12,
  'cli/misdeeds.test.ts': 7,
  'cli/npm.large.test.ts': 35,
  'cli/outage.test.ts': 6,
  'cli/output.test.ts': 8,
  'cli/readiness.test.ts': 20,
  'cli/reload.test.ts': 5,
  'cli/serve.test.ts': 19,
  'cli/tools.test.ts': 3,
  'cli/watch.test.ts': 10,
  'knowledge/datasets/feed_index.test.ts': 4,
  'knowledge/datasets/read_list.test.ts': 14,
  'knowledge/datasets/refresh.test.ts': 6,
  'deploy/action.test.ts': 10,
  'deploy/mail.test.ts': 3,
  'docs/commands.large.test.ts': 32,
  'cli/doctor/doctor.test.ts': 10,
  'engine/engine.test.ts': 3,
  'evidence/addresses.test.ts': 4,
  'evidence/certificate_path.test.ts': 16,
  'evidence/crawl_files.test.ts': 11,
  'evidence/document.test.ts': 4,
  'evidence/limits.test.ts': 3,
  'evidence/listings_health.test.ts': 3,
  'evidence/mail_servers.test.ts': 4,
  'evidence/name_model.test.ts': 3,
  'evidence/page.test.ts': 5,
  'evidence/round_trips.test.ts': 5,
  'evidence/staple.test.ts': 14,
  'evidence/tls_offer.test.ts': 12,
  'faults/faults.test.ts': 72,
  'fuzz/fuzz.test.ts': 8,
  'isolation/gatherers.large.test.ts': 21,
  'isolation/reach.large.test.ts': 6,
  'engine/isolation/relay.test.ts': 6,
  'service/jobs/work.test.ts': 15,
  'service/mcp/mcp.test.ts': 14,
  'network/content_coding.test.ts': 4,
  'network/fetch.test.ts': 5,
  'network/flow.test.ts': 5,
  'network/guard.test.ts': 4,
  'network/http.test.ts': 8,
  'network/http2.test.ts': 22,
  'network/resolver.test.ts': 3,
  'network/resolver_health.test.ts': 4,
  'network/tls.test.ts': 5,
  'plugins/content_analysis_hostile.test.ts': 5,
  'plugins/guide.large.test.ts': 17,
  'plugins/link.test.ts': 3,
  'plugins/mail_servers.test.ts': 4,
  'plugins/operator_lists.test.ts': 4,
  'plugins/security_headers_hostile.test.ts': 4,
  'plugins/seo_health_hostile.test.ts': 4,
  'plugins/ssl_info_handshake.test.ts': 3,
  'plugins/unseen.test.ts': 9,
  'rolling_restart.large.test.ts': 29,
  'engine/scoring/properties.test.ts': 5,
  'engine/scoring/scenarios.test.ts': 9,
  'engine/scoring/silence.test.ts': 4,
  'scoring/silent_sources.large.test.ts': 34,
  'service/blame.test.ts': 30,
  'service/blame_property.test.ts': 11,
  'service/ending.test.ts': 6,
  'service/feeds.test.ts': 6,
  'service/first_seen.test.ts': 4,
  'service/replay.test.ts': 19,
  'service/resolvers.test.ts': 14,
  'service/targets.test.ts': 9,
  'service/unbound.test.ts': 10,
  'store/backup.test.ts': 8,
  'store/full_disk.test.ts': 4,
  'store/lost_log.test.ts': 6,
  'store/queues.test.ts': 15,
  'store/result_cache.test.ts': 11,
  'store/sql_allowances.test.ts': 6,
  'store/sql_claims.test.ts': 15,
  'store/sql_jobs.test.ts': 5,
  'store/sql_keys.test.ts': 8,
  'store/sql_quota.test.ts': 25,
  'store/sql_results.test.ts': 20,
  'store/sql_watches.test.ts': 5,
  'store/write_ahead_log.test.ts': 6,
  'store_outage.large.test.ts': 70,
  'service/telemetry/traces.test.ts': 21,
  'testing/demo.test.ts': 16,
  'service/watch/work.test.ts': 15,
  'web/answers.test.ts': 20,
  'web/browser.large.test.ts': 73,
  'web/pages.test.ts': 4,
  'web/watches.large.test.ts': 9,
  'workers/workers.large.test.ts': 22,
}
const secondsOf = (file: string) => SECONDS[file] ?? 1

/** The test files of the tier in as many shares: the longest ones first, each goes to the share that has least to do. */
function deal(): readonly (readonly string[])[] {
  const files = filesOf(tier).toSorted((one, other) => secondsOf(other) - secondsOf(one) || (one < other ? -1 : 1))
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

/** A file's own suite, by whose name `gate.ts` knows it: hooks outside of any other are run for it alone, and one that fails takes no other file with it. */
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
