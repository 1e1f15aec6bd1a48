// URLs among the lines of a list.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openJournal } from '../../../src/results/bulk/journal.ts'
import { type BulkRecord, errorRecord, recordKey, resultRecord, targetKey } from '../../../src/results/bulk/record.ts'
import { idOf } from '../../../src/results/bulk/remote/submitter.ts'
import { sarifNotification, sarifResults } from '../../../src/results/bulk/sarif.ts'
import { csvHeading, csvLine } from '../../../src/results/bulk/summaries.ts'
import { openResults } from '../../../src/results/diff/results_file.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'
import { found, run, targetOf } from './run_lab.ts'

const LINK = 'https://a.org/path?token=hidden'

const result = {
  domain: 'a.org',
  ip: null,
  verdict: 'safe',
  recommendation: 'review',
  risk_score: 3,
  signal_details: [],
}
const record = resultRecord(
  { text: `${LINK}#x`, line: 7 },
  { ...result, url: LINK, final_url: 'https://b.org/', host_verdict: 'safe' },
)

describe('a list with URLs', () => {
  it('checks each page once, in any spelling, apart from its host and from other pages', async () => {
    const checked: unknown[] = []
    const { records, ran } = await run({
      names: [
        'a.org',
        LINK,
        `HTTPS://A.org:443/path?token=hidden#x`,
        'https://a.org',
        'https://a.org/',
        'http://a.org/',
        '9.9.9.9',
        'http://9.9.9.9/',
      ],
      limits: { at_once: 8, pause_ms: 0 },
      check: async target => {
        checked.push(targetKey(target))
        return found(target)
      },
    })
    const keys = ['a.org', LINK, 'https://a.org/', 'http://a.org/', '9.9.9.9', 'http://9.9.9.9/']
    assert.deepEqual(checked.sort(), [...keys].sort())
    assert.deepEqual(records.map(recordKey).sort(), [...keys].sort())
    assert.deepEqual([ran.tally.written, ran.tally.duplicates], [6, 2])
  })

  it('is polite to the registrable domain, whatever the page', async () => {
    let now = 0
    let most = 0
    await run({
      names: ['a.org', 'https://a.org/1', 'https://www.a.org/2', 'http://a.org/3'],
      limits: { at_once: 1, pause_ms: 0 },
      check: async target => {
        most = Math.max(most, ++now)
        await new Promise(resolve => setTimeout(resolve, 5))
        now--
        return found(target)
      },
    })
    assert.equal(most, 1)
  })

  it('skips pages that an earlier run settled, and retries those it could not check', async () => {
    const file = join(temporaryDirectory(), 'results.ndjson')
    const failure = { code: 'analysis-unavailable', detail: 'resolver_timeout' }
    const open = errorRecord({ text: 'https://a.org/open', line: 2 }, targetOf('https://a.org/open'), failure)
    assert.equal(open.url, 'https://a.org/open')
    // Of an earlier version, which knew no URLs.
    const { url: _, ...older } = resultRecord(
      { text: 'b.org', line: 3 },
      { ...result, url: null, domain: 'b.org' },
    ) as BulkRecord & { url: null }
    writeFileSync(file, [record, open, older].map(one => `${JSON.stringify(one)}\n`).join(''))
    const journal = await openJournal(file)
    await journal.close()
    assert.deepEqual([...journal.settled], [LINK, 'b.org'])
    assert.equal(readFileSync(file, 'utf8').includes('/open'), false)
  })

  it('is compared with earlier results page by page', async () => {
    const file = join(temporaryDirectory(), 'earlier.ndjson')
    const covered = { coverage: { complete: true, sections: {} } }
    writeFileSync(
      file,
      [record, { ...result, line: 1, input: 'a.org' }]
        .map(one => `${JSON.stringify({ ...one, ...covered })}\n`)
        .join(''),
    )
    const earlier = await openResults(file)
    assert.deepEqual(earlier.targets, [LINK, 'a.org'])
    assert.equal((await earlier.read(LINK))?.['line'], 7)
    await earlier.close()
  })

  it('has the URL, where it leads and the verdict on its host at the end of each row of CSV', () => {
    assert.match(csvHeading(), /,url,final_url,host_verdict\n$/)
    assert.match(csvLine(record), /,https:\/\/a\.org\/path\?token=hidden,https:\/\/b\.org\/,safe\n$/)
  })

  it('names a page in SARIF without its query, but keeps pages apart', () => {
    const [one, two] = [record, { ...record, url: `${LINK}2` }].map(of => sarifResults(of, new Map(), 'links.txt')[0])
    assert.equal(one?.message.text, 'https://a.org/path?…: The verdict is safe.')
    assert.equal(one?.locations[0]?.logicalLocations[0]?.fullyQualifiedName, 'https://a.org/path?…')
    assert.doesNotMatch(JSON.stringify([one, two]), /hidden/)
    assert.notDeepEqual(one?.partialFingerprints, two?.partialFingerprints)
    const detail = 'The url contains user information (a name or password before @); remove it.'
    const failed = errorRecord({ text: 'https://me:hidden@a.org/x?hidden#hidden', line: 1 }, null, {
      code: 'invalid-url',
      detail,
    })
    assert.equal(sarifNotification(failed, 'links.txt').message.text, `https://…@a.org/x?…: ${detail}`)
  })

  it('has one job in the queue for each page, and another when it is not visited', () => {
    const target = targetOf(LINK)
    const ids = [target, targetOf('https://a.org/'), targetOf('a.org'), { ...target, visit: false }].map(one =>
      idOf(one, ''),
    )
    assert.equal(new Set(ids).size, 4)
    assert.equal(idOf(targetOf(`${LINK}#x`), ''), ids[0])
  })
})
