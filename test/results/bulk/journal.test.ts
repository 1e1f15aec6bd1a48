import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { NotResults, openJournal } from '../../../src/results/bulk/journal.ts'
import { type BulkRecord, errorRecord, resultRecord } from '../../../src/results/bulk/record.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

const directory = temporaryDirectory()
let made = 0
const newFile = () => join(directory, `results-${made++}.ndjson`)

const result = (line: number, domain: string) =>
  resultRecord({ line, text: domain }, { domain, ip: null, verdict: 'safe', risk_score: 0, signal_details: [] })
const unavailable = (line: number, domain: string) =>
  errorRecord(
    { line, text: domain },
    { domain, ip: null },
    { code: 'analysis-unavailable', detail: 'resolver_timeout' },
  )
const invalid = (line: number, text: string) =>
  errorRecord({ line, text }, null, { code: 'invalid-domain', detail: 'The domain is empty.' })

async function written(...records: readonly BulkRecord[]): Promise<string> {
  const file = newFile()
  const journal = await openJournal(file)
  await Promise.all(records.map(record => journal.append(record)))
  await journal.close()
  return file
}

const linesIn = (file: string) => readFileSync(file, 'utf8').split('\n').slice(0, -1)

async function settledIn(file: string): Promise<string[]> {
  const journal = await openJournal(file)
  await journal.close()
  return [...journal.settled]
}

describe('the journal', () => {
  it('keeps records in order, one per line', async () => {
    const records = [result(1, 'a.org'), invalid(2, 'b'), result(3, '漢字.org')]
    assert.deepEqual(
      linesIn(await written(...records)).map(line => JSON.parse(line)),
      records,
    )
  })

  it('knows the settled targets when it is opened again', async () => {
    const ip = resultRecord(
      { line: 3, text: '9.9.9.9' },
      { domain: null, ip: '9.9.9.9', verdict: 'safe', signal_details: [] },
    )
    assert.deepEqual(await settledIn(await written(result(1, 'a.org'), invalid(2, 'no target'), ip)), [
      'a.org',
      '!no target',
      '9.9.9.9',
    ])
  })

  it('is valid wherever it was cut off: complete records stay, an incomplete one is checked again', async () => {
    const whole = readFileSync(await written(result(1, 'a.org'), result(2, 'b.org')))
    const first = whole.indexOf('\n') + 1
    for (let cut = 0; cut <= whole.length; cut++) {
      const file = newFile()
      writeFileSync(file, whole)
      truncateSync(file, cut)
      const expected = cut === whole.length ? ['a.org', 'b.org'] : cut >= first ? ['a.org'] : []
      assert.deepEqual(await settledIn(file), expected, `cut at ${cut}`)
      assert.equal(readFileSync(file, 'utf8'), whole.subarray(0, [0, first, whole.length][expected.length]).toString())
    }
  })

  it('checks unavailable targets again and keeps one record per name', async () => {
    const file = await written(result(1, 'a.org'), unavailable(2, 'b.org'), result(3, 'c.org'))
    assert.deepEqual(await settledIn(file), ['a.org', 'c.org'])
    assert.deepEqual(
      linesIn(file).map(line => (JSON.parse(line) as BulkRecord).line),
      [1, 3],
    )
  })

  for (const [what, text] of [
    ['notes', 'my notes\n'],
    ['notes of one line without an end', 'my notes'],
    ['JSON of another kind', '{"input":"a","other":1}\n'],
    ['records without a target', '{"input":"a","line":1,"verdict":"safe","signal_details":[]}\n'],
    ['results without their signals', '{"input":"a","line":1,"domain":"a","ip":null,"verdict":"safe"}\n'],
    ['errors without a code', '{"input":"a","line":1,"domain":null,"ip":null,"error":null}\n'],
    ['notes after a result', `${JSON.stringify(result(1, 'a.org'))}\nmy notes\n`],
  ] as const) {
    it(`leaves a file of ${what} unchanged`, async () => {
      const file = newFile()
      writeFileSync(file, text)
      await assert.rejects(openJournal(file), NotResults)
      assert.equal(readFileSync(file, 'utf8'), text)
    })
  }

  it('reports a failed write', async () => {
    const journal = await openJournal('/dev/full')
    await assert.rejects(journal.append(result(1, 'a.org')), { code: 'ENOSPC' })
    await assert.rejects(journal.close(), { code: 'ENOSPC' })
  })

  it('appends after what others have appended', async () => {
    const file = await written(result(1, 'a.org'))
    const journal = await openJournal(file)
    appendFileSync(file, `${JSON.stringify(result(2, 'b.org'))}\n`)
    await journal.append(result(3, 'c.org'))
    await journal.close()
    assert.equal(linesIn(file).length, 3)
  })
})
