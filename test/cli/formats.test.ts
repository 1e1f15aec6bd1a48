// The formats of results, for one target and for several.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { run } from '../../src/cli/program.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'
import { offline } from './offline.ts'

type Plain = Readonly<Record<string, unknown>>

const directory = temporaryDirectory()
const at = (name: string) => join(directory, name)
const config = offline(directory, 'name_length')
const LONG = 'a-name-that-goes-on-and-on-and-on.org'
const TARGETS = ['example.com', LONG, 'ftp://x.org/', '9.9.9.9']

const check = (...args: readonly string[]) => assay('check', '--config', config, '--quiet', ...args)
const lines = (text: string) => text.split('\n').slice(0, -1)
const said = (record: Plain) => record['domain'] ?? record['ip'] ?? (record['error'] as Plain)['code']
/** What differs between two checks of a target, and what is made from that. */
const VARYING =
  /"(?:process_time|duration)_ms":\d+|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)|"timestamp":"\d+"|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g
const EVERY = ['example.com', LONG, 'invalid-url', '9.9.9.9'].sort()

describe('assay check with several targets', () => {
  it('prints one line for each, and exits like a list', async () => {
    const { code, out, err } = await check(...TARGETS)
    assert.equal(code, 65)
    assert.deepEqual(lines(out).sort(), [
      'error     -  ftp://x.org/: The url does not start with http:// or https://; only these schemes can be checked.',
      'review    0  9.9.9.9: No deciding evidence was seen.',
      'review    0  example.com: No deciding evidence was seen.',
      `review   40  ${LONG}: =The name has ${LONG.length} characters.`,
    ])
    assert.match(err, /^assay: 4 of 4 written \(0 block, 3 review, 0 allow\)/m)
  })

  it('cuts lines at the width of a terminal', async () => {
    let out = ''
    const write = (text: string) => {
      out += text
    }
    await run(['check', '--config', config, '--color', 'never', LONG, 'example.com'], {
      out: write,
      err: () => {},
      columns: 40,
    })
    assert.deepEqual(lines(out).sort(), [
      'review    0  example.com: No deciding e…',
      'review   40  a-name-that-goes-on-and-on…',
    ])
  })

  it('prints a table in the order of the targets', async () => {
    assert.deepEqual(lines((await check('-f', 'table', ...TARGETS)).out), [
      'TARGET                                 RECOMMENDATION  RISK  VERDICT     CONFIDENCE  SIGNALS',
      'example.com                            review          0     safe        low',
      `${LONG}  review          40    suspicious  low         long_name`,
      'ftp://x.org/                           error           -     -           -           invalid-url',
      '9.9.9.9                                review          0     safe        low',
    ])
  })

  it('prints complete reports, separated by an empty line', async () => {
    const { out } = await check('--format', 'report', 'example.com', LONG)
    assert.deepEqual(out.match(/(?<=^|\n\n).*: review$/gm)?.sort(), [`${LONG}: review`, 'example.com: review'].sort())
  })

  const machine: readonly (readonly [format: string, read: (text: string) => readonly Plain[]])[] = [
    ['json', text => JSON.parse(text) as Plain[]],
    ['ndjson', text => lines(text).map(line => JSON.parse(line) as Plain)],
  ]
  for (const [format, read] of machine) {
    it(`prints ${format} with a record for each`, async () => {
      const records = read((await check('-f', format, ...TARGETS)).out)
      assert.deepEqual(records.map(said).sort(), EVERY)
      assert.deepEqual(records.map(({ input }) => input).sort(), [...TARGETS].sort())
    })
  }

  it('prints CSV with a heading', async () => {
    const [heading, ...rows] = lines((await check('-f', 'csv', ...TARGETS)).out)
    assert.match(heading ?? '', /^line,input,domain,/)
    assert.deepEqual(rows.map(row => row.split(',')[0]).sort(), ['1', '2', '3', '4'])
  })

  it('prints SARIF', async () => {
    const { out } = await check('-f', 'sarif', ...TARGETS)
    const { runs } = JSON.parse(out) as { runs: readonly { results: readonly { ruleId: string }[] }[] }
    assert.equal(runs[0]?.results.filter(({ ruleId }) => ruleId === 'recommendation/review').length, 3)
  })

  const exchanged: readonly (readonly [format: string, read: (line: Plain) => unknown])[] = [
    ['stix', ({ objects }) => (objects as Plain[]).find(({ type }) => type === 'note')?.['abstract']],
    ['misp', ({ Event }) => String((Event as Plain)['info']).replace(/ \(.*/, '')],
  ]
  for (const [format, read] of exchanged) {
    it(`prints ${format} on a line for each result, and none for what could not be checked`, async () => {
      const { code, out, err } = await check('-f', format, ...TARGETS)
      const titles = lines(out).map(line => read(JSON.parse(line) as Plain))
      assert.deepEqual(titles.sort(), [
        'Safe IP address 9.9.9.9',
        'Safe domain name example.com',
        `Suspicious domain name ${LONG}`,
      ])
      assert.equal(code, 65)
      assert.match(err, /, 1 invalid; /)
    })

    it(`prints ${format} for one target as for several, and marks it as configured`, async () => {
      const marked = at(`${format}-config.json`)
      const { load, plugins } = JSON.parse(readFileSync(config, 'utf8')) as Plain
      writeFileSync(marked, JSON.stringify({ load, plugins, exchange: { tlp: 'red' } }))
      const { code, out } = await assay('check', '--config', marked, '-f', format, 'example.com')
      assert.equal(code, 0)
      assert.equal(lines(out).length, 1)
      assert.match(out, /TLP:RED|"tlp:red"/)
    })
  }

  for (const format of ['brief', 'table', 'json', 'csv', 'sarif', 'stix', 'misp']) {
    it(`writes to a file what it prints as ${format}`, async () => {
      const file = at(`out.${format}`)
      const printed = await check('-f', format, 'example.com', '--no-visit')
      const { out, code } = await check('-f', format, 'example.com', '--no-visit', '-o', file)
      assert.deepEqual([code, out], [0, ''])
      const same = (text: string) => text.replaceAll(VARYING, '')
      assert.equal(same(readFileSync(file, 'utf8')), same(printed.out))
    })
  }

  it('appends to a file without a format, and checks nothing twice', async () => {
    const file = at('journal.ndjson')
    assert.equal((await check('-o', file, 'example.com')).code, 0)
    const { err } = await check('-o', file, 'example.com', '9.9.9.9')
    assert.match(err, /1 of 2 written .*1 done before/)
    assert.deepEqual(
      lines(readFileSync(file, 'utf8')).map(line => said(JSON.parse(line) as Plain)),
      ['example.com', '9.9.9.9'],
    )
  })

  it('prints an empty array for an empty list', async () => {
    writeFileSync(at('empty.txt'), '')
    assert.equal((await check('--input', at('empty.txt'), '--json')).out, '[]\n')
  })

  it('writes a line of text for each, which no value of a target can leave', async () => {
    const template = '{{input}}: {{recommendation}} {{risk_score}} {{signal_details.id}} {{error.code}}'
    const { code, out } = await check('--template', template, ...TARGETS, 'ftp://\u001b[31m/')
    assert.equal(code, 65)
    assert.deepEqual(lines(out).sort(), [
      '9.9.9.9: review 0 - -',
      `${LONG}: review 40 long_name -`,
      'example.com: review 0 - -',
      'ftp://x.org/: - - - invalid-url',
      'ftp://‹U+001B›[31m/: - - - invalid-url',
    ])
  })

  it('answers a query with each, and null where it does not fit', async () => {
    const query = "[input, signal_details[?points > `1`].id, length(ip || 'nothing')]"
    const { out } = await check('-f', 'ndjson', '--query', query, LONG, '9.9.9.9')
    assert.deepEqual(lines(out).sort(), [`["${LONG}",["long_name"],7]`, '["9.9.9.9",[],7]'].sort())
    const alone = await check('--query', 'length(ip)', LONG)
    assert.deepEqual([alone.code, alone.out], [0, 'null\n'])
    assert.match(alone.err, /^assay: --query: a-name\S+: TypeError: length\(\) expected /m)
  })

  const wrong: readonly (readonly [option: string, value: string, message: RegExp])[] = [
    ['--query', 'signals[?', /--query: Invalid token/],
    ['--query', '{a: recomendation}', /--query: there is no field recomendation; did you mean "recommendation"\?/],
    ['--query', 'lenght(signals)', /--query: Unknown function: lenght\(\)/],
    ['--query', 'signals[?length(@, @) > `1`]', /--query: ArgumentError: length\(\) takes 1 argument but received 2/],
    ['--query', ' '.repeat(2_001), /--query: longer than 2000 characters/],
    ['--template', '{{domain}} {{ssl_info.expires}}', /ssl_info has no field expires; did you mean "expires_at"\?/],
    ['--template', '{{domain', /"\{\{" and "\}\}" belong around the name of a field/],
  ]
  for (const [option, value, message] of wrong) {
    it(`refuses ${option} ${value.trim() || 'of many characters'} before anything is checked`, async () => {
      for (const targets of [[LONG], [LONG, '9.9.9.9']]) {
        const { code, out, err } = await check(option, value, ...targets)
        assert.deepEqual([code, out], [64, ''])
        assert.match(err, message)
      }
    })
  }

  it('exits with 1 when one of them matches --fail-on', async () => {
    const { code, err } = await check('--fail-on', 'suspicious', 'example.com', LONG)
    assert.equal(code, 1)
    assert.match(err, /^assay: 1 target suspicious or malicious$/m)
  })
})
