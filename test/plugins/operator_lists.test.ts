import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { withAllowance } from '../../plugins/operator_lists/allowance.ts'
import plugins from '../../plugins/operator_lists/index.ts'
import { readSettings } from '../../src/config/config.ts'
import type { Analyzer, Extension } from '../../src/engine/plugin.ts'
import { riskScore } from '../../src/engine/scoring/score.ts'
import type { SignalDetail } from '../../src/engine/scoring/scored.ts'
import { openOperatorLists } from '../../src/evidence/operator_lists/source.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { firstKey, serve } from '../cli/served.ts'
import { eventually } from '../service/api/service.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const [analyzer] = plugins as [Analyzer, Extension]

const detail = (id: string, points: number, floor: number | null = null): SignalDetail => ({
  id,
  section: 'reputation',
  group: 'reputation',
  severity: 'medium',
  points,
  floor,
  title: `Title of ${id}`,
  detail: `${id} was found`,
  evidence: {},
})

describe('operator_lists', () => {
  const scores: readonly [
    title: string,
    others: readonly SignalDetail[],
    score: number,
    points: number,
    says: RegExp,
  ][] = [
    ['leaves a low score as it is', [detail('a', 12)], 12, 0, /^allowed_by_operator was found$/],
    ['takes off what is above 30', [detail('a', 80)], 30, -50, /overrides a score of 80: Title of a\.$/],
    ['lowers floors', [detail('a', 10, 71)], 30, 0, /overrides a score of 71: Title of a\.$/],
    [
      'names three of those that it overrides',
      ['a', 'b', 'c', 'd', 'e'].map(id => detail(id, 20.4)),
      30,
      -72,
      /: Title of a; Title of b; Title of c; 2 more\.$/,
    ],
  ]
  for (const [title, others, score, points, says] of scores) {
    it(`allowed: ${title}`, () => {
      const details = [...others, detail('allowed_by_operator', 0)]
      const scored = withAllowance({ risk_score: riskScore(details), details })
      assert.equal(scored.risk_score, score)
      const own = scored.details.find(({ id }) => id === 'allowed_by_operator')
      assert.equal(own?.points, points)
      assert.match(own?.detail ?? '', says)
    })
  }

  it('never raises a score or leaves one above 30, and points and floors add up to it', () => {
    const others = fc.array(
      fc.record({ points: fc.integer({ min: -300, max: 1_000 }), floor: fc.option(fc.integer({ min: 0, max: 100 })) }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(others, found => {
        const details = [
          ...found.map(({ points, floor }, at) => detail(`s${at}`, points / 10, floor)),
          detail('allowed_by_operator', 0),
        ]
        const before = riskScore(details)
        const { risk_score, details: after } = withAllowance({ risk_score: before, details })
        assert.equal(risk_score, Math.min(30, before))
        assert.equal(riskScore(after), risk_score)
      }),
    )
  })

  const entry = (list: 'allow' | 'block' | null, entry: string | null, reason: string | null = null) => ({
    list,
    entry,
    reason,
    expires_at: null,
  })
  const trusted = entry('allow', 'trust.com')
  const unnamed = entry(null, null)
  const allowed = (asked: string, by = asked) => `${asked} is on the allow list of this service (${by})`
  const hop = (host: string, operator?: typeof trusted) => ({ host, lists: [], ...(operator && { operator }) })
  const hopCases: readonly [
    title: string,
    asked: string,
    own: typeof trusted,
    urls: string[],
    hops: object[],
    id: string,
    says: string,
  ][] = [
    [
      'blocks a target that redirects to a blocked host',
      'trust.com',
      unnamed,
      ['https://trust.com/', 'https://evil.com/'],
      [hop('evil.com', entry('block', 'evil.com', 'a kit'))],
      'blocked_by_operator',
      'A redirect leads to evil.com, which is on the block list of this service (evil.com): a kit',
    ],
    [
      'blocks an allowed target that redirects to a blocked host',
      'trust.com',
      trusted,
      ['https://trust.com/'],
      [hop('evil.com', entry('block', 'evil.com'))],
      'blocked_by_operator',
      'A redirect leads to evil.com, which is on the block list of this service (evil.com)',
    ],
    [
      'says of a blocked target that it is blocked itself',
      'evil.com',
      entry('block', 'evil.com'),
      ['https://evil.com/', 'https://worse.com/'],
      [hop('worse.com', entry('block', 'worse.com'))],
      'blocked_by_operator',
      'evil.com is on the block list of this service (evil.com)',
    ],
    [
      'does not allow what redirects to an allowed host',
      'short.com',
      unnamed,
      ['https://short.com/', 'https://trust.com/'],
      [hop('trust.com', trusted)],
      '',
      '',
    ],
    [
      'does not apply an allowance to the page of another host',
      'trust.com',
      trusted,
      ['https://trust.com/', 'https://evil.com/'],
      [hop('evil.com')],
      'allowed_by_operator not applied',
      'trust.com is on the allow list of this service (trust.com). The allowance is not applied, because the page is at evil.com, which is not on the list',
    ],
    [
      'allows a page below the allowed name',
      'trust.com',
      trusted,
      ['http://trust.com/', 'https://shop.trust.com/'],
      [hop('shop.trust.com', trusted)],
      'allowed_by_operator',
      allowed('trust.com'),
    ],
    [
      'allows a site that redirects to its name without www',
      'www.trust.com',
      entry('allow', 'www.trust.com'),
      ['http://www.trust.com/', 'https://trust.com/'],
      [hop('trust.com')],
      'allowed_by_operator',
      allowed('www.trust.com'),
    ],
    ['allows a target without a page', 'trust.com', trusted, [], [], 'allowed_by_operator', allowed('trust.com')],
    [
      'allows a name that an allowed address itself serves',
      '203.0.113.9',
      entry('allow', '203.0.113.0/24'),
      ['http://203.0.113.9/', 'https://ours.com/'],
      [hop('ours.com')],
      'allowed_by_operator',
      allowed('203.0.113.9', '203.0.113.0/24'),
    ],
  ]
  for (const [title, asked, own, urls, hosts, id, says] of hopCases) {
    it(title, () => {
      const isAddress = /^[\d.]+$/.test(asked)
      const parsed = parseTarget({ domain: isAddress ? null : asked, ip: isAddress ? asked : null }, unvetted)
      assert.ok(parsed.ok)
      const page = { exchanges: urls.map(url => ({ url, address: '203.0.113.9' })), failure: null }
      const evidence = { operator_lists: own, page, redirect_listings: { hosts } } as never
      const { signals = [] } = analyzer.analyze(evidence, { target: parsed.target } as never)
      const found = signals.map(one => [
        one.id + (one.evidence?.['applied'] === false ? ' not applied' : ''),
        one.detail,
      ])
      assert.deepEqual(found, id === '' ? [] : [[id, says]])
    })
  }

  it('allowed: leaves the score of a target whose allowance is not applied', () => {
    const unapplied = { ...detail('allowed_by_operator', 0), evidence: { applied: false } }
    const scored = { risk_score: 80, details: [detail('a', 80), unapplied] }
    assert.deepEqual(withAllowance(scored), scored)
  })

  it('reports invalid entries and lines at start', () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'block.txt'), 'evil.example\nhttps://evil.example/x\n')
    const lists = {
      allow: ['com', { entry: 'a.example', expires: 'soon' }],
      block: [{ file: 'block.txt' }, { file: 'none.txt' }],
    }
    const { faults } = readSettings({ lists }, directory, {})
    assert.deepEqual(
      faults.map(({ path, message }) => `${path}: ${message.replaceAll(`${directory}/`, '')}`),
      [
        'lists.allow.0: `com` is a public suffix: it would allow every name registered under it.',
        'lists.allow.1: `soon` is neither a date (2027-01-31) nor a time (RFC 3339).',
        'lists.block.0: block.txt: line 2: `https://evil.example/x`: The domain is a URL; enter only the name.',
        'lists.block.1: none.txt: no such file',
      ],
    )
  })

  it('has equal revisions for equal lists, and different ones for others', () => {
    const revision = (block: readonly string[]) => openOperatorLists({ allow: [], block }).revision()
    assert.equal(revision([]), '')
    assert.equal(revision(['evil.example']), revision(['evil.example']))
    assert.notEqual(revision(['evil.example']), revision(['worse.example']))
  })

  it('blocks and allows in the service, and reloads a replaced file', { timeout: 300_000 }, async t => {
    const directory = temporaryDirectory()
    const dns = await startLabDns({ zones: { 'fine.lab': { A: [] } } })
    t.after(() => dns.close())
    const replace = (name: string, text: string) => {
      writeFileSync(join(directory, `${name}.new`), text)
      renameSync(join(directory, `${name}.new`), join(directory, name))
    }
    replace('block.txt', 'fine.lab # a false alarm\n')
    const config = join(directory, 'config.json')
    const lists = { allow: [{ entry: 'gone.lab', reason: 'ours' }], block: [{ file: './block.txt' }] }
    const settings = {
      lists,
      server: { drain_delay_ms: 0 },
      network: { resolvers: [dns.address] },
      downloads: { enabled: false },
    }
    writeFileSync(config, JSON.stringify(settings))
    const service = serve([], { PORT: '0', ASSAY_CONFIG: config, ASSAY_DATA: join(directory, 'data') })
    t.after(async () => {
      service.signal('SIGTERM')
      await service.ended
    })
    const url = await service.url
    const ask = async (domain: string) => {
      const response = await fetch(`${url}/api/v1/check?domain=${domain}`, {
        headers: { 'X-API-Key': firstKey(service) ?? '' },
      })
      return (await response.json()) as Record<string, unknown>
    }
    const blocked = await ask('www.fine.lab')
    assert.deepEqual(
      [blocked['verdict'], blocked['risk_score'], blocked['recommendation']],
      ['malicious', 100, 'block'],
    )
    assert.equal(
      blocked['recommendation_reason'],
      'www.fine.lab is on the block list of this service (fine.lab): a false alarm.',
    )
    assert.deepEqual(blocked['operator_lists'], {
      list: 'block',
      entry: 'fine.lab',
      reason: 'a false alarm',
      expires_at: null,
    })
    const allowed = await ask('gone.lab')
    assert.deepEqual([allowed['verdict'], allowed['risk_score']], ['safe', 30])

    replace('block.txt', 'fine.lab a false alarm\n')
    await eventually(() => service.stdout().includes('line 1:') || service.stderr().includes('line 1:'))
    assert.equal((await ask('www.fine.lab'))['verdict'], 'malicious')
    replace('block.txt', 'other.lab\n')
    while ((await ask('www.fine.lab'))['verdict'] === 'malicious') await pause(50)
    assert.equal((await ask('other.lab'))['verdict'], 'malicious')
  })
})
