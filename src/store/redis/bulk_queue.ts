// The queue between submitters and workers of bulk runs. Each side exchanges everything it has in one script; a script that is
// repeated because its reply was lost changes nothing more. Both sides find their way back from a Redis that lost everything:
// a submitter hands in again what is unknown, and a worker goes on with what it has begun.
import { RESP_TYPES } from '@redis/client'
import { PARTS, submitScript, workScript } from './bulk_scripts.ts'
import type { RunCommand } from './link.ts'
import { isWhole, type KeyOf, Misread } from './protocol.ts'

export interface BulkAsk {
  readonly id: string
  readonly target: string
  /** Milliseconds that the answer of another run may be old. */
  readonly age_ms: number
  /** Whether others may have the answer when every submitter has received it. */
  readonly is_shared: boolean
}

export interface BulkSubmission {
  readonly asks: readonly BulkAsk[]
  /** IDs that were asked for before. */
  readonly waits: readonly string[]
  /** IDs of the answers that were received. */
  readonly done: readonly string[]
}

export interface BulkReceipt {
  /** Workers that live. */
  readonly workers: number
  /** IDs that the queue does not know: Redis has lost them, or their answer was too old. */
  readonly unknown: readonly string[]
  readonly answers: readonly (readonly [id: string, body: Buffer])[]
}

export interface BulkWork {
  /** Milliseconds without a sign of life after which others take over the running jobs. */
  readonly lease_ms: number
  /** Jobs to take. */
  readonly free: number
  readonly running: readonly string[]
  readonly answered: readonly { readonly id: string; readonly body: Buffer; readonly is_reusable: boolean }[]
  /** `tries` as when the job was taken. */
  readonly retried: readonly { readonly id: string; readonly tries: number; readonly wait_ms: number }[]
  /** The answer for jobs that no worker completed. */
  readonly lost: Buffer
}

export interface TakenJob {
  readonly id: string
  readonly target: string
  /** Tries that failed. */
  readonly tries: number
}

/** All methods reject like the link. */
export interface BulkQueue {
  submit(submitter: string, submission: BulkSubmission): Promise<BulkReceipt>
  work(worker: string, work: BulkWork): Promise<readonly TakenJob[]>
}

export function createBulkQueue(run: RunCommand & { readonly key: KeyOf }, name: string): BulkQueue {
  const keys = PARTS.map(part => run.key(`bulk-${part}`, name))
  const jobs = run.key('bulk-job', name)
  const asBuffers: RunCommand = command =>
    run(client => command(client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }) as unknown as typeof client))
  return {
    async submit(submitter, { asks, waits, done }) {
      const sent = {
        asks: asks.map(({ id, target, age_ms, is_shared }) => [id, target, age_ms, is_shared ? 1 : 0]),
        waits,
        done,
      }
      const [workers, unknown, answers] = await submitScript(asBuffers, keys, [jobs, submitter, JSON.stringify(sent)])
      return {
        workers,
        unknown: unknown.map(String),
        answers: groups(answers, 2).map(([id, body]) => [String(id), body as Buffer]),
      }
    },
    async work(worker, { lease_ms, free, running, answered, retried, lost }) {
      const sent = {
        ...{ lease: lease_ms, free, running },
        answered: answered.map(({ id, is_reusable }) => [id, is_reusable ? 1 : 0]),
        retried: retried.map(({ id, tries, wait_ms }) => [id, tries, wait_ms]),
      }
      const bodies = [lost, ...answered.map(({ body }) => body)]
      const taken = await workScript(asBuffers, keys, [jobs, worker, JSON.stringify(sent), ...bodies])
      return groups(taken, 3).map(([id, target, tries]) => {
        const failed = Number(tries)
        if (!isWhole(failed)) throw new Misread('expected a number')
        return { id: String(id), target: String(target), tries: failed }
      })
    },
  }
}

/** The list in groups of `size`, of which its length is a multiple. */
const groups = (list: readonly Buffer[], size: number) =>
  Array.from({ length: list.length / size }, (_, n) => list.slice(n * size, (n + 1) * size))
