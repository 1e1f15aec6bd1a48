import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'
import { offline } from './offline.ts'

type Plain = Readonly<Record<string, unknown>>

const directory = temporaryDirectory()
const at = (name: string) => join(directory, name)
const config = offline(directory, 'name_length')
const names = at('names.txt')
const notes = at('notes.txt')
const LONG = 'a-name-that-goes-on-and-on-and-on.org'

writeFileSync(names, `# some names\nexample.com\nEXAMPLE.com.\n\nftp://x.org/\n${LONG}\n9.9.9.9\n`)

writeFileSync(notes, 'some notes\nof others\n')

const many = (output: string, ...args: readonly string[]) =>
  assay('check', '--input', names, '--output', at(output), '--config', config, '--quiet', ...args)

const recordsIn = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Plain)
const recordsOf = (output: string) => recordsIn(readFileSync(at(output), 'utf8'))
const told = (records: readonly Plain[]) =>
  records
    .map(({ line, input, domain, ip, verdict, error }) => [
      line,
      input,
      domain ?? ip,
      verdict ?? (error as Plain)['code'],
    ])
    .sort(([a], [b]) => Number(a) - Number(b))

const EXPECTED = [
  [2, 'example.com', 'example.com', 'safe'],
  [5, 'ftp://x.org/', null, 'invalid-url'],
  [6, LONG, LONG, 'suspicious'],
  [7, '9.9.9.9', '9.9.9.9', 'safe'],
]

describe('assay check --input', () => {
  it('writes one result per name and an error for an invalid line, and exits with 65', async () => {
    const { code, out, err } = await many('first.ndjson')
    assert.deepEqual([code, out], [65, ''])
    assert.deepEqual(told(recordsOf('first.ndjson')), EXPECTED)
    const summary =
      /^assay: 4 of 5 written \(0 block, 3 review, 0 allow\), 3 with low confidence, 1 repeated, 1 invalid; /m
    assert.match(err, summary)
    assert.match(err, /^assay: 1 line is not a valid target$/m)
  })

  for (const [what, code] of [
    ['suspicious', 1],
    ['malicious', 65],
    ['review', 1],
    ['incomplete', 65],
  ] as const) {
    it(`exits with ${code} for --fail-on ${what}, also for results of an earlier run`, async () => {
      assert.equal((await many('first.ndjson', '--fail-on', what)).code, code)
    })
  }

  it('reports how many targets --fail-on matched', async () => {
    assert.equal(
      (await many('first.ndjson', '--fail-on', 'review')).err.split('\n').at(-2),
      'assay: 3 targets to review or block',
    )
  })

  it('matches and counts incomplete results', async () => {
    const partly = `export default {
      name: 'partly', description: 'Sees a part.', targets: ['domain'], needs: [], signals: {},
      schema: { type: 'object', properties: {}, additionalProperties: false },
      analyze: () => ({ section: {}, signals: [], unknown: 'timeout' }),
    }`
    writeFileSync(at('partly.mjs'), partly, { mode: 0o644 })
    const { load, ...rest } = JSON.parse(readFileSync(config, 'utf8')) as { load: string[] }
    writeFileSync(at('partly.json'), JSON.stringify({ ...rest, load: [...load, './partly.mjs'] }))
    writeFileSync(at('two-names.txt'), 'a.org\nb.org\n')
    const args = ['--input', at('two-names.txt'), '--config', at('partly.json'), '--quiet']
    const { code, err } = await assay('check', ...args, '--output', at('partly.ndjson'), '--fail-on', 'incomplete')
    assert.equal(code, 1)
    assert.match(err, /2 of 2 written \(0 block, 2 review, 0 allow\), 2 incomplete, 2 with low confidence; /)
    assert.equal(err.split('\n').at(-2), 'assay: 2 targets with incomplete coverage')
  })

  it('writes a CSV summary without spreadsheet formulas', async () => {
    writeFileSync(at('risky.txt'), `=cmd|calc\nbad.org\n`)
    await assay('check', '--input', at('risky.txt'), '--config', config, '--quiet', '--csv', at('s.csv'))
    const [heading = '', ...lines] = readFileSync(at('s.csv'), 'utf8').trimEnd().split('\n')
    const columns = heading.split(',')
    const cell = (line: string | undefined, name: string) => line?.split(',')[columns.indexOf(name)]
    const [invalid, bad] = lines.sort()
    assert.deepEqual(
      ['input', 'verdict', 'error'].map(name => cell(invalid, name)),
      ["'=cmd|calc", '', 'invalid-domain'],
    )
    assert.deepEqual(
      ['line', 'domain', 'verdict', 'risk_score', 'signals'].map(name => cell(bad, name)),
      ['2', 'bad.org', 'malicious', '80', 'bad_name'],
    )
  })

  it('adds up the points of the whole score in reports of chosen sections, on standard output and in a file', async () => {
    const args = ['example.com', LONG, '--format', 'report', '--section', 'ssl_info', '--config', config, '--quiet']
    const { out } = await assay('check', ...args)
    await assay('check', ...args, '--output', at('reports.txt'))
    for (const text of [out, readFileSync(at('reports.txt'), 'utf8')]) {
      const [, report = ''] = text.split(/^(?=a-name)/m)
      const points = [...report.matchAll(/^ {0,6}([+−][\d.]+) {2}\S/gm)].map(([, one = '']) =>
        Number(one.replace('−', '-')),
      )
      const score = Number(/^ +(\d+) {2}risk score$/m.exec(report)?.[1])
      assert.equal(
        points.reduce((sum, one) => sum + one, 0),
        score,
      )
      assert.ok(score > 30)
      assert.doesNotMatch(text, /Adjusted|^Name length/m)
    }
  })

  it('writes the changes since a baseline in each record, and fails on weakened targets', async () => {
    const other = offline(directory, 'name_length', { name_length: { options: { kind: 'other' } } })
    const baseline = await assay('check', '--input', names, '--config', other, '--quiet', '--output', at('old.ndjson'))
    assert.equal(baseline.code, 65)
    writeFileSync(at('two.txt'), 'example.com\nnew.org\n')
    const args = ['--input', at('two.txt'), '--config', config, '--quiet', '--baseline', at('old.ndjson')]
    const { code, out } = await assay('check', ...args, '--fail-on', 'weakened')
    assert.equal(code, 0)
    const changes = recordsIn(out)
      .sort((a, b) => Number(a['line']) - Number(b['line']))
      .map(({ domain, changes }) => [
        domain,
        (changes as Plain[] | null)?.map(({ path, severity }) => [path, severity]) ?? null,
      ])
    assert.deepEqual(changes, [
      [
        'example.com',
        [
          ['scoring_policy', 'changed'],
          ['name_length.kind', 'changed'],
        ],
      ],
      ['new.org', null],
    ])
    const worse = readFileSync(at('old.ndjson'), 'utf8').replaceAll(
      /"signal_details":\[\{.*?\}\]/g,
      '"signal_details":[]',
    )
    writeFileSync(at('old.ndjson'), worse)
    const failing = await many('weak.ndjson', '--baseline', at('old.ndjson'), '--fail-on', 'weakened')
    assert.deepEqual([failing.code, failing.err.split('\n').at(-2)], [1, 'assay: 1 target weakened'])
  })

  const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['a target beside it', ['example.com', '--input', names], /give targets or --input, not both/],
    [
      'the address of several targets',
      ['a.org', 'b.org', '--ip', '9.9.9.9'],
      /--ip cannot be used with several targets/,
    ],
    [
      'two formats',
      ['a.org', '--json', '--format', 'csv'],
      /'-j, --json' cannot be used with option '-f, --format <name>'/,
    ],
    ['a recording as SARIF', ['--replay', notes, '-f', 'sarif'], /--replay cannot be used with --format sarif/],
    ['a summary of no targets', ['--csv', at('x.csv')], /give a domain name, an IP address or a URL/],
    [
      'one file for two ends',
      ['--input', names, '--output', at('x'), '--csv', at('./y/../x')],
      /--output and --csv are the same file/,
    ],
    ['a summary in place of the names', ['--input', names, '--sarif', names], /--input and --sarif are the same file/],
    ['a recording beside it', ['--input', names, '--record', at('x')], /--record cannot be used with --input/],
    ['weakened without a baseline', ['--input', names, '--fail-on', 'weakened'], /requires --baseline/],
    ['a baseline that is none', ['--input', names, '--baseline', notes], /is not a check result/],
    ['no number of checks', ['--input', names, '--concurrency', '0'], /whole number from 1 to 1000/],
    ['a store that is no URL', ['--input', names, '--store', 'localhost'], /--store must be a URL such as postgres:/],
    ['a store that is a Redis', ['--input', names, '--store', 'redis://host'], /--store Redis is not a store any more/],
    ['no store at all', ['--input', names, '--store'], /--store requires a URL, or a PostgreSQL store/],
    [
      'another’s file for the results',
      ['--input', names, '--output', notes],
      /line 1 is not a result; the file is unchanged/,
    ],
  ]
  for (const [what, args, message] of mistakes) {
    it(`refuses ${what} with exit code 64`, async () => {
      const { code, err } = await assay('check', ...args, '--config', config)
      assert.equal(code, 64)
      assert.match(err, message)
    })
  }

  it('exits with 69 when the store does not answer, without printing its password', async () => {
    const { code, err } = await assay(
      'check',
      '--input',
      names,
      '--config',
      config,
      '--store',
      'postgres://u:secret@127.0.0.1:1/assay',
    )
    assert.equal(code, 69)
    assert.match(err, /cannot use the store at 127\.0\.0\.1:1\/assay: /)
    assert.ok(!err.includes('secret'))
  })

  it('reads names from a pipe and writes results to another', async () => {
    const [from, to] = [at('from.pipe'), at('to.pipe')]
    execFileSync('mkfifo', [from, to])
    const [ran, text] = await Promise.all([
      assay('check', '--input', from, '--output', to, '--config', config, '--quiet'),
      readFile(to, 'utf8'),
      writeFile(from, readFileSync(names)),
    ])
    assert.equal(ran.code, 65)
    assert.deepEqual(told(recordsIn(text)), EXPECTED)
  })

  it('refuses a summary of results that it cannot read again', async () => {
    const { code, err } = await assay('check', '--input', names, '--output', '/dev/null', '--csv', at('no.csv'))
    assert.deepEqual([code, existsSync(at('no.csv'))], [64, false])
    assert.match(
      err,
      /^assay: --csv and --sarif need results that can be read again, and \/dev\/null does not keep them$/m,
    )
  })

  it('writes a summary to a pipe without replacing the pipe', async () => {
    const pipe = at('csv.pipe')
    execFileSync('mkfifo', [pipe])
    const [{ code }, text] = await Promise.all([many('piped.ndjson', '--csv', pipe), readFile(pipe, 'utf8')])
    assert.equal(code, 65)
    assert.equal(text.split('\n').length, 6)
    assert.ok(statSync(pipe).isFIFO())
  })

  it('exits with 73 without a directory for temporary files', async t => {
    const { TMPDIR } = process.env
    process.env['TMPDIR'] = at('none')
    t.after(() => (TMPDIR === undefined ? delete process.env['TMPDIR'] : Object.assign(process.env, { TMPDIR })))
    const { code, err } = await assay('check', '--input', names, '--config', config, '--quiet', '--csv', at('none.csv'))
    assert.equal(code, 73)
    assert.match(err, /^assay: ENOENT: .*, mkdtemp '\S+'$/m)
  })

  it('exits with 73 when the results cannot be written', async () => {
    const { code, err } = await assay('check', '--input', names, '--config', config, '--quiet', '--output', '/dev/full')
    assert.equal(code, 73)
    assert.match(err, /cannot write results: ENOSPC/)
  })
})
