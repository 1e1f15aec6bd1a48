import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { askAll, configurationText, type SetupAnswers } from '../../src/cli/init.ts'
import { readConfig } from '../../src/config/config.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

const directory = temporaryDirectory()
const at = (name: string) => join(directory, name)
writeFileSync(at('places.mmdb'), '')

const usual: SetupAnswers = { isPublic: false, quota: 10_000, abuseChKey: null, places: 'country', store: null }

/** Answers in turn, and records what is asked. */
function answering(...answers: readonly string[]) {
  const asked: string[] = []
  const ask = async (text: string) => {
    asked.push(text)
    return answers[asked.length - 1] ?? ''
  }
  return { asked, ask }
}

describe('assay init', () => {
  it('asks five questions, whose defaults are the answers to Enter', async () => {
    const { asked, ask } = answering()
    assert.deepEqual(await askAll({}, ask), usual)
    assert.equal(asked.length, 5)
    for (const text of asked) assert.match(text, /\[\w+\] $/)
  })

  it('takes the answers', async () => {
    const { ask } = answering('yes', '500', 'abcdef0123456789', 'city', 'postgres://127.0.0.1/assay')
    assert.deepEqual(await askAll({}, ask), {
      isPublic: true,
      quota: 500,
      abuseChKey: 'abcdef0123456789',
      places: 'city',
      store: 'postgres://127.0.0.1/assay',
    })
  })

  it('asks again after an invalid answer, and says why', async () => {
    const { asked, ask } = answering('perhaps', 'no', 'many', '5', 'a key', '', at('none.mmdb'), '', 'localhost', '')
    assert.deepEqual(await askAll({}, ask), { ...usual, quota: 5 })
    assert.deepEqual(
      asked.filter(text => text.includes('\n')).map(text => text.split('\n')[0]),
      [
        'Answer yes or no.',
        'Give a whole number of at least 1.',
        'A key consists of at least 8 letters and digits. Press Enter for none.',
        `${at('none.mmdb')}: no such file. Give country, city, or the path of an MMDB file.`,
        'Give a URL such as postgres://127.0.0.1:5432/assay.',
      ],
    )
  })

  for (const nothing of ['none', 'No', 'n']) {
    it(`takes ${nothing} for no key and no PostgreSQL`, async () => {
      assert.deepEqual(await askAll({}, answering('', '', nothing, '', nothing).ask), usual)
    })
  }

  it('does not ask for what is given', async () => {
    const { asked, ask } = answering()
    await askAll({ isPublic: true, store: null }, ask)
    assert.equal(asked.length, 3)
  })

  const made: readonly (readonly [title: string, answers: Partial<SetupAnswers>, expected: readonly unknown[]])[] = [
    ['the defaults', {}, ['127.0.0.1', 10_000, undefined, null]],
    ['a public service', { isPublic: true, quota: 7 }, ['0.0.0.0', 7, undefined, null]],
    [
      'a key and PostgreSQL',
      { abuseChKey: 'abcdef0123', store: 'postgres://u:secret@127.0.0.1/assay' },
      [
        '127.0.0.1',
        10_000,
        'https://urlhaus-api.abuse.ch/files/exports/hosts?auth-key=abcdef0123',
        'postgres://u:secret@127.0.0.1/assay',
      ],
    ],
    ['cities', { places: 'city' }, ['127.0.0.1', 10_000, undefined, null]],
    ['a database', { places: at('places.mmdb') }, ['127.0.0.1', 10_000, undefined, null]],
  ]
  for (const [title, answers, expected] of made) {
    it(`writes a configuration without errors: ${title}`, () => {
      const file = at(`${title.replaceAll(' ', '_')}.json`)
      writeFileSync(file, configurationText({ ...usual, ...answers }), { mode: 0o600 })
      const { config, faults } = readConfig(
        { config: file },
        { config: undefined, data: undefined, port: undefined, extra_roots: '' },
      )
      assert.deepEqual(faults, [])
      const { server, plans, datasets, store } = config
      assert.deepEqual([server.host, plans['startup']?.quota, datasets['urlhaus'], store], expected)
    })
  }

  it('writes a file that only its owner can read, and replaces it only when asked to', async () => {
    const file = at('made/config.json')
    const first = await assay('init', '--yes', '--public', file)
    assert.deepEqual([first.code, first.err], [0, ''])
    assert.ok(first.out.includes(`npx assay serve --config ${file}`), first.out)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const again = await assay('init', '--yes', file)
    assert.deepEqual([again.code, again.err], [64, `assay: ${file} exists; use --force to replace it\n`])
    assert.match(readFileSync(file, 'utf8'), /"host": "0\.0\.0\.0"/)
    assert.equal((await assay('init', '--yes', '--force', file)).code, 0)
    assert.match(readFileSync(file, 'utf8'), /"host": "127\.0\.0\.1"/)
  })

  it('refuses a value that its question would refuse', async () => {
    const { code, err } = await assay('init', '--yes', '--store', 'localhost', at('refused.json'))
    assert.deepEqual([code, err], [64, 'assay: --store: Give a URL such as postgres://127.0.0.1:5432/assay.\n'])
  })
})
