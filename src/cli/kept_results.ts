// Kept results as commands read them: of a running service, or from the store of the configuration, beside it.

import { isIP } from 'node:net'
import { readConfig } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { Result } from '../results/diff/known.ts'
import { resultReader } from '../service/api/history.ts'
import { Problem } from '../service/api/problem.ts'
import { type Condition, type Question, readQuestion } from '../store/facets.ts'
import type { Entry } from '../store/history.ts'
import { openKeptResults, openKeys } from '../store/open_backend.ts'
import type { SearchPlace } from '../store/sql/facets.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { type KeptOptions, requireSound } from './options.ts'
import { asking, type Service, serviceOf } from './server.ts'

export interface OwnedEntry extends Entry {
  /** Absent where a service answers, which shows only the results of one account. */
  readonly account?: string
}

export interface KeptResults {
  /** Latest first; of all targets when null. A result that several accounts saw has one entry. */
  list(target: string | null, limit: number): Promise<readonly OwnedEntry[]>
  /** Targets that showed all of it, each with its latest result. */
  search(question: Question, limit: number): Promise<readonly OwnedEntry[]>
  /** ISO 8601 in UTC; null when the target was never checked here. */
  firstSeen(target: string): Promise<string | null>
  /** Ends the command when there is no such result. */
  result(id: string): Promise<Result>
}

/** Runs `work` on the results of a service's account, or on local results of all accounts or of one. */
export async function withKept<T>(options: KeptOptions, work: (results: KeptResults) => Promise<T>): Promise<T> {
  const service = serviceOf(options)
  if (service !== null) return asking(work(servedResults(service)))
  const { config, faults } = readConfig(options, readEnvironment())
  requireSound(faults)
  const store = await openKeptResults(config)
  try {
    const accounts = options.account === undefined ? await accountsOf(config) : [options.account]
    const read = resultReader({ ...store, written: async () => {} })
    return await work({
      async list(target, limit) {
        const before = Number.MAX_SAFE_INTEGER
        const lists = await Promise.all(
          accounts.map(async account =>
            (await store.list({ account, target, before, limit })).map(entry => ({ ...entry, account })),
          ),
        )
        const byId = new Map(lists.flat().map(entry => [entry.result_id, entry]))
        return [...byId.values()].sort((a, b) => (a.checked_at < b.checked_at ? 1 : -1)).slice(0, limit)
      },
      async search(question, limit) {
        const conditions = conditionsIn(question)
        const pages = await Promise.all(
          accounts.map(async account =>
            allPages((after: SearchPlace | null) => store.search({ account, conditions, after, limit }), limit),
          ),
        )
        const entries = pages.flatMap((results, at) => results.map(one => ({ ...one, account: accounts[at] ?? '' })))
        const latestFirst = entries.sort((a, b) => (a.checked_at < b.checked_at ? 1 : -1))
        const targets = new Set<string>()
        return latestFirst.filter(({ target }) => !targets.has(target) && targets.add(target)).slice(0, limit)
      },
      async firstSeen(target) {
        const { at: first } = await store.firstSeen(target)
        return first === null ? null : `${new Date(first).toISOString().slice(0, 19)}Z`
      },
      async result(id) {
        for (const account of accounts) {
          const body = await read(account, id).catch(unlessUnknown)
          if (body !== null) return JSON.parse(body.toString()) as Result
        }
        throw new CliError(EXIT.usage, `no kept result has the ID ${id}`)
      },
    })
  } finally {
    await store.close()
  }
}

/** Ends the command when there is nothing to search for, or a value is none of its kind. */
function conditionsIn(question: Question): readonly Condition[] {
  const reading = readQuestion(question)
  if (reading.ok) return reading.conditions
  if (reading.name === null) throw new CliError(EXIT.usage, 'set a search option, such as --address 192.0.2.7')
  throw new CliError(EXIT.usage, `--${optionOf(reading.name)} must look like ${reading.example}`)
}

/** The option of a parameter. */
export const optionOf = (name: string): string => name.replaceAll('_', '-')

/** Goes on to the next page until there are enough results. */
async function allPages<Place, One>(
  page: (after: Place | null) => Promise<{ readonly results: readonly One[]; readonly next: Place | null }>,
  limit: number,
): Promise<readonly One[]> {
  const entries: One[] = []
  let after: Place | null = null
  do {
    const { results, next } = await page(after)
    entries.push(...results)
    after = next
  } while (after !== null && entries.length < limit)
  return entries.slice(0, limit)
}

/** Entries that a service lists at once, at most. */
const PAGE = 100

function servedResults({ client: { api, body } }: Service): KeptResults {
  const page = (target: string | null, limit: number, before?: string) => {
    const query = target === null ? {} : isIP(target) === 0 ? { domain: target } : { ip: target }
    return body(
      api.GET('/api/v1/history', { params: { query: { ...query, limit, ...(before !== undefined && { before }) } } }),
    )
  }
  return {
    list: (target, limit) =>
      allPages(async (before: string | null) => {
        const answer = await page(target, Math.min(PAGE, limit), before ?? undefined)
        return { results: answer.results as readonly OwnedEntry[], next: answer.before }
      }, limit),
    async search(question, limit) {
      conditionsIn(question)
      return allPages(async (before: string | null) => {
        const query = { ...question, limit: Math.min(PAGE, limit), ...(before !== null && { before }) }
        const answer = await body(api.GET('/api/v1/search', { params: { query } }))
        return { results: answer.results as readonly OwnedEntry[], next: answer.before }
      }, limit)
    },
    firstSeen: async target => (await page(target, 1)).first_seen_at,
    result: async id => (await body(api.GET('/api/v1/results/{id}', { params: { path: { id } } }))) as Result,
  }
}

function unlessUnknown(error: unknown): null {
  if (error instanceof Problem) return null
  throw error
}

/** Also those whose keys are all revoked: their results are kept. */
async function accountsOf(config: Parameters<typeof openKeys>[0]): Promise<readonly string[]> {
  const { keys, close } = await openKeys(config)
  try {
    return [...new Set((await keys.list()).map(({ account }) => account))]
  } finally {
    await close()
  }
}
