import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { SignalDetail } from '../../src/engine/scoring/scored.ts'
import { bySeverity } from '../../src/engine/scoring/severity.ts'
import { presentations } from '../engine/report/shipped.ts'
import { hostsNamed } from '../service/hosts.ts'
import { type Lab, startLab } from '../service/lab.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

const directory = temporaryDirectory()
const at = (name: string) => join(directory, name)
const golden = (kind: string) => join(import.meta.dirname, `../golden/recordings/${kind}.json`)

describe('assay check', () => {
  let lab: Lab
  let resultBytes: string
  before(async () => {
    lab = await startLab({ hosts: hostsNamed('secure-paypal-login.lab', 'points-inside.lab') })
    const network = { resolvers: [lab.internet.dns.address] }
    writeFileSync(at('config.json'), JSON.stringify({ network }))
    writeFileSync(at('silent.json'), JSON.stringify({ network: { resolvers: ['127.0.0.1:1'] } }))
    const { recording, result } = await lab.check({ domain: 'secure-paypal-login.lab' })
    writeFileSync(at('phishing.json'), JSON.stringify(recording))
    resultBytes = `${JSON.stringify(result)}\n`
  })
  after(() => lab.close())

  const check = (...args: readonly string[]) => assay('check', '--config', at('config.json'), ...args)

  it('prints the result as one line of JSON', async () => {
    const { code, out } = await check('NO-such-name.lab', '--json')
    const { domain, verdict, signals, cached } = JSON.parse(out) as Record<string, unknown>
    assert.deepEqual(
      [code, domain, verdict, signals, cached],
      [0, 'no-such-name.lab', 'suspicious', ['domain_not_found'], false],
    )
    assert.equal(out.indexOf('\n'), out.length - 1)
  })

  it('replays a recording to the result it was recorded with', async () => {
    const { code, out } = await check('--replay', at('phishing.json'), '--json')
    assert.deepEqual([code, out], [0, resultBytes])
  })

  it('writes a recording that replays to the same bytes', async () => {
    const live = await check('points-inside.lab', '--json', '--record', at('made/inside.json'))
    const again = await check('--json', '--replay', at('made/inside.json'))
    assert.deepEqual([live.code, again.code, again.out], [0, 0, live.out])
  })

  it('checks the page of a URL and says that it was not visited', async () => {
    const url = 'https://points-inside.lab/x?token=hidden'
    const { code, out } = await check(`${url}#y`, '--no-visit')
    const [heading, reason, , totals] = out.split('\n')
    assert.deepEqual([code, heading], [0, `${url}: review`])
    assert.match(reason ?? '', /^points-inside\.lab resolves to/)
    assert.match(totals ?? '', /confidence low$/)
    assert.match(
      out,
      /^ {2}\? Encryption and certificate, .*: not\schecked\s\(this\s+check\s+was\s+asked\s+not\s+to\s+contact/ms,
    )
  })

  const unrendered: readonly (readonly [title: string, options: readonly string[], message: RegExp])[] = [
    ['without a browser', ['points-inside.lab', '--render'], /requires rendering\.browser/],
    ['without a browser for many', ['points-inside.lab', 'a.lab', '--render'], /requires rendering\.browser/],
    ['without a visit', ['points-inside.lab', '--render', '--no-visit'], /cannot be used with --no-visit/],
    ['of a recording', ['--replay', at('phishing.json'), '--render'], /cannot be used with --replay/],
  ]
  for (const [title, options, message] of unrendered) {
    it(`refuses to render ${title}`, async () => {
      const { code, err } = await check(...options)
      assert.equal(code, 64)
      assert.match(err, message)
    })
  }

  it('records a URL without its values when asked to', async () => {
    const url = 'https://points-inside.lab/x?token=hidden'
    await check(url, '--json', '--record', at('link.json'), '--redact')
    const text = readFileSync(at('link.json'), 'utf8')
    assert.doesNotMatch(text, /hidden/)
    const { code, out } = await check('--json', '--replay', at('link.json'))
    const { url: replayed } = JSON.parse(out) as { url: string }
    assert.deepEqual([code, replayed], [0, 'https://points-inside.lab/x?token=redacted'])
  })

  it('explains the score by its signals, gravest first', async () => {
    const { out } = await check('--replay', at('phishing.json'))
    const { risk_score, signal_details } = JSON.parse(resultBytes) as {
      risk_score: number
      signal_details: SignalDetail[]
    }
    const [heading, reason, totals, threats, address, , todo, first, ...rest] = out.split('\n')
    assert.equal(heading, 'secure-paypal-login.lab: block')
    assert.equal(reason, 'secure-paypal-login.lab is listed for phishing by Spamhaus DBL.')
    assert.equal(totals, `Verdict malicious, risk ${risk_score} of 100, confidence high`)
    assert.equal(threats, 'Kind of threat: phishing')
    assert.equal(address, 'IP address: 45.130.40.40')
    assert.deepEqual([todo, first], ['What to do:', '  → Do not open it. Refuse mail, links and sign-ups that use it.'])
    const grave = [...signal_details].sort(bySeverity)
    const why = rest.slice(rest.indexOf('Why:') + 1).flatMap(line => {
      const [, severity, id] = /^ {0,6}(?:[+−][\d.]+|0) {2}(\w+) +(\w+)/.exec(line) ?? []
      return severity === undefined ? [] : [[severity, id]]
    })
    assert.deepEqual(
      why.slice(0, grave.length),
      grave.map(({ id, severity }) => [severity, id]),
    )
    assert.ok(rest.includes(`${String(risk_score).padStart(7)}  risk score`), out)
  })

  it('reports every section, without terminal control characters', async () => {
    const { out } = await check('--replay', at('phishing.json'))
    const { coverage } = JSON.parse(resultBytes) as { coverage: { sections: Record<string, unknown> } }
    for (const name of Object.keys(coverage.sections)) {
      const { title } = presentations.section(name)
      assert.match(out, new RegExp(`^${title} \\(${name}\\): |^ {2}- .*${title}`, 'm'))
    }
    assert.doesNotMatch(out, /(?!\n)\p{Control}/u)
    assert.match(
      out,
      /^coverage 100 %\n {2}- not part of this report: Link \(this applies to links only\)\nchecked .* policy /m,
    )
  })

  it('shows only the chosen sections, with the score of the complete check', async () => {
    const whole = JSON.parse(resultBytes) as Record<string, unknown>
    const { out } = await check('--replay', at('phishing.json'), '--json', '--section', 'ssl_info,cookies')
    const { signal_details, coverage, ...shown } = JSON.parse(out) as Record<string, unknown> & {
      signal_details: SignalDetail[]
      coverage: { sections: Record<string, unknown> }
    }
    assert.deepEqual([shown['risk_score'], shown['ssl_info']], [whole['risk_score'], whole['ssl_info']])
    assert.deepEqual(Object.keys(coverage.sections), ['ssl_info', 'cookies'])
    assert.ok(signal_details.length > 0 && signal_details.every(({ section }) => section === 'ssl_info'))
    assert.ok(!('dns_security' in shown) && !('site_content' in shown))
    const text = (await check('--replay', at('phishing.json'), '--section', 'ssl_info', '--section', 'cookies')).out
    assert.match(text, /^Encryption and certificate \(ssl_info\): High, \+20 points$/m)
    assert.match(text, /^ +\+\d+ {2}high {6}lookalike_domain /m)
    assert.doesNotMatch(text, /^Reputation/m)
  })

  for (const [least, target, code] of [
    ['suspicious', ['no-such-name.lab'], 1],
    ['malicious', ['--replay', at('phishing.json')], 1],
    ['review', ['points-inside.lab'], 1],
    ['review', ['--replay', golden('shop')], 0],
    ['incomplete', ['--replay', golden('shop')], 0],
    ['incomplete', ['--replay', golden('challenge')], 1],
  ] as const) {
    it(`exits with ${code} for ${target.at(-1)?.split('/').at(-1)} and --fail-on ${least}, after printing the result`, async () => {
      const ran = await check(...target, '--json', '--fail-on', least)
      assert.deepEqual([ran.code, typeof JSON.parse(ran.out)], [code, 'object'])
    })
  }

  it('reports what --fail-on matched', async () => {
    const said = async (what: string, ...args: readonly string[]) =>
      (await check(...args, '--json', '--fail-on', what)).err
    const inside = await said('review', 'points-inside.lab')
    assert.equal(inside.split('\n').at(-2), 'assay: the recommendation is review')
    const unseen = await said('incomplete', '--replay', golden('challenge'))
    assert.equal(unseen, 'assay: the coverage is incomplete\n')
  })

  it('never recommends both to allow a target and not to open it', async () => {
    const { out } = await check('points-inside.lab')
    const [heading, reason] = out.split('\n')
    assert.equal(heading, 'points-inside.lab: review')
    assert.match(reason ?? '', /^points-inside\.lab resolves to 127\.0\.0\.1, which is not a public address\.$/)
    assert.match(out, /Do\s+not\s+open\s+it/)
    assert.doesNotMatch(out, /allow/i)
  })

  it('exits with 75 and no verdict when nothing could be checked', async () => {
    const { code, out, err } = await assay('check', 'example.com', '--config', at('silent.json'))
    assert.deepEqual([code, out], [75, ''])
    assert.match(
      err,
      /^assay: The DNS resolver is down since \S+: nothing listens on its port, or no route leads to it\. No verdict is given\.$/m,
    )
  })

  it('exits with 73 when it cannot write the recording, after printing the result', async () => {
    const { code, out, err } = await check('points-inside.lab', '--record', '/dev/null/x.json')
    assert.equal(code, 73)
    assert.match(out, /^points-inside\.lab: review\n/)
    assert.match(err, /cannot write \/dev\/null\/x\.json/)
  })

  const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['no target', [], /give a domain name, an IP address or a URL/],
    ['a single label', ['localhost'], /^assay: localhost: The domain is a single label\.$/m],
    ['a URL at an address', ['https://example.com/', '--ip', '8.8.8.8'], /--ip requires a domain name/],
    ['to redact what is not recorded', ['example.com', '--redact'], /--redact requires --record/],
    [
      'a section nobody has',
      ['example.com', '--section', 'cookie'],
      /unknown section "cookie"; did you mean "cookies"\?/,
    ],
    ['two addresses', ['9.9.9.9', '--ip', '8.8.8.8'], /--ip requires a domain name/],
    [
      'a target beside a recording',
      ['example.com', '--replay', at('phishing.json')],
      /the recording contains the target/,
    ],
    ['a recording that is not there', ['--replay', at('none.json')], /^assay: \S+none\.json: no such file$/m],
    ['a directory for a recording', ['--replay', directory], /^assay: \S+: is a directory$/m],
    ['a baseline that is not there', ['example.com', '--baseline', at('none.json')], /none\.json: no such file$/m],
    ['a recording that is none', ['--replay', at('config.json')], /`format` must be 1/],
  ]
  for (const [what, args, message] of mistakes) {
    it(`refuses ${what} with exit code 64`, async () => {
      const { code, out, err } = await check(...args)
      assert.deepEqual([code, out], [64, ''])
      assert.match(err, message)
    })
  }

  it('names a plugin that fails, and continues without it', async () => {
    const load = [join(import.meta.dirname, '../fixtures/plugins/storm.js')]
    writeFileSync(
      at('storm.json'),
      readFileSync(at('config.json'), 'utf8').replace('{', `{"load":${JSON.stringify(load)},`),
    )
    const { code, out, err } = await assay('check', 'points-inside.lab', '--config', at('storm.json'))
    assert.equal(code, 0)
    assert.match(
      out,
      /^ {2}\? Storm: missing because of a fault in this service \(a\s+plugin\s+of\s+this\s+service\s+failed\)$/m,
    )
    assert.match(err, /^assay: storm failed at analyze: Error: struck by lightning$/m)
  })

  it('lists all configuration errors and exits with 78', async () => {
    writeFileSync(
      at('faulty.json'),
      JSON.stringify({ sever: {}, network: { resolvers: ['x'] }, plugins: { ssl_inf: false }, load: ['./none.js'] }),
    )
    const { code, out, err } = await assay('check', 'example.com', '--config', at('faulty.json'))
    assert.deepEqual([code, out], [78, ''])
    const paths = err.split('\n').map(line => line.trim().split(':')[0])
    assert.deepEqual(paths, ['assay', 'sever', 'network.resolvers.0', 'load.0', 'plugins.ssl_inf', ''])
  })
})
