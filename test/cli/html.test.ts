// The report as a file of its own.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseHTML } from 'linkedom'
import { reportPage } from '../../src/cli/report/html.ts'
import { reportOf } from '../engine/report/shipped.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

const RECORDING = 'test/golden/recordings/phishing.json'
const result = JSON.parse(readFileSync('test/golden/results/phishing.json', 'utf8')) as Record<string, unknown>
const directory = temporaryDirectory()

describe('a report as an HTML file', () => {
  it('is written for -o report.html, and printed with -f html', async () => {
    const file = join(directory, 'report.html')
    assert.equal((await assay('check', '--replay', RECORDING, '-o', file)).code, 0)
    const { out } = await assay('check', '--replay', RECORDING, '-f', 'html')
    assert.equal(readFileSync(file, 'utf8'), out)
    const { document } = parseHTML(out)
    assert.equal(document.title, 'microsoft-mailbox-verify.lab: block')
    assert.equal(document.querySelector('.recommendation')?.textContent, 'Block')
    assert.ok(document.querySelectorAll('.card').length > 8, 'every section has a card')
  })

  it('runs nothing, loads nothing and has no controls that need a script', async () => {
    const page = await reportPage(reportOf(result), JSON.stringify(result))
    const { document } = parseHTML(page)
    assert.equal(document.querySelectorAll('script, link, img, iframe, button, select, form, object').length, 0)
    assert.match(page, /content="default-src 'none'; style-src 'unsafe-inline'"/)
    assert.doesNotMatch(page, /url\(|@import/)
  })

  it('keeps markup that a target wrote as text', async () => {
    const hostile = '<img src=x onerror=alert(1)></style><script>alert(2)</script>'
    const section = { ...(result['content_analysis'] as object), title: hostile, description: hostile }
    const one = { ...result, domain: hostile, recommendation_reason: hostile, content_analysis: section }
    const page = await reportPage(reportOf(one), JSON.stringify(one))
    const { document } = parseHTML(page)
    assert.equal(document.querySelectorAll('script, img').length, 0)
    assert.equal(document.querySelector('.reason')?.textContent, hostile)
    assert.equal(document.title.startsWith('<img'), true)
  })

  it('has only the chosen sections', async () => {
    const { out } = await assay('check', '--replay', RECORDING, '-f', 'html', '--section', 'ssl_info')
    assert.equal(parseHTML(out).document.querySelectorAll('.card').length, 1)
  })

  it('is refused for several targets', async () => {
    const { code, err } = await assay('check', 'a.example', 'b.example', '-f', 'html')
    assert.deepEqual([code, /an HTML report is of one target/.test(err)], [64, true])
  })

  it('leaves no document behind for what runs next', () => {
    assert.equal('document' in globalThis, false)
  })
})
