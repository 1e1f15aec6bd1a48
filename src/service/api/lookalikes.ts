// Look-alikes of a name over HTTP: lines as they are found, each judged one counted, and the ranking at the end.
import { once } from 'node:events'
import { Type } from 'typebox'
import { MOST_CANDIDATES } from '../../results/lookalikes/candidates.ts'
import { findLookalikes, type LookalikesParts, MOST_LOOKALIKES } from '../../results/lookalikes/run.ts'
import type { Claims } from '../../store/sql/claims.ts'
import type { Key } from '../../store/store.ts'
import { parseTarget } from '../../targets/target.ts'
import {
  DEFAULT_JUDGED,
  LOOKALIKE_CHECKS,
  LookalikeLine,
  lookalikeLine,
  PROGRESS_NAMES,
  progressLine,
  summaryLine,
} from '../lookalikes.ts'
import { type BatchOptions, checkOne } from './batch.ts'
import { readQuery } from './input.ts'
import { describeError } from './log.ts'
import { Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { privateHeaders } from './respond.ts'
import { type Handlers, LINES, type Operations } from './routes.ts'
import { createSeats } from './seats.ts'

/** Looking for look-alikes in this installation. */
export interface Looking extends Pick<LookalikesParts, 'scanner'> {
  /** Most names that one search asks for. */
  readonly names: number
}

export interface LookalikeRoutesOptions extends Omit<BatchOptions, 'jobbing' | 'selector'> {
  /** Null when it is disabled. */
  readonly looking: Looking | null
  readonly claims: Claims
}

/** Of one account: each lasts minutes. */
const SEARCHES = { name: 'lookalikes', at_once: 2, per_second: 2, retry_after: 30 }

interface LookalikeSearch {
  readonly key: Key
  readonly name: string
  readonly names: number
  readonly judge: number
}

export const lookalikeSchemas = { LookalikeLine } as const

export const lookalikeOperations = {
  findLookalikes: {
    method: 'GET',
    path: '/api/v1/lookalikes',
    summary: 'Find names that imitate a domain name',
    description: `Looks for names that a reader mistakes for \`domain\`: typing errors, letters that look alike, lure words, other endings, \
tenants of platforms. DNS tells which exist; the likeliest of them are judged like any target, and each result counts against the quota, as \
does that of the original. Lines are of the schema \`LookalikeLine\`: \`lookalike\` as soon as one is judged, \`progress\` from time \
to time, \`summary\` at the end. It takes minutes. When the connection ends, nothing further is asked. With \`judge=0\` no site is contacted and \
nothing is counted: send the names to \`POST /api/v1/checks\`, as a job if you like.`,
    query: Type.Object({
      domain: Type.String({ description: 'The original, such as your own name.' }),
      judge: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_LOOKALIKES,
          default: DEFAULT_JUDGED,
          description: 'Maximum look-alikes to check. The others that exist are listed without a result.',
        }),
      ),
      names: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MOST_CANDIDATES,
          description:
            'Maximum names to look up, the likeliest first; at most `lookalikes.names`, which is the default.',
        }),
      ),
    }),
    answer: { status: 200, description: 'One line (JSON) for each look-alike, and a summary.', schema: LINES },
    problems: [
      'missing-target',
      'invalid-parameter',
      'invalid-domain',
      'target-not-checkable',
      'rate-limited',
      'lookalikes-disabled',
    ],
  },
} as const satisfies Operations

export function lookalikeHandlers(options: LookalikeRoutesOptions): Handlers<typeof lookalikeOperations> {
  const { callers, looking, vetting, clock, politeness } = options
  const seats = createSeats(options.claims, SEARCHES)

  async function begin(ctx: Context, { scanner, names: most }: Looking): Promise<void> {
    const key = await callers.authenticate(ctx)
    const { domain, judge = DEFAULT_JUDGED, names = most } = readQuery(ctx, lookalikeOperations.findLookalikes)
    await callers.account(ctx)
    const parsed = parseTarget({ domain, ip: null }, vetting)
    if (!parsed.ok) throw new Problem(parsed.code, parsed.detail)
    const name = parsed.target.domain ?? domain
    await seats.run(key.account, () => search(ctx, { key, name, names: Math.min(names, most), judge }, scanner))
  }

  async function search(ctx: Context, { key, name, names, judge }: LookalikeSearch, scanner: Looking['scanner']) {
    // The client may leave before there is a seat.
    if (ctx.res.destroyed) return
    const stop = new AbortController()
    ctx.res.once('close', () => stop.abort())
    const write = (line: LookalikeLine) => send(ctx, line, stop.signal)
    try {
      const type = ['Content-Type', 'application/x-ndjson; charset=utf-8', 'X-Accel-Buffering', 'no']
      ctx.res.writeHead(200, [...privateHeaders(ctx.state, clock.now()), ...type])
      ctx.res.flushHeaders()
      const parts = { scanner, vetting, politeness, concurrency: LOOKALIKE_CHECKS, monotonic: clock.monotonic }
      const summary = await findLookalikes(
        { ...parts, judge: (target, over) => checkOne(options, key, target, over) },
        {
          name,
          names,
          judged: judge,
          client: key.account,
          signal: stop.signal,
          write: lookalike => write(lookalikeLine(lookalike)),
          progressed(tally) {
            if (tally.asked % PROGRESS_NAMES === 0) void write(progressLine(tally))
          },
        },
      )
      await write(summaryLine(name, summary))
      ctx.res.end()
    } catch (error) {
      // The status is sent: a body without a summary says that the search did not end.
      options.log.error({ lookalikes: 'failed', error: describeError(error) })
      ctx.res.destroy()
    }
  }

  return {
    async findLookalikes(ctx) {
      if (looking !== null) return begin(ctx, looking)
      await callers.authenticate(ctx)
      throw new Problem('lookalikes-disabled')
    },
  }
}

async function send({ res }: Context, line: LookalikeLine, stop: AbortSignal): Promise<void> {
  if (res.destroyed || res.write(`${JSON.stringify(line)}\n`)) return
  // A slow reader slows the search down.
  await once(res, 'drain', { signal: stop }).catch(() => {})
}
