import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readResult } from '../golden/files.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

type Plain = Record<string, unknown>

const directory = temporaryDirectory()
const at = (name: string) => join(directory, name)

function dmarc(policy: string): Plain {
  const result = structuredClone(readResult('shop')) as Plain
  const { dmarc } = result['dns_security'] as { dmarc: Plain }
  dmarc['effective_policy'] = policy
  return result
}

const write = (name: string, text: string) => {
  writeFileSync(at(name), text)
  return at(name)
}
const lines = (...all: readonly object[]) => all.map(one => `${JSON.stringify(one)}\n`).join('')

const strict = write('strict.json', JSON.stringify(dmarc('reject'), null, 2))
const weak = write('weak.json', `${JSON.stringify(dmarc('none'))}\n`)

describe('assay diff', () => {
  it('prints what changed between two results, formatted or on one line', async () => {
    const { code, out, err } = await assay('diff', strict, weak)
    assert.deepEqual(
      [code, out, err],
      [0, 'shop.lab: 1 change: 1 weakened\n  - weakened      DMARC policy: reject → none\n', ''],
    )
  })

  it('says that nothing changed', async () => {
    assert.deepEqual(await assay('diff', weak, weak), { code: 0, out: 'shop.lab: no change\n', err: '' })
  })

  it('prints JSON, one object per line', async () => {
    const { out } = await assay('diff', strict, weak, '--json')
    const seen = { recommendation: 'allow', confidence: 'high', risk_score: 2, verdict: 'safe' }
    const head = { ...seen, checked_at: readResult('shop')['checked_at'] }
    const path = 'dns_security.dmarc.effective_policy'
    assert.deepEqual(JSON.parse(out), {
      target: 'shop.lab',
      before: head,
      after: head,
      changes: [
        { path, severity: 'weakened', message: 'DMARC policy: reject → none', before: 'reject', after: 'none' },
      ],
      not_compared: [],
    })
  })

  it('matches many results by target in any order, and lists those in only one file', async () => {
    const [phishing, cms, spa] = ['phishing', 'cms', 'spa'].map(kind => readResult(kind))
    assert.ok(phishing && cms && spa)
    const failed = { input: 'x', line: 9, domain: null, ip: null, error: { code: 'invalid-domain', detail: '' } }
    const old = write('old.ndjson', lines({ input: 'a', line: 1, ...phishing }, failed, dmarc('reject'), spa))
    const later = write('new.ndjson', lines(dmarc('none'), cms, phishing))
    const { code, out } = await assay('diff', old, later)
    assert.equal(code, 0)
    assert.deepEqual(out.split('\n'), [
      'shop.lab: 1 change: 1 weakened',
      '  - weakened      DMARC policy: reject → none',
      `${cms.domain}: only in ${later}`,
      `${spa.domain}: only in ${old}`,
      '2 targets compared: 1 changed, 1 of them for the worse',
      '',
    ])
    const json = (await assay('diff', old, later, '--json')).out.trimEnd().split('\n')
    assert.deepEqual(
      json.map(line => JSON.parse(line) as Plain).map(({ target, only_in }) => [target, only_in]),
      [
        ['shop.lab', undefined],
        [cms.domain, 'new'],
        [phishing.domain, undefined],
        [spa.domain, 'old'],
      ],
    )
  })

  it('reads an array of results too', async () => {
    const array = write('array.json', JSON.stringify([dmarc('none'), readResult('cms')], null, 1))
    const { out } = await assay('diff', strict, array, '--json')
    assert.equal(out.trimEnd().split('\n').length, 2)
  })

  it('reads results from pipes', async () => {
    const pipes = [at('old.pipe'), at('new.pipe')] as const
    execFileSync('mkfifo', pipes)
    const [{ code, out }] = await Promise.all([
      assay('diff', ...pipes, '--json'),
      writeFile(pipes[0], `${JSON.stringify(dmarc('reject'))}\n`),
      writeFile(pipes[1], JSON.stringify(dmarc('none'), null, 2)),
    ])
    assert.equal(code, 0)
    assert.deepEqual(
      (JSON.parse(out) as { changes: { severity: string }[] }).changes.map(({ severity }) => severity),
      ['weakened'],
    )
  })

  for (const [what, before, after, code] of [
    ['weakened', strict, weak, 1],
    ['weakened', weak, strict, 0],
    ['changed', weak, strict, 1],
    ['changed', weak, weak, 0],
  ] as const) {
    it(`exits with ${code} for --fail-on ${what} ${code === 1 ? 'on a match' : 'without a match'}`, async () => {
      assert.equal((await assay('diff', before, after, '--fail-on', what)).code, code)
    })
  }

  it('escapes untrusted text', async () => {
    const evil = structuredClone(readResult('shop')) as Plain
    ;(evil['content_analysis'] as Plain)['title'] = '\u001b[2J\u202egnp'
    const { out } = await assay('diff', strict, write('evil.json', JSON.stringify(evil)))
    assert.match(out, /Page title: .* →\s+‹U\+001B›\[2J‹U\+202E›gnp/)
  })

  const mistakes: readonly (readonly [string, string, RegExp])[] = [
    ['a file that is not there', at('none.json'), /^assay: \S+none\.json: no such file$/m],
    ['a directory', directory, /^assay: \S+: is a directory$/m],
    ['text', write('notes.txt', 'some notes\n'), /notes\.txt: is not a check result/],
    ['other JSON', write('other.json', '{"a":1}\n'), /other\.json: line 1 is not a check result/],
    [
      'a problem as it was answered',
      write('problem.json', '{"status":503,"code":"analysis-unavailable"}'),
      /problem\.json: line 1 is not a check result/,
    ],
    ['an empty object', write('pretty.json', '{\n}\n'), /pretty\.json: is not a check result/],
  ]
  for (const [what, file, message] of mistakes) {
    it(`refuses ${what} with exit code 64`, async () => {
      const { code, out, err } = await assay('diff', strict, file)
      assert.deepEqual([code, out], [64, ''])
      assert.match(err, message)
    })
  }
})

describe('assay check --baseline', () => {
  it('prints the changes below the report, and fails on a weakened target', async () => {
    const replay = ['check', '--replay', join(import.meta.dirname, '../golden/recordings/shop.json')]
    const same = await assay(...replay, '--baseline', weak, '--fail-on', 'weakened')
    assert.equal(same.code, 0)
    assert.match(
      same.out,
      /\nSince the earlier check: 1 change: 1 strengthened\n {2}\+ strengthened {2}DMARC policy: none → quarantine\n$/,
    )
    const worse = await assay(...replay, '--baseline', strict, '--fail-on', 'weakened', '--json')
    assert.equal(worse.code, 1)
    assert.equal((JSON.parse(worse.out) as { changes: unknown[] }).changes.length, 1)
  })

  it('reports a target that the baseline lacks', async () => {
    const { code, err } = await assay('check', 'other.org', '--baseline', weak)
    assert.equal(code, 64)
    assert.match(err, /no result for other\.org/)
  })
})
