// The queue between submitters and workers of bulk runs. Each side exchanges everything it has in one script; a script that is
// repeated because its reply was lost changes nothing more. Both sides find their way back from a Redis that lost everything:
// a submitter hands in again what is unknown, and a worker goes on with what it has begun.
import { PARTS, submitScript, workScript } from './bulk_scripts.ts'
import { type RunCommand, withBuffers } from './link.ts'
import { isWhole, type KeyOf, Misread, tagged, untagged } from './protocol.ts'

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
  /** The answers that were received. Nobody else gets one that is damaged. */
  readonly done: readonly { readonly id: string; readonly is_damaged: boolean }[]
}

/** The answer that a worker gave; otherwise that no worker completed the job, or that the answer is not as it was given. */
export type BulkBody = Buffer | 'not_completed' | 'damaged'

export interface BulkReceipt {
  /** Workers that live. */
  readonly workers: number
  /** IDs that the queue does not know: Redis has lost them, or their answer was too old. */
  readonly unknown: readonly string[]
  readonly answers: readonly (readonly [id: string, body: BulkBody])[]
}

export interface BulkWork {
  /** Milliseconds without a sign of life after which others take over the running jobs. */
  readonly lease_ms: number
  /** Scoring policy. Others use no earlier answer unless the worker that called last has the policy by which it was made. */
  readonly policy: string
  /** Jobs to take. */
  readonly free: number
  readonly running: readonly string[]
  /** `life_ms` is how long others may use the answer, unless they accept only a younger one. */
  readonly answered: readonly { readonly id: string; readonly body: Buffer; readonly life_ms: number }[]
  /** `tries` as when the job was taken. */
  readonly retried: readonly { readonly id: string; readonly tries: number; readonly wait_ms: number }[]
}

export interface TakenJob {
  readonly id: string
  /** Null when it is not as it was asked for. */
  readonly target: string | null
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
  const asBuffers = withBuffers(run)
  return {
    async submit(submitter, { asks, waits, done }) {
      const sent = {
        asks: asks.map(({ id, target, age_ms, is_shared }) => [
          id,
          tagged([id, 'target'], Buffer.from(target)).toString(),
          age_ms,
          is_shared ? 1 : 0,
        ]),
        waits,
        done: done.map(({ id, is_damaged }) => [id, is_damaged ? 1 : 0]),
      }
      const [workers, unknown, answers] = await submitScript(asBuffers, keys, [jobs, submitter, JSON.stringify(sent)])
      return {
        workers,
        unknown: unknown.map(String),
        answers: groups(answers, 2).map(([id, body]) => [String(id), bodyOf(String(id), body as Buffer)]),
      }
    },
    async work(worker, { lease_ms, policy, free, running, answered, retried }) {
      const sent = {
        ...{ lease: lease_ms, policy, free, running },
        answered: answered.map(({ id, life_ms }) => [id, life_ms]),
        retried: retried.map(({ id, tries, wait_ms }) => [id, tries, wait_ms]),
      }
      const bodies = answered.map(({ id, body }) => tagged([id, 'answer'], body))
      const taken = await workScript(asBuffers, keys, [jobs, worker, JSON.stringify(sent), ...bodies])
      return groups(taken, 3).map(([id, target, tries]) => {
        const failed = Number(tries)
        if (!isWhole(failed)) throw new Misread('expected a number')
        return {
          id: String(id),
          target: untagged([String(id), 'target'], target as Buffer)?.toString() ?? null,
          tries: failed,
        }
      })
    },
  }
}

const bodyOf = (id: string, stored: Buffer): BulkBody =>
  stored.length === 0 ? 'not_completed' : (untagged([id, 'answer'], stored) ?? 'damaged')

/** The list in groups of `size`, of which its length is a multiple. */
const groups = (list: readonly Buffer[], size: number) =>
  Array.from({ length: list.length / size }, (_, n) => list.slice(n * size, (n + 1) * size))
