// Jobs, their targets and their records.
import { randomBytes } from 'node:crypto'
import { storedObject } from './stored_object.ts'

/** What its owner asked for. */
export interface JobTerms {
  readonly id: string
  readonly account: string
  /** The key that created it. */
  readonly key: string
  /** Milliseconds since the Unix epoch, as all times here. */
  readonly created: number
  /** False when no site must be contacted. */
  readonly visit: boolean
  /** True when a browser must open every page; jobs of earlier versions do not say. */
  readonly render?: boolean
  /** Targets without duplicates. */
  readonly total: number
  /** Targets that were left out because an earlier one is the same. */
  readonly duplicates: number
}

export type JobStatus = 'queued' | 'running' | 'paused' | 'completed' | 'failed'

export interface JobStanding {
  readonly status: JobStatus
  /** A slug for why it is paused or failed. */
  readonly reason: string | null
  /** When it goes on; in the past while it runs, so that another process takes it over when this one dies; null at the end. */
  readonly next_at: number | null
  readonly ended: number | null
  /** Runs in a row that got no result, because nothing could be looked up. */
  readonly stalls: number
}

/** What a record is counted as: the verdict of a result, or an error. */
export const RECORD_KINDS = ['safe', 'suspicious', 'malicious', 'error'] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

export interface Job extends JobTerms, JobStanding {
  /** Shown records by kind. */
  readonly counts: Readonly<Record<RecordKind, number>>
}

/** The record of one target. */
export interface JobRecord {
  /** The place of the target in the request, from 1. */
  readonly line: number
  readonly kind: RecordKind
  /** One line of the results, compressed. */
  readonly body: Uint8Array
}

const TEXTS = ['id', 'account', 'key'] as const
const NUMBERS = ['created', 'total', 'duplicates'] as const

/** A stored job. Null when its terms are damaged: one such job must not stop the others. */
export function readJob(terms: string, progress: Omit<Job, keyof JobTerms>): Job | null {
  const storedTerms = storedObject(terms)
  if (storedTerms === null || typeof storedTerms['visit'] !== 'boolean') return null
  if (
    TEXTS.some(name => typeof storedTerms[name] !== 'string') ||
    NUMBERS.some(name => !Number.isFinite(storedTerms[name]))
  )
    return null
  return { ...(storedTerms as unknown as JobTerms), ...progress }
}

/** The standing of a job that cannot be read: it does not run, and is removed like others that have ended. */
export const unreadable = (now: number): JobStanding => ({
  status: 'failed',
  reason: 'unreadable',
  next_at: null,
  ended: now,
  stalls: 0,
})

/** `many`: the account has as many unfinished jobs as it may have. `full`: there is no room for the targets. */
export type JobAdded = 'added' | 'many' | 'full'

export interface JobLimits {
  /** How long a job is kept after its end. */
  readonly life_ms: number
  /** Most bytes of targets and records, compressed. */
  readonly octets: number
}

/** Ended jobs of one account that are kept. Beyond that the first to end are removed. */
export const KEPT_JOBS = 100

export const doneOf = ({ counts }: Pick<Job, 'counts'>): number =>
  RECORD_KINDS.reduce((sum, kind) => sum + counts[kind], 0)

export const isEnded = ({ ended }: Pick<Job, 'ended'>): boolean => ended !== null

export const nothingDone: Job['counts'] = { safe: 0, suspicious: 0, malicious: 0, error: 0 }

/** 128 random bits. */
const ID_OCTETS = 16
export const newJobId = (): string => `job_${randomBytes(ID_OCTETS).toString('base64url')}`
export const isJobId = (text: string): boolean => /^job_[A-Za-z0-9_-]{22}$/.test(text)
