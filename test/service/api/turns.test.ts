// Uncached checks of several processes that share a store: who runs, who waits and who follows.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { ClaimedTurns, type Lead, type TurnRequest } from '../../../src/service/api/turns.ts'
import type { Beside, ClaimLimits, Claims } from '../../../src/store/sql/claims.ts'
import type { Database } from '../../../src/store/sql/database.ts'
import { startPostgres } from '../../postgres_server.ts'
import { sampled } from '../../sample.ts'
import { type ClaimsStore, claimsInPostgres, claimsPlaces } from '../../store/claim_places.ts'
import { tier } from '../../tiers.ts'
import { eventually } from './service.ts'

const polite: ClaimLimits = { at_once: 2, per_second: 1_000, waiting: 1_000, key_at_once: 100, key_per_second: 1_000 }
/** Longer than anything here takes on a busy machine. */
const PATIENT_MS = 60_000

let names = 0
const fresh = () => `d${++names}.com`

interface Run {
  readonly flight: string
  readonly key: string
  readonly at: number
  readonly signal: AbortSignal
  /** Stores a result and ends with it. */
  end(): void
  fail(error: Error): void
}

interface Asking extends Partial<Omit<TurnRequest<string>, 'signal'>> {
  /** The process that is asked. */
  readonly at?: number
  readonly work?: (lead: Lead) => Promise<string>
}

async function processes(store: ClaimsStore, limits: Partial<ClaimLimits> = {}, count = 3, now?: () => number) {
  const claims: Claims[] = []
  /** Claims that found another to follow. */
  let follows = 0
  for (let n = 0; n < count; n++) {
    const opened = await store.open({ ...polite, ...limits }, now)
    const claim: Claims['claim'] = async request => {
      const answer = await opened.claim(request)
      if (answer.leader !== null) follows += 1
      return answer
    }
    claims.push(new Proxy(opened, { get: (of, name) => (name === 'claim' ? claim : Reflect.get(of, name)) }))
  }
  const monotonic = () => performance.now()
  const all = claims.map(one => new ClaimedTurns<string>({ claims: one, monotonic, wait_ms: PATIENT_MS }))
  /** What is stored, by flight. */
  const results = new Map<string, string>()
  const runs: Run[] = []
  const started: string[] = []
  const target = fresh()

  function ask(flight: string, { at = 0, work, ...rest }: Asking = {}) {
    const leaving = new AbortController()
    const request: TurnRequest<string> = {
      flight: `${target}/${flight}`,
      target,
      key: 'a',
      signal: leaving.signal,
      wait_ms: PATIENT_MS,
      readStored: async () => results.get(flight) ?? null,
      ...rest,
    }
    const turns = all[at] ?? assert.fail()
    const answer = turns.run(request, (signal, lead) => {
      started.push(flight)
      if (work !== undefined) return work(lead)
      return new Promise((resolve, reject) => {
        const over = () => runs.splice(runs.indexOf(run), 1)
        const run: Run = {
          flight,
          key: request.key,
          at,
          signal,
          end() {
            over()
            results.set(flight, `${flight} by ${request.key}`)
            lead.stored()
            resolve(`${flight} by ${request.key}`)
          },
          fail(error) {
            over()
            reject(error)
          },
        }
        signal.addEventListener('abort', () => run.fail(signal.reason))
        runs.push(run)
      })
    })
    answer.catch(() => {})
    return Object.assign(answer, { leave: () => leaving.abort(new Error('left')) })
  }
  const running = (flight: string) => runs.find(run => run.flight === flight)
  const end = async (flight: string) => {
    await eventually(() => running(flight) !== undefined)
    running(flight)?.end()
  }
  const waiting = (at = 0) => all[at]?.figures().waiting ?? 0
  const close = async () => {
    await Promise.all(all.map(turns => turns.close()))
    await Promise.all(claims.map(one => one.close()))
  }
  return { follows: () => follows, all, claims, results, runs, started, target, ask, running, end, waiting, close }
}

const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'answered',
    ({ code, message }: { code?: string; message: string }) => code ?? message,
  )

for (const { name, create } of sampled(claimsPlaces, 1)) {
  describe(`turns with ${name}`, () => {
    let store: ClaimsStore
    const open: { close(): Promise<void> }[] = []
    before(async () => {
      store = await create()
    })
    after(() => Promise.all(open.map(one => one.close())))
    const start = async (limits?: Partial<ClaimLimits>, count?: number, now?: () => number) => {
      // Claims of another time would be forgotten.
      const started = await processes(now === undefined ? store : await create(), limits, count, now)
      open.push(started)
      return started
    }

    it('share one run of a flight, in a process and between processes', async () => {
      const { ask, end, started, all, follows } = await start()
      const first = [ask('x'), ask('x', { key: 'b' })]
      await eventually(() => started.length === 1)
      const others = [ask('x', { at: 1, key: 'b' }), ask('x', { at: 2, key: 'c' }), ask('x', { at: 2 })]
      await eventually(() => follows() === 2)
      await end('x')
      assert.deepEqual(await Promise.all([...first, ...others]), Array(5).fill('x by a'))
      assert.deepEqual(started, ['x'])
      assert.deepEqual(
        all.map(turns => [turns.size, turns.figures().waiting]),
        Array(3).fill([0, 0]),
      )
    })

    it('start two checks of a target at once, and one of a flight, whatever three processes ask', async () => {
      const { all, target, results } = await start()
      const now = new Map<string, number>()
      const most = { of_target: 0, of_flight: 0 }
      const ask = (n: number) => {
        const flight = `${target}/${n % 20}`
        const { signal } = new AbortController()
        const readStored = async () => results.get(flight) ?? null
        const request = { flight, target, key: `k${n % 7}`, signal, wait_ms: PATIENT_MS, readStored }
        return all[n % 3]?.run(request, async (_, lead) => {
          now.set(flight, (now.get(flight) ?? 0) + 1)
          most.of_target = Math.max(most.of_target, now.size)
          most.of_flight = Math.max(most.of_flight, now.get(flight) ?? 0)
          await new Promise(resolve => setTimeout(resolve, 5))
          now.delete(flight)
          results.set(flight, flight)
          lead.stored()
          return flight
        })
      }
      const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)))
      assert.deepEqual(
        answers,
        Array.from({ length: 60 }, (_, n) => `${target}/${n % 20}`),
      )
      assert.deepEqual(most, { of_target: 2, of_flight: 1 })
    })

    it('pass to a follower when the leader dies', async () => {
      const { claims, target, ask, end, started } = await start()
      const dead = { id: fresh(), flight: `${target}/x`, target, key: 'dead', background: false, fresh: false }
      assert.equal((await claims[1]?.claim(dead))?.state, 'running')
      const followers = [ask('x', { at: 0 }), ask('x', { at: 2 })]
      await end('x')
      assert.deepEqual(await Promise.all(followers), ['x by a', 'x by a'])
      assert.deepEqual(started, ['x'])
    })

    it('give the result of one follower to another that looked for it too early', async () => {
      const { claims, target, ask, end, started, results } = await start()
      const dead = { id: fresh(), flight: `${target}/x`, target, key: 'dead', background: false, fresh: false }
      assert.equal((await claims[1]?.claim(dead))?.state, 'running')
      const first = ask('x')
      let looks = 0
      const readStored = async () => {
        looks += 1
        if (looks > 1) return results.get('x') ?? null
        await first
        return null
      }
      const second = ask('x', { at: 2, readStored })
      await end('x')
      assert.deepEqual([await first, await second, started], ['x by a', 'x by a', ['x']])
    })

    it('pass to a follower when the leader fails, whose callers get the failure', async () => {
      const { ask, runs, started, end, follows } = await start()
      const failing = [ask('x'), ask('x')]
      await eventually(() => runs.length === 1)
      const follower = ask('x', { at: 1, key: 'b' })
      await eventually(() => follows() === 1)
      runs[0]?.fail(new Error('no'))
      assert.deepEqual(await Promise.all(failing.map(codeOf)), ['no', 'no'])
      await end('x')
      assert.equal(await follower, 'x by b')
      assert.deepEqual(started, ['x', 'x'])
    })

    it('go on while one caller stays, and end with the last one', async () => {
      const { ask, runs, started, end, follows } = await start()
      const [first, second] = [ask('x'), ask('x')]
      await eventually(() => runs.length === 1)
      const follower = ask('x', { at: 1, key: 'b' })
      await eventually(() => follows() === 1)
      first.leave()
      assert.equal(await codeOf(first), 'left')
      assert.equal(runs[0]?.signal.aborted, false)
      second.leave()
      assert.equal(await codeOf(second), 'left')
      await eventually(() => started.length === 2)
      await end('x')
      assert.equal(await follower, 'x by b')
    })

    it('are given up by callers that leave while they wait', async () => {
      const { ask, runs, waiting, end, started } = await start({ at_once: 1 })
      const first = ask('x')
      await eventually(() => runs.length === 1)
      const leaving = ask('y', { at: 1 })
      await eventually(() => waiting(1) === 1)
      const next = ask('z', { at: 2 })
      await eventually(() => waiting(2) === 1)
      leaving.leave()
      assert.equal(await codeOf(leaving), 'left')
      await end('x')
      await end('z')
      assert.deepEqual(await Promise.all([first, next]), ['x by a', 'z by a'])
      assert.deepEqual([started, waiting(1)], [['x', 'z'], 0])
    })

    it('are refused with the reason and the time to wait', async () => {
      const { ask, runs, waiting } = await start({ at_once: 1, waiting: 1, key_at_once: 2, key_per_second: 1_000 }, 2)
      const key = fresh()
      void ask('x', { key })
      await eventually(() => runs.length === 1)
      void ask('y', { key, at: 1 })
      await eventually(() => waiting(1) === 1)
      const refusals = [ask('z', { key }), ask('z', { key: 'b', at: 1 }), ask('z', { key: 'c', at: 1, wait_ms: 0 })]
      assert.deepEqual(await Promise.all(refusals.map(codeOf)), ['overloaded', 'target-busy', 'target-busy'])
      const error = await refusals[1]?.catch((error: unknown) => error)
      assert.match((error as { headers: Record<string, string> }).headers['Retry-After'] ?? '', /^[1-9]$/)
      for (const run of runs) run.end()
      const limited = await start({ key_per_second: 1 }, 1, () => 1_000_000)
      const work = async () => 'done'
      const rate = { key: fresh(), work }
      // Which of the two comes first is not decided here.
      const codes = await Promise.all(['1', '2'].map(flight => codeOf(limited.ask(flight, rate))))
      assert.deepEqual(codes.sort(), ['answered', 'rate-limited'])
    })

    it('are refused after waiting, and others go on', async () => {
      const { ask, runs, waiting, end } = await start({ at_once: 1 }, 2)
      const first = ask('x')
      await eventually(() => runs.length === 1)
      const brief = ask('y', { at: 1, wait_ms: 50 })
      const patient = ask('z', { at: 1, key: 'b' })
      assert.equal(await codeOf(brief), 'target-busy')
      await eventually(() => waiting(1) === 1)
      await end('x')
      await end('z')
      assert.deepEqual(await Promise.all([first, patient]), ['x by a', 'z by b'])
    })

    it('go on for a caller of another key when the first is refused', async () => {
      const { ask, runs, waiting, end } = await start({ at_once: 1 }, 1)
      const first = ask('x')
      await eventually(() => runs.length === 1)
      const brief = ask('y', { wait_ms: 50 })
      await eventually(() => waiting() === 1)
      const joined = ask('y', { key: 'b' })
      assert.equal(await codeOf(brief), 'target-busy')
      await end('x')
      await end('y')
      assert.deepEqual(await Promise.all([first, joined]), ['x by a', 'y by b'])
    })

    it('take a result that has just been stored, unless a fresh one is wanted', async () => {
      const { ask, end, started, follows } = await start()
      const first = ask('x')
      await end('x')
      await first
      assert.equal(await ask('x', { at: 1, key: 'b' }), 'x by a')
      const again = ask('x', { at: 1, key: 'b', fresh: true })
      await eventually(() => started.length === 2)
      const joined = ask('x', { at: 2, key: 'c', fresh: true })
      await eventually(() => follows() === 2)
      await end('x')
      assert.deepEqual(await Promise.all([again, joined]), ['x by b', 'x by b'])
    })

    it('answer with a kept result that is read with the claim, unless it is refused', async () => {
      const { ask, started, end, runs } = await start()
      const query = sql<Beside>`(SELECT 1 AS found, 'kept' AS body)`
      const read = async (row: Beside) => (row as Beside & { readonly body: string }).body
      assert.equal(await ask('x', { beside: { query, read } }), 'kept')
      assert.deepEqual(started, [])
      const damaged = ask('x', { beside: { query, read: async () => null } })
      await eventually(() => runs.length === 1)
      await end('x')
      assert.equal(await damaged, 'x by a')
    })

    // SQLite has its claims in another file than its results.
    if (name === 'PostgreSQL')
      it('wake their followers by the statement that stores the result', async () => {
        const { ask, claims, results, follows, started } = await start()
        let store = () => {}
        const work = async ({ ending, stored }: Lead) => {
          await new Promise<void>(resolve => {
            store = resolve
          })
          results.set('x', 'stored')
          await sql`SELECT ${ending()}`.execute((claims[0] as unknown as { database: Database }).database.read)
          stored()
          return 'stored'
        }
        const first = ask('x', { work })
        await eventually(() => started.length === 1)
        const follower = ask('x', { at: 1 })
        await eventually(() => follows() === 1)
        store()
        assert.deepEqual(await Promise.all([first, follower]), ['stored', 'stored'])
      })

    it('claim anew when the result of another process cannot be found', async () => {
      const { ask, results, end, started, follows } = await start()
      const first = ask('x')
      await eventually(() => started.length === 1)
      const follower = ask('x', { at: 1, key: 'b' })
      await eventually(() => follows() === 1)
      await end('x')
      results.clear()
      await first
      await end('x')
      assert.equal(await follower, 'x by b')
      assert.deepEqual(started, ['x', 'x'])
    })

    it('in the background come last, until someone waits for them', async () => {
      const { ask, runs, waiting, end, started } = await start({ at_once: 1 })
      const first = ask('x')
      await eventually(() => runs.length === 1)
      const background = ['y', 'z'].map(flight => ask(flight, { at: 1, key: 'a background', background: true }))
      await eventually(() => waiting(1) === 2)
      const person = ask('p', { at: 2 })
      await eventually(() => waiting(2) === 1)
      await end('x')
      await eventually(() => started.length === 2)
      const joined = ask('z', { at: 1, key: 'b' })
      const next = ask('q', { at: 0, key: 'b' })
      await eventually(() => waiting(0) === 1)
      for (const flight of ['p', 'z', 'q', 'y']) await end(flight)
      await Promise.all([first, person, joined, next, ...background])
      assert.deepEqual(started.slice(0, 2), ['x', 'p'])
      assert.equal(started.at(-1), 'y')
    })

    it('survive the loss of all claims', async () => {
      const { ask, runs, waiting, results } = await start({ at_once: 1 })
      const answers = Array.from({ length: 6 }, (_, n) => ask(`${n}`, { at: n % 3, key: `k${n}` }))
      await eventually(() => runs.length === 1 && waiting(0) + waiting(1) + waiting(2) === 5)
      await store.empty()
      const ending = setInterval(() => runs[0]?.end(), 20)
      await Promise.all(answers).finally(() => clearInterval(ending))
      assert.equal(results.size, 6)
    })
  })
}

// It crashes in `npm test` under the counts of answers and under the queues.
if (tier === 'all') {
  describe('turns with a PostgreSQL that crashes', () => {
    it('reject what waits and what comes until it is back, and then go on by themselves', async t => {
      const server = await startPostgres()
      const store = await claimsInPostgres(server)
      const { ask, runs, waiting, claims, end, started, close } = await processes(store, { at_once: 1 })
      t.after(async () => {
        await close()
        await server.stop()
      })
      const lead = ask('x')
      await eventually(() => runs.length === 1)
      const lost = [ask('y', { at: 1 }), ask('x', { at: 2 })]
      await eventually(() => waiting(1) === 1)
      await server.crash()
      assert.deepEqual(await Promise.all(lost.map(codeOf)), ['store_unavailable', 'store_unavailable'])
      assert.equal(await codeOf(ask('z')), 'store_unavailable')
      assert.equal(runs.length, 1)
      await server.restart()
      await eventually(() => claims.every(({ hears }) => hears))
      // Its claim is gone, so that another process leads the same flight; each ends on its own.
      const again = ask('x', { at: 1, key: 'b' })
      await eventually(() => started.length === 2)
      for (const run of [...runs]) run.end()
      assert.deepEqual(await Promise.all([lead, again]), ['x by a', 'x by b'])
      const more = [ask('p'), ask('q', { at: 1 }), ask('r', { at: 2 })]
      for (const flight of ['p', 'q', 'r']) void end(flight)
      assert.deepEqual(await Promise.all(more), ['p by a', 'q by a', 'r by a'])
    })
  })
}
