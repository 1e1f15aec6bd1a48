// Who gets which turn, who waits and who is refused, on a clock that the tests set.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Client,
  type Limits,
  newest,
  oldest,
  type Rules,
  Scheduler,
} from '../../../src/base/scheduler/scheduler.ts'
import { CHECKS } from '../../../src/service/api/limits.ts'

type Setting = Partial<Omit<Rules<string>, 'now' | 'limitsOf'>> & {
  readonly limits?: Limits | ((resource: string) => Limits)
  /** What a client needs, by the first letter of its name. */
  readonly needs?: Readonly<Record<string, readonly string[]>>
}

/**
 * Plays a script of words: `a` and `~b` ask, the latter in the background; `a<50` asks with a deadline in ms; `a1-` ends what `a` asked
 * first, and `a1!` takes it back, `a1!!` because it is late; `+50` lets 50 ms pass; `a:9` charges client `a` with 9. Returns what
 * happened: `a1` started, `/a1` was refused, `?50` is when time alone lets one start.
 */
function play(setting: Setting, script: string): string {
  const { limits = { at_once: 1 }, needs = {}, ...rules } = setting
  let now = 0
  const events: string[] = []
  const asked = new Map<string, number>()
  const clients = new Map<string, Client<string>>()
  const limitsOf = typeof limits === 'function' ? limits : () => limits
  const scheduler = new Scheduler<string>({ ...rules, limitsOf, now: () => now })
  const clientOf = (name: string, rank = 0) => {
    const client = clients.get(name) ?? scheduler.open({ client: name, rank, resources: needs[name] ?? ['it'] })
    clients.set(name, client)
    return client
  }
  for (const word of script.split(' ')) {
    const [, later, name = '', number = '', mark = '', value = ''] =
      /^(~?)([a-z]?)(\d*)([-+!<:?]?!?)([\d]*)$/.exec(word) ?? assert.fail(word)
    const client = name === '' ? null : clientOf(name, later === '~' ? 1 : 0)
    if (mark === '+') now += Number(value)
    else if (mark === '?') events.push(`?${scheduler.due()}`)
    else if (client === null) assert.fail(word)
    else if (mark === ':') scheduler.charge(client, Number(value))
    else if (mark === '-') scheduler.end(client)
    else if (mark.startsWith('!')) scheduler.leave(client, name + number, mark === '!!')
    else {
      const count = (asked.get(name) ?? 0) + 1
      asked.set(name, count)
      const wait_ms = mark === '<' ? Number(value) : Number.POSITIVE_INFINITY
      const willRefuse = scheduler.refuses(client, wait_ms)
      const refused = scheduler.ask(client, `${name}${count}`, wait_ms)
      assert.equal(refused.includes(`${name}${count}`), willRefuse, word)
      events.push(...refused.map(request => `/${request}`))
    }
    for (let next = scheduler.next(); next !== null; next = scheduler.next()) events.push(next)
  }
  return events.join(' ')
}

const one = { at_once: 1 }
const patient = (waiting_per_slot = 2) => ({ patience: { waiting_per_slot, burst_ms: 2_000, overloaded_ms: 500 } })
const upstream = {
  patience: { waiting_per_slot: Number.POSITIVE_INFINITY, burst_ms: 0, overloaded_ms: Number.POSITIVE_INFINITY },
}
const isHeldUp = () => true
const fromBothEnds = (client: Client<string>) => (client.picks % 2 === 1 ? newest(client) : oldest(client))
/** Sites of a platform share its limits. */
const shared = { needs: { a: ['a', 'platform'], b: ['b', 'platform'], c: ['c', 'platform'], o: ['o'] } }
const site = { at_once: 2, starts: 1, per_ms: 100 }
const platform = { at_once: 3, starts: 1, per_ms: 25 }
const both = (resource: string) => (resource === 'platform' ? platform : site)
/** Words for 1, 2 and so on. */
const each = (times: number, words: (n: number) => string) =>
  Array.from({ length: times }, (_, n) => words(n + 1)).join(' ')

const cases: readonly (readonly [title: string, setting: Setting, script: string, events: string])[] = [
  [
    'starts as many at once as there is room for, and the rest in order',
    { limits: { at_once: 2 } },
    'a a a a a2- a1-',
    'a1 a2 a3 a4',
  ],
  [
    'gives clients turns, and the requests of each in order',
    {},
    'x a a a b b c x1- a1- b1- c1- a2- b2-',
    'x1 a1 b1 c1 a2 b2 a3',
  ],
  ['lets nobody save up turns', {}, 'a a a a a a1- a2- b b a3- b1- a4- b2-', 'a1 a2 a3 b1 a4 b2 a5'],
  [
    'gives turns by what they cost',
    { cost: 0 },
    'x a a a b b b x1- a:9 a1- b:4 b1- b:4 b2- b:4 b3- a2-',
    'x1 a1 b1 b2 b3 a2 a3',
  ],
  ['serves the background last, and its clients in turn', {}, 'x ~y ~y ~z a x1- a1- y1- z1-', 'x1 a1 y1 z1 y2'],
  ['forgets those who leave', {}, 'x a b x1- a1! a1- b1-', 'x1 a1 b1'],
  ['starts nobody who left', {}, 'x a b a1! x1-', 'x1 b1'],

  [
    'starts so many in any second, and says when the next may',
    { limits: { at_once: 9, starts: 2, per_ms: 1000 } },
    'a +300 a a ? +699 ? +1 a ? +300',
    'a1 a2 ?1000 ?1000 a3 ?1300 a4',
  ],
  ['says that another must end first', {}, 'a a ?', 'a1 ?Infinity'],
  [
    'starts what has room in all that it needs',
    { ...shared, limits: both },
    'a b ? +25 c ? +25 o',
    'a1 ?25 b1 ?50 c1 o1',
  ],
  [
    'counts what several sites of a platform have',
    { ...shared, limits: both },
    'a +25 b +25 c +50 a o ? b1-',
    'a1 b1 c1 o1 ?Infinity a2',
  ],
  [
    'lets others pass a site that must wait',
    { needs: shared.needs, limits: both },
    'o o o o +10 a ? +90 +100 o1-',
    'o1 a1 ?100 o2 o3',
  ],

  ['lets two wait for each that may run, and refuses the next', patient(), 'a a a a', 'a1 /a4'],
  ['makes room by refusing the newest of who has two more waiting', patient(), 'a a a b c', 'a1 /a3 /c1'],
  ['refuses the background to make room for others', patient(), 'x ~y ~y a ~z', 'x1 /y2 /z1'],
  [
    'refuses the oldest and serves both ends while old requests are held up',
    { limits: { at_once: 2 }, ...patient(), isHeldUp, choose: fromBothEnds },
    'a a a a a a a a1- a2- a4- a7-',
    'a1 a2 /a3 a4 a7 a5 a6',
  ],
  [
    'starts few at present, and newcomers besides',
    { limits: { at_once: 9, at_present: 2, newcomers: 3 } },
    'a a a a a b b b b',
    'a1 a2 b1',
  ],
  [
    'starts no newcomers beyond their number',
    { limits: { at_once: 9, at_present: 4, newcomers: 2 } },
    'a a a a b b b b',
    'a1 a2 a3 a4 b1 b2',
  ],

  [
    'lets a burst wait, however slow its first are',
    { limits: { at_once: 2 }, ...patient(9) },
    `a a ${each(9, () => 'a')} +900 a1- +900 a a2-`,
    'a1 a2 a3 a4',
  ],
  [
    'refuses at once what waits above half a second after two seconds',
    patient(9),
    `a a a ${each(40, n => `+60 a${n}- a`)} ${each(7, () => 'a')}`,
    `${each(41, n => `a${n}`)} /a50`,
  ],
  [
    'drops the newest of a burst that cannot be served in time',
    patient(99),
    `a ${each(13, () => 'b')} +100 a1- b ${each(20, n => `+100 b${n}- b`)}`,
    `a1 ${each(21, n => `b${n}`)} ${each(7, n => `/b${34 - n}`)} /b34`,
  ],

  [
    'refuses at once a deadline that the waits of others exceed',
    upstream,
    `a a<9000 a<9000 ${each(3, n => `+2000 a${n}- a<9000`)} a<500 b`,
    'a1 a2 a3 a4 /a7',
  ],
  ['refuses nothing that waits for as long as it takes', upstream, 'a a a +9000 a a', 'a1'],
  [
    'lets the first wait while there is room, however long others waited',
    upstream,
    'a a +9000 a1- a2- a<5',
    'a1 a2 a3',
  ],
]

/** What half a minute of twice as many requests as can be served brings those who repeat a refused one so often, at once. */
function answered(retries: number): { readonly answered: number; readonly refused: number } {
  const [slots, check_ms, load_ms] = [8, 400, 30_000]
  let now = 0
  const count = { answered: 0, refused: 0 }
  const isFirst = new Map<string, boolean>()
  const ends: { readonly at: number; readonly client: Client<string> }[] = []
  const scheduler = new Scheduler<string>({
    limitsOf: () => ({ at_once: slots }),
    now: () => now,
    patience: CHECKS.patience,
  })
  const send = (name: string, first: boolean): void => {
    isFirst.set(name, first)
    const client = scheduler.open({ client: name, rank: 0, resources: ['checks'] })
    for (const refused of scheduler.ask(client, name)) {
      count.refused += 1
      if (isFirst.get(refused)) for (let n = 0; n < retries; n++) send(`${refused}.${n}`, false)
    }
  }
  const apart_ms = check_ms / slots / 2
  for (; now < load_ms; now += 1) {
    while ((ends[0]?.at ?? Number.POSITIVE_INFINITY) <= now) {
      const ended = ends.shift()
      if (ended !== undefined) scheduler.end(ended.client)
      count.answered += 1
    }
    if (now % apart_ms === 0) send(`${now}`, true)
    for (let next = scheduler.next(); next !== null; next = scheduler.next())
      ends.push({ at: now + check_ms, client: scheduler.open({ client: next, rank: 0, resources: ['checks'] }) })
  }
  return count
}

describe('the scheduler', () => {
  for (const [title, setting, script, events] of cases)
    it(title, () => assert.equal(play({ limits: one, ...setting }, script), events))

  const step = fc.oneof(
    fc.record({ does: fc.constant('ask' as const), client: fc.constantFrom('a', 'a', 'a', 'b', 'c', 'd') }),
    fc.record({ does: fc.constantFrom('end' as const, 'leave' as const), which: fc.nat(20) }),
  )

  it('starves no client: while one waits, no other has two turns', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const scheduler = new Scheduler<readonly [client: string, n: number]>({
          limitsOf: () => ({ at_once: 1 }),
          now: () => 0,
        })
        const clientOf = (client: string) => scheduler.open({ client, rank: 0, resources: ['it'] })
        const waiting: (readonly [string, number])[] = []
        let running: string | null = null
        /** Turns of others since a client began to wait or had its turn. */
        const others = new Map<string, readonly string[]>()
        for (const [n, step] of steps.entries()) {
          if (step.does === 'ask') {
            if (!waiting.some(([client]) => client === step.client)) others.set(step.client, [])
            const request = [step.client, n] as const
            waiting.push(request)
            scheduler.ask(clientOf(step.client), request)
          } else if (step.does === 'leave') {
            const [request] = waiting.splice(step.which, 1)
            if (request !== undefined) scheduler.leave(clientOf(request[0]), request)
          } else if (running !== null) {
            scheduler.end(clientOf(running))
            running = null
          }
          const next = scheduler.next()
          assert.equal(next !== null, running === null && waiting.length > 0)
          if (next === null) continue
          running = next[0]
          waiting.splice(waiting.indexOf(next), 1)
          for (const client of new Set(waiting.map(([client]) => client))) {
            const since: readonly string[] = client === running ? [] : [...(others.get(client) ?? []), running]
            assert.equal(new Set(since).size, since.length, `${client} waited for turns of ${since}`)
            others.set(client, since)
          }
        }
        assert.equal(
          scheduler.due(),
          running === null || waiting.length === 0 ? scheduler.due() : Number.POSITIVE_INFINITY,
        )
      }),
      { numRuns: 300 },
    )
  })

  it('answers as many of clients that repeat each refused request three times as of clients that do not', () => {
    const [calm, storm] = [answered(0), answered(3)]
    assert.ok(storm.refused > 3 * calm.refused, `${storm.refused} refused, ${calm.refused} without retries`)
    assert.ok(storm.answered >= calm.answered, `${storm.answered} answered, ${calm.answered} without retries`)
  })

  it('forgets resources that nobody uses', () => {
    let now = 0
    const limits = { at_once: 2, starts: 1, per_ms: 100 }
    const scheduler = new Scheduler<number>({ limitsOf: () => limits, now: () => now })
    for (; now < 10_240; now++) {
      const client = scheduler.open({ client: `${now}`, rank: 0, resources: [`${now}`] })
      scheduler.ask(client, now)
      assert.equal(scheduler.next(), now)
      scheduler.end(client)
      scheduler.close(client)
    }
    assert.ok(scheduler.size <= 1_024 + 100, `${scheduler.size} remembered`)
  })
})
