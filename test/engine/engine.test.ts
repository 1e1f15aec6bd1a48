import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CpuQueue } from '../../src/base/cpu_queue.ts'
import { type Instruments, PROVED_INSTRUMENTS, type Standing } from '../../src/base/health/standing.ts'
import { AnalysisUnavailable, Cancelled } from '../../src/engine/analysis.ts'
import type { Extension } from '../../src/engine/plugin.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../../src/evidence/facts.ts'
import moon from '../fixtures/plugins/moon.js'
import { analyzerNamed, EXAMPLE, engineOf, settings } from './engine_of.ts'

type Coverage = {
  complete: boolean
  ratio: number
  sections: Record<string, { status: string; reason: string | null }>
}

const coverageOf = (result: Readonly<Record<string, unknown>>) => result['coverage'] as Coverage

const throwing = (error: Error) => () => {
  throw error
}

/** Status and reason of one section next to a healthy one. */
async function outcomeOf(plugin: { name: string }, evidence: Record<string, unknown> = {}) {
  const { result } = await engineOf([analyzerNamed('healthy'), plugin], { evidence, deadline_ms: 400 }).check(EXAMPLE)
  const coverage = coverageOf(result)
  assert.equal(coverage.sections['healthy']?.status, 'completed')
  assert.deepEqual(result['healthy'], { ok: true })
  const { status, reason } = coverage.sections[plugin.name] ?? {}
  return { status, reason, section: result[plugin.name] }
}

describe('a check', () => {
  it('composes head, sections in registration order, coverage', async () => {
    const { result, class: kept } = await engineOf([moon, analyzerNamed('another')]).check(EXAMPLE)
    assert.deepEqual(result, {
      result_id: null,
      domain: 'example.com',
      ip: null,
      url: null,
      final_url: null,
      host_verdict: null,
      risk_score: 12,
      verdict: 'safe',
      is_malicious: false,
      threat_types: [],
      recommendation: 'allow',
      recommendation_reason: 'No serious risk was found, and all deciding evidence was seen.',
      confidence: 'high',
      signals: ['full_moon'],
      signal_details: [
        {
          id: 'full_moon',
          section: 'moon_phase',
          group: 'content',
          severity: 'medium',
          points: 12,
          floor: null,
          threat_types: [],
          title: 'The moon is full',
          detail: 'It is full.',
          evidence: {},
        },
        {
          id: 'moonlit',
          section: 'moon_phase',
          group: 'network',
          severity: 'info',
          points: 0,
          floor: null,
          threat_types: [],
          title: 'There is moonlight',
          detail: null,
          evidence: {},
        },
      ],
      moon_phase: { addresses: 1, phase: 'full' },
      another: { ok: true },
      coverage: {
        complete: true,
        ratio: 1,
        sections: {
          moon_phase: { status: 'completed', reason: null, duration_ms: 0 },
          another: { status: 'completed', reason: null, duration_ms: 0 },
        },
      },
      scoring_policy: 'test',
      checked_at: '2026-11-20T12:00:00Z',
    })
    assert.equal(kept, 'complete')
  })

  it('tells a gatherer that the result should not wait for when the rest of the evidence is in', async () => {
    const settled: string[] = []
    const arrives = (name: string, wait: (context: GatherContext) => Promise<unknown>) => (context: GatherContext) =>
      wait(context).then(() => {
        settled.push(name)
        return { from: name }
      })
    const gatherers: Extension = {
      name: 'waits',
      description: 'Evidence that waits.',
      apply(hooks) {
        const patient = arrives('icon', async ({ rest }) => rest?.('icon'))
        const slow = arrives('tls', () => new Promise(resolve => setTimeout(resolve, 20)))
        const reading = arrives('page', ({ gather }) => gather('tls'))
        for (const [name, gather] of Object.entries({ icon: patient, tls: slow, page: reading }))
          hooks.gather.for(name).tapPromise({ name: 'waits', stage: -1 }, gather as never)
      },
    }
    const plugins = ['icon', 'tls', 'page'].map(name => analyzerNamed(`of_${name}`, { needs: [name] }))
    const { result } = await engineOf([gatherers, ...plugins]).check(EXAMPLE)
    assert.equal(coverageOf(result).complete, true)
    assert.deepEqual(settled, ['tls', 'page', 'icon'])
  })

  it('reports how long the evidence and the analysis of a section took', async () => {
    let at = 0
    const taking = (ms: number, value: object) => () => {
      at += ms
      return value
    }
    const one = analyzerNamed('one', {
      needs: ['tls'],
      analyze: taking(20, { section: { ok: true }, signals: [] }),
    })
    const clock = { now: () => 0, monotonic: () => at }
    const { result } = await engineOf([one], { evidence: { tls: taking(300, {}) }, clock }).check(EXAMPLE)
    assert.deepEqual(coverageOf(result).sections, { one: { status: 'completed', reason: null, duration_ms: 320 } })
  })

  it('gives the same bytes for the same evidence in any order', async () => {
    const slow = (name: string, ms: number) => analyzerNamed(name, { needs: [`${name}_data`], ms })
    const run = async (a: number, b: number) => {
      const wait = (ms: number) => () => new Promise(resolve => setTimeout(resolve, ms, {}))
      const evidence = { first_data: wait(a), second_data: wait(b) }
      const engine = engineOf([slow('first', a), slow('second', b)], { evidence })
      return JSON.stringify(await engine.check(EXAMPLE))
    }
    assert.equal(await run(0, 20), await run(20, 0))
  })

  it('takes options and weights from the settings', async () => {
    const tuned = settings({ moon_phase: { options: { phase: 'full' }, weights: { full_moon: 40 } } })
    const { result } = await engineOf([moon], { settings: tuned }).check(EXAMPLE)
    assert.equal(result['risk_score'], 40)
    assert.equal(result['verdict'], 'suspicious')
  })

  it('names the threats of signals that the ceiling of their group left without points', async () => {
    const low = { ...settings({ moon_phase: { options: { phase: 'full' } } }), groups: { content: 0, network: 30 } }
    const { result } = await engineOf([moon], { settings: low }).check(EXAMPLE)
    assert.deepEqual([result['risk_score'], result['signals']], [0, ['full_moon']])
  })

  it('makes a disabled section null, leaves it out of coverage and gathers nothing for it', async () => {
    let gathered = 0
    const needy = analyzerNamed('needy', { needs: ['costly'] })
    const evidence = { costly: () => ++gathered }
    const engine = engineOf([needy, analyzerNamed('other')], { settings: settings({ needy: false }), evidence })
    const { result } = await engine.check(EXAMPLE)
    assert.equal(result['needy'], null)
    assert.deepEqual(Object.keys(coverageOf(result).sections), ['other'])
    assert.equal(gathered, 0)
  })

  it('gathers each kind of evidence once, however many need it', async () => {
    let gathered = 0
    const evidence = { shared: () => ({ count: ++gathered }) }
    const plugins = ['one', 'two', 'three'].map(name => analyzerNamed(name, { needs: ['shared'] }))
    await engineOf(plugins, { evidence }).check(EXAMPLE)
    assert.equal(gathered, 1)
  })

  it('shows an analyzer only what it declared, frozen all the way down', async () => {
    let seen: Record<string, { deep: { list: number[] } }> = {}
    const spy = analyzerNamed('spy', {
      needs: ['shared'],
      analyze: (evidence: typeof seen) => {
        seen = evidence
        return { section: { ok: true }, signals: [] }
      },
    })
    await engineOf([spy, moon], { evidence: { shared: { deep: { list: [1] } } } }).check(EXAMPLE)
    assert.deepEqual(Object.keys(seen), ['shared'])
    assert.throws(() => seen['shared']?.deep.list.push(2), TypeError)
  })

  const wanted: [title: string, gather: () => unknown, unknown: string | null | undefined, reason: string | null][] = [
    ['says so', throwing(new Unavailable('timeout')), undefined, 'missing_timeout'],
    ['says what it says itself', throwing(new Unavailable('timeout')), 'no_moon', 'no_moon'],
    ['says that it lacks nothing', throwing(new Unavailable('timeout')), null, null],
    ['says that a gatherer failed', throwing(new Error('a defect')), undefined, 'missing_gatherer_failed'],
    ['says it in a slug', throwing(new Unavailable('x'.repeat(64))), undefined, `missing_${'x'.repeat(56)}`],
    ['lacks nothing that is not installed', throwing(new Unavailable('not_configured')), undefined, null],
    ['lacks nothing that there is not', throwing(new NotApplicable('no_moon')), undefined, null],
  ]
  for (const [title, missing, unknown, reason] of wanted) {
    it(`passes null for missing optional evidence: the section ${title}`, async () => {
      const wanting = analyzerNamed('wanting', {
        wants: ['missing'],
        analyze: ({ missing }: { missing: unknown }) => ({
          section: { ok: missing === null },
          signals: [],
          ...(unknown === undefined ? {} : { unknown }),
        }),
      })
      assert.deepEqual(await outcomeOf(wanting, { missing }), { status: 'completed', reason, section: { ok: true } })
    })
  }

  const kept: [title: string, finding: object, reason: string | null, kept: string][] = [
    ['lacks nothing', {}, null, 'complete'],
    ['lacks what the next check may see', { unknown: 'feeds_loading' }, 'feeds_loading', 'incomplete'],
    ['lacks an answer while our instruments work', { unknown: 'timeout' }, 'timeout', 'withheld'],
    ['lacks what the target withholds', { unknown: 'page_withheld' }, 'page_withheld', 'withheld'],
    ['lacks what a source withholds', { unknown: 'list_paused' }, 'list_paused', 'withheld'],
    ['lacks something for a reason nobody knows', { unknown: 'no_moon' }, 'no_moon', 'incomplete'],
  ]
  for (const [title, finding, reason, expected] of kept) {
    it(`has the class ${expected} when its section ${title}, and says so`, async () => {
      const partial = analyzerNamed('partial', { analyze: () => ({ section: { ok: true }, signals: [], ...finding }) })
      const { result, class: kind } = await engineOf([partial]).check(EXAMPLE)
      const { complete, ratio, sections } = coverageOf(result)
      assert.deepEqual([sections['partial']?.reason, kind], [reason, expected])
      assert.deepEqual([complete, ratio], reason === null ? [true, 1] : [false, 0.5])
    })
  }

  const down: Standing = { state: 'down', fault: 'timeout', since: 0 }
  const without = (part: Partial<Instruments>): Instruments => ({ ...PROVED_INSTRUMENTS, ...part })
  const unresolved = { addresses: throwing(new Unavailable('resolver_timeout')) }

  it('rejects when a resolver that is down did not resolve the name, and never calls it safe', async () => {
    const instruments = without({ resolver: () => down })
    await assert.rejects(
      engineOf([moon, analyzerNamed('local')], { evidence: unresolved, instruments }).check(EXAMPLE),
      error => error instanceof AnalysisUnavailable && error.reason === 'resolver_timeout',
    )
  })

  it('answers when the resolver is proved and the name’s own servers are silent', async () => {
    const { result } = await engineOf([moon], { evidence: unresolved }).check(EXAMPLE)
    assert.deepEqual(coverageOf(result).sections['moon_phase'], {
      status: 'unavailable',
      reason: 'resolver_timeout',
      duration_ms: 0,
    })
  })

  it('has the suspect instrument proved after a failure', async () => {
    const suspected: unknown[] = []
    const suspect: Instruments['suspect'] = async (...suspicion) => void suspected.push(suspicion)
    const tls = throwing(new Unavailable('connect_timeout'))
    const evidence = { addresses: { status: 'found', dialable: [{ address: '192.0.2.1' }] }, tls }
    const both = analyzerNamed('both', { needs: ['addresses'], wants: ['tls'] })
    const { result } = await engineOf([both], { evidence, instruments: without({ suspect }) }).check(EXAMPLE)
    assert.equal(result['verdict'], 'safe')
    assert.deepEqual(suspected, [['way_out', ['192.0.2.1']]])
  })

  it('rejects when a gatherer’s defect left nothing to analyze', async () => {
    await assert.rejects(
      engineOf([moon, analyzerNamed('local')], { evidence: { addresses: null } }).check(EXAMPLE),
      error => error instanceof AnalysisUnavailable && error.reason === 'gatherer_failed',
    )
  })

  it('reports a confirmed listing whichever instrument is down', async () => {
    const listed = analyzerNamed('listed', {
      signals: { found: { weight: 80, group: 'reputation', title: 'Listed', floor: 71 } },
      analyze: () => ({ section: { ok: true }, signals: [{ id: 'found' }] }),
    })
    const instruments = without({ resolver: () => down, wayOut: () => down })
    const { result } = await engineOf([moon, listed], { evidence: unresolved, instruments }).check(EXAMPLE)
    assert.equal(result['verdict'], 'malicious')
    assert.equal(coverageOf(result).complete, false)
  })

  it('gives a name that does not exist a class of its own', async () => {
    const evidence = {
      addresses: () => {
        throw new NotApplicable('domain_not_found')
      },
    }
    const { class: kept, result } = await engineOf([moon], { evidence }).check(EXAMPLE)
    assert.equal(kept, 'not_found')
    assert.equal(coverageOf(result).complete, true)
  })

  it('is complete when it lacks only a source that is not configured', async () => {
    const evidence = {
      places: () => {
        throw new Unavailable('not_configured')
      },
    }
    const plugins = [moon, analyzerNamed('place', { needs: ['places'] })]
    const { class: kept, result } = await engineOf(plugins, { evidence }).check(EXAMPLE)
    const { complete, ratio, sections } = coverageOf(result)
    assert.deepEqual([complete, ratio, kept], [true, 1, 'complete'])
    assert.equal(sections['place']?.reason, 'not_configured')
  })

  it('rejects at once when it is cancelled, and closes its network scope', async () => {
    const controller = new AbortController()
    let scope: AbortSignal | undefined
    const open = ({ signal }: { signal: AbortSignal }) => {
      scope = signal
      return {} as never
    }
    const engine = engineOf([moon], { evidence: { addresses: () => new Promise(() => {}) }, open })
    const check = engine.check(EXAMPLE, { signal: controller.signal })
    controller.abort()
    await assert.rejects(check, Cancelled)
    assert.equal(scope?.aborted, true)
  })

  it('counts the CPU of its analyzers as that of its client', async () => {
    const clients: string[] = []
    const cpu = new CpuQueue()
    const open = (client: string) => {
      clients.push(client)
      return cpu.open(client)
    }
    const engine = engineOf([moon], { cpu: { open } })
    await engine.check(EXAMPLE, { client: 'key 7' })
    await engine.check(EXAMPLE)
    assert.deepEqual(clients, ['key 7', ''])
  })

  it('has unavailable sections for analyzers that get no CPU until its end', async () => {
    const cpu = new CpuQueue({ nextTurn: () => {} })
    const other = cpu.open('other')
    // No other turn of the event loop begins, and this one is used up.
    void other.run(() => waitFor(6))
    void other.run(() => {})
    const plugins = [analyzerNamed('reader', { needs: ['addresses'] }), analyzerNamed('another', { targets: ['ip'] })]
    const { result } = await engineOf(plugins, { cpu, deadline_ms: 300 }).check(EXAMPLE)
    const { status, reason } = coverageOf(result).sections['reader'] ?? {}
    assert.deepEqual([status, reason], ['unavailable', 'not_analysed'])
    // What nobody analysed has not been seen.
    assert.deepEqual([result['confidence'], result['recommendation']], ['low', 'review'])
    assert.match(String(result['recommendation_reason']), /the service ran out of time before it analysed it/)
    const alone = engineOf(plugins.slice(0, 1), { cpu, deadline_ms: 300 })
    await assert.rejects(alone.check(EXAMPLE), new AnalysisUnavailable({ reason: 'not_analysed' }))
  })
})

function waitFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const NOTICED = { noticed: { weight: 1, group: 'content', title: 'Something was noticed' } }

describe('a faulty plugin loses its own section and nothing else', () => {
  const boom = () => {
    throw new Error('boom')
  }
  const returning = (finding: unknown) => ({ analyze: () => finding })
  const cyclic: Record<string, unknown> = { ok: true }
  cyclic['self'] = cyclic
  const cases: { title: string; parts: Record<string, unknown>; status: string; reason: string }[] = [
    { title: 'when it throws', parts: { analyze: boom }, status: 'failed', reason: 'threw' },
    {
      title: 'when its section breaks its schema',
      parts: returning({ section: { ok: 'yes' }, signals: [] }),
      status: 'failed',
      reason: 'invalid_section',
    },
    {
      title: 'when its section has a member too many',
      parts: returning({ section: { ok: true, x: 1 }, signals: [] }),
      status: 'failed',
      reason: 'invalid_section',
    },
    { title: 'when it returns nothing', parts: returning(undefined), status: 'failed', reason: 'not_a_finding' },
    { title: 'when it returns null', parts: returning(null), status: 'failed', reason: 'not_a_finding' },
    {
      title: 'when it returns a promise',
      parts: returning(new Promise(() => {})),
      status: 'failed',
      reason: 'not_a_finding',
    },
    {
      title: 'when its section is no JSON',
      parts: returning({ section: cyclic, signals: [] }),
      status: 'failed',
      reason: 'threw',
    },
    {
      title: 'when its section is enormous',
      parts: returning({ section: { text: 'x'.repeat(40_000) }, signals: [] }),
      status: 'failed',
      reason: 'finding_too_large',
    },
    {
      title: 'when it returns a signal it did not declare',
      parts: returning({ section: { ok: true }, signals: [{ id: 'surprise' }] }),
      status: 'failed',
      reason: 'invalid_signal',
    },
    ...[
      ['a list', 'surprise'],
      ['of objects', [null]],
      ['a name', [{ id: 5 }]],
      ['declared once', [{ id: 'noticed' }, { id: 'noticed' }]],
      ['a share of their weight', [{ id: 'noticed', strength: 2 }]],
      ['told in text', [{ id: 'noticed', detail: 5 }]],
      ['of kinds that there are', [{ id: 'noticed', threat_types: ['witchcraft'] }]],
      ['shown by plain data', [{ id: 'noticed', evidence: 'see for yourself' }]],
    ].map(([what, signals]) => ({
      title: `when its signals are not ${what}`,
      parts: { signals: NOTICED, ...returning({ section: { ok: true }, signals }) },
      status: 'failed',
      reason: 'invalid_signal',
    })),
    {
      title: 'when what shows its signals is no JSON',
      parts: {
        signals: NOTICED,
        ...returning({ section: { ok: true }, signals: [{ id: 'noticed', evidence: cyclic }] }),
      },
      status: 'failed',
      reason: 'threw',
    },
    {
      title: 'when its signals are enormous',
      parts: {
        signals: NOTICED,
        ...returning({ section: { ok: true }, signals: [{ id: 'noticed', detail: 'x'.repeat(40_000) }] }),
      },
      status: 'failed',
      reason: 'finding_too_large',
    },
    ...[
      { unavailable: 5 },
      { notApplicable: 'x'.repeat(65) },
      { section: { ok: true }, signals: [], unknown: 'a b' },
    ].map(finding => ({
      title: `when the reason in ${JSON.stringify(finding).slice(0, 40)} is no slug`,
      parts: returning(finding),
      status: 'failed',
      reason: 'invalid_reason',
    })),
    {
      title: 'when its gatherer declines with classes of its own',
      parts: { needs: ['foreign'] },
      status: 'unavailable',
      reason: 'closed_on_sundays',
    },
    {
      title: 'when its gatherer declines without a reason',
      parts: { needs: ['wordless'] },
      status: 'failed',
      reason: 'gatherer_failed',
    },
    {
      title: 'when it needs evidence whose gatherer breaks',
      parts: { needs: ['broken'] },
      status: 'failed',
      reason: 'gatherer_failed',
    },
    {
      title: 'when its gatherer answers null, which shows nothing',
      parts: { needs: ['nought'] },
      status: 'failed',
      reason: 'gatherer_failed',
    },
    {
      title: 'when it needs evidence that never settles',
      parts: { needs: ['endless'] },
      status: 'unavailable',
      reason: 'deadline',
    },
    {
      title: 'when it needs evidence nobody gathers',
      parts: { needs: ['green_hosting'] },
      status: 'failed',
      reason: 'gatherer_failed',
    },
    { title: 'when we could not look', parts: { needs: ['silent'] }, status: 'unavailable', reason: 'timeout' },
    {
      title: 'when there is nothing to look at',
      parts: { needs: ['absent'] },
      status: 'not_applicable',
      reason: 'no_web',
    },
    {
      title: 'when the target is not of its kind',
      parts: { targets: ['ip'] },
      status: 'not_applicable',
      reason: 'domain_target',
    },
  ]
  const evidence = {
    broken: boom,
    foreign: () => {
      throw Object.assign(new Error('closed'), { name: 'Unavailable', reason: 'closed_on_sundays' })
    },
    wordless: () => {
      throw Object.assign(new Error('closed'), { name: 'Unavailable' })
    },
    nought: () => null,
    endless: () => new Promise(() => {}),
    silent: () => {
      throw new Unavailable('timeout')
    },
    absent: () => {
      throw new NotApplicable('no_web')
    },
  }
  for (const { title, parts, status, reason } of cases) {
    it(title, async () => {
      const outcome = await outcomeOf(analyzerNamed('culprit', parts), evidence)
      assert.deepEqual(outcome, { status, reason, section: null })
    })
  }

  it('lowers the coverage and shortens the cache lifetime', async () => {
    const plugins = [analyzerNamed('healthy'), analyzerNamed('culprit', { analyze: boom })]
    const { result, class: kept } = await engineOf(plugins).check(EXAMPLE)
    assert.equal(coverageOf(result).complete, false)
    assert.equal(coverageOf(result).ratio, 0.5)
    assert.equal(kept, 'incomplete')
  })
})
