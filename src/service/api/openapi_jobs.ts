// Operations about jobs in the OpenAPI document, those of jobs.ts, and the schemas of their answers.
import { Type } from 'typebox'
import { nullable } from '../../base/nullable.ts'
import { closed, inPath, inQuery, LINES, type Operations, time } from './openapi_operation.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

const job = {
  id: Type.String({ pattern: '^job_[A-Za-z0-9_-]{22}$' }),
  status: Type.Enum(['queued', 'running', 'paused', 'completed', 'failed', 'cancelled'], {
    description:
      '`queued` waits for other jobs, `paused` goes on by itself at `resumes_at`; `cancelled` only in the answer to its removal.',
  }),
  reason: nullable(Type.String(), {
    description:
      'Why it is paused (`quota-exceeded`, `analysis-unavailable`, `store-unavailable`, `datasets-loading`) or failed (`key-revoked`, `no-valid-key`, `expired`).',
  }),
  created_at: time('When it was created.'),
  total: count('Targets, each once.'),
  duplicates: count('Targets of the request that were left out because an earlier one is the same.'),
  done: count('Targets that have a record: a result or an error.'),
  verdicts: Type.Object(
    { safe: count('Results.'), suspicious: count('Results.'), malicious: count('Results.') },
    { ...closed, description: 'Results by verdict. Each was counted against the quota.' },
  ),
  errors: count('Targets that are invalid or could not be checked.'),
  resumes_at: nullable(time('When a paused job goes on, or tries to.')),
  ended_at: nullable(time('When it was completed or failed.')),
  kept_until: nullable(time('When an ended job and its results are removed, if not earlier to make room.')),
  results: Type.String({ description: 'The path of its results.' }),
}

const Job = Type.Object(job, closed)
const Jobs = Type.Object(
  {
    jobs: Type.Array(Job, { description: 'Latest first.' }),
    limit: Type.Integer({ description: 'Unfinished jobs that an account may have.' }),
  },
  closed,
)
const RemovedJob = Type.Object({ ...job, removed: Type.Literal(true) }, closed)

export const jobSchemas = { Job, Jobs, RemovedJob } as const

const jobId = inPath('id', '`id` of the job.')

export const jobOperations: Operations = {
  '/api/v1/jobs': {
    get: {
      operationId: 'listJobs',
      summary: 'List the jobs of the account',
      description: 'Latest first: those that run or wait, and those that ended and are still kept.',
      parameters: [],
      answers: { status: 200, schema: 'Jobs', description: 'The jobs.' },
    },
  },
  '/api/v1/jobs/{id}': {
    get: {
      operationId: 'getJob',
      summary: 'Get the progress of a job',
      description: 'Retry-After says when another look makes sense; it is absent when the job has ended.',
      parameters: [jobId],
      answers: { status: 200, schema: 'Job', description: 'The job.' },
    },
    delete: {
      operationId: 'removeJob',
      summary: 'Cancel and forget a job',
      description: 'No further check begins, checks that run are not counted, and the results are removed.',
      parameters: [jobId],
      answers: { status: 200, schema: 'RemovedJob', description: 'The job as it was at the end.' },
    },
  },
  '/api/v1/jobs/{id}/results': {
    get: {
      operationId: 'getJobResults',
      summary: 'Get the results of a job',
      description:
        'The lines that there are now, in the order in which they were found: the same lines as those of a batch. Line k of an answer is record `after` + k; to continue, also after a connection that broke, pass the number of complete lines received so far. With Retry-After, more may come.',
      parameters: [
        jobId,
        inQuery('after', 'Records to skip: those received before.', { type: 'integer', minimum: 0, default: 0 }),
      ],
      answers: { status: 200, schema: LINES, description: 'One line (JSON) for each record.' },
    },
  },
}
