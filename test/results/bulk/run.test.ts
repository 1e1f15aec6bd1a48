import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { found, run } from './run_lab.ts'

const names = (count: number, name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i))

const FOUND = { url: null, risk_score: 0, verdict: 'safe', recommendation: 'allow' }

describe('a run over many names', () => {
  it('counts recommendations, incomplete coverage and low confidence', async () => {
    const of: Readonly<Record<string, object>> = {
      'a.org': { confidence: 'high', coverage: { complete: true } },
      'b.org': { recommendation: 'review', confidence: 'low', coverage: { complete: false } },
      'c.org': { verdict: 'malicious', recommendation: 'block', coverage: { complete: false } },
      // From a worker of an earlier version.
      'd.org': { recommendation: undefined },
      'e.org': { verdict: 'malicious', recommendation: undefined },
    }
    const { ran } = await run({ names: Object.keys(of), check: async target => found(target, of[target.domain ?? '']) })
    const { recommendations, incomplete, unsure } = ran.tally
    assert.deepEqual([recommendations, incomplete, unsure], [{ allow: 1, review: 2, block: 2 }, 2, 1])
  })

  it('writes one record per name, with its input line', async () => {
    const { records, ran } = await run({ names: ['Example.COM', '9.9.9.9'] })
    assert.deepEqual(records, [
      { input: 'Example.COM', line: 1, domain: 'example.com', ip: null, ...FOUND },
      { input: '9.9.9.9', line: 2, domain: null, ip: '9.9.9.9', ...FOUND },
    ])
    assert.deepEqual([ran.ended, ran.tally.written, ran.tally.recommendations.allow], ['whole', 2, 2])
  })

  it('checks a name once, in any spelling and however often it is repeated', async () => {
    const { records, started, ran } = await run({
      names: ['example.com', 'EXAMPLE.com.', 'bücher.example.org', 'xn--bcher-kva.example.org', 'example.com'],
    })
    assert.deepEqual(started, ['example.com', 'xn--bcher-kva.example.org'])
    assert.equal(records.length, 2)
    assert.deepEqual([ran.tally.lines, ran.tally.duplicates], [5, 3])
  })

  it('records an invalid line once and continues', async () => {
    const { records, ran } = await run({ names: ['ftp://a.org/', 'a.org', 'localhost', 'ftp://a.org/'] })
    const byLine = [...records].sort((a, b) => a.line - b.line)
    assert.deepEqual(
      byLine.map(record => [record.line, record.input, (record['error'] as { code: string } | undefined)?.code]),
      [
        [1, 'ftp://a.org/', 'invalid-url'],
        [2, 'a.org', undefined],
        [3, 'localhost', 'target-not-checkable'],
      ],
    )
    assert.deepEqual([ran.tally.invalid, ran.tally.duplicates], [2, 1])
  })

  it('skips what an earlier run settled', async () => {
    const { started, ran } = await run({
      names: ['a.org', 'b.org', 'no target', 'c.org'],
      settled: new Set(['b.org', '!no target']),
    })
    assert.deepEqual([started, ran.tally.settled, ran.tally.written], [['a.org', 'c.org'], 2, 2])
  })

  it('runs as many checks as allowed', async () => {
    let now = 0
    let most = 0
    await run({
      names: names(40, i => `n${i}.org`),
      concurrency: 5,
      async check(target) {
        most = Math.max(most, ++now)
        await pause(2)
        now--
        return found(target)
      },
    })
    assert.equal(most, 5)
  })

  it('lets others pass a domain with thousands of names', async () => {
    const stop = new AbortController()
    const others = names(300, i => `other${i}.org`)
    const ended = new Set<string>()
    const { started, ran } = await run({
      names: [...names(3_000, i => `n${i}.crowd.com`), ...others],
      limits: { at_once: 2, pause_ms: 5_000 },
      stop: stop.signal,
      async check(target) {
        ended.add(target.domain ?? '')
        if (others.every(one => ended.has(one))) stop.abort()
        return found(target)
      },
    })
    assert.equal(ran.ended, 'stopped')
    assert.deepEqual(
      started.filter(one => one.endsWith('crowd.com')),
      ['n0.crowd.com'],
    )
  })

  it('checks every name of such a domain in the end', async () => {
    const crowd = names(1_000, i => `n${i}.crowd.com`)
    const { started } = await run({ names: crowd, limits: { at_once: 2, pause_ms: 0 } })
    assert.deepEqual(started, crowd)
  })

  it('reads ahead within its limit', async () => {
    let read = 0
    function* endless() {
      for (;;) yield `n${read++}.org`
    }
    const stop = new AbortController()
    await run({
      names: endless(),
      concurrency: 4,
      stop: stop.signal,
      async check() {
        await pause(100)
        stop.abort()
        return null
      },
    })
    assert.ok(read >= 4_096 && read <= 4_096 + 16, `${read} read`)
  })

  it('keeps few names of one domain in memory', async () => {
    const { most_waiting, started } = await run({
      names: [...names(5_000, i => `n${i}.crowd.com`), ...names(50, i => `site${i}.github.io`)],
      limits: { at_once: 2, pause_ms: 0 },
    })
    assert.equal(started.length, 5_050)
    assert.ok(most_waiting <= 64 + 50 + 400, `${most_waiting} waited in memory`)
  })

  it('writes running checks when it is stopped, and starts no others', async () => {
    const stop = new AbortController()
    let begun = 0
    const { records, ran } = await run({
      names: names(100, i => `n${i}.org`),
      concurrency: 4,
      stop: stop.signal,
      async check(target) {
        if (++begun === 4) stop.abort()
        await pause(5)
        return found(target)
      },
    })
    assert.deepEqual([ran.ended, records.length], ['stopped', 4])
  })

  it('does not record what it skipped when it was stopped', async () => {
    const stop = new AbortController()
    const { records, ran } = await run({
      names: ['a.org'],
      stop: stop.signal,
      async check() {
        stop.abort()
        return null
      },
    })
    assert.deepEqual([ran.ended, records], ['stopped', []])
  })

  it('gives up when too many consecutive names cannot be checked', async () => {
    const { records, ran } = await run({
      names: names(500, i => `n${i}.org`),
      concurrency: 1,
      check: async () => ({ ok: false, error: { code: 'analysis-unavailable', detail: 'resolver_timeout' } }),
    })
    assert.deepEqual(
      [ran.ended, ran.because, records.length, ran.tally.unavailable],
      ['unavailable', 'resolver_timeout', 32, 32],
    )
    assert.deepEqual(records[0], {
      input: 'n0.org',
      line: 1,
      domain: 'n0.org',
      ip: null,
      url: null,
      error: { code: 'analysis-unavailable', detail: 'resolver_timeout' },
    })
  })

  it('continues when only some cannot be checked', async () => {
    const { ran } = await run({
      names: names(200, i => `n${i}.org`),
      concurrency: 1,
      check: async target =>
        Number(/\d+/.exec(target.domain ?? '')?.[0]) % 20 === 0
          ? found(target)
          : { ok: false, error: { code: 'analysis-unavailable', detail: 'resolver_timeout' } },
    })
    assert.deepEqual([ran.ended, ran.tally.written], ['whole', 200])
  })

  it('rejects when a record cannot be written', async () => {
    const full = new Error('no space left')
    await assert.rejects(run({ names: names(100, i => `n${i}.org`), write: () => Promise.reject(full) }), full)
  })
})
