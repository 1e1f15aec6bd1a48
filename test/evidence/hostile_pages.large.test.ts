// Every hostile page in a real browser, in a network namespace where whatever leaves is counted.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { testProgram } from '../assay.ts'
import { without, withoutAbility } from '../needs.ts'
import { BROWSER } from './browser_lab.ts'
import { hostilePages } from './hostile/pages.ts'
import type { Report } from './hostile/program.ts'

const PROGRAM = join(import.meta.dirname, 'hostile/program.ts')
/** Each page has three seconds, more on a busy machine, and the browser is started again after those that hang it. */
const LIMIT_MS = 1_800_000
/** CPU of the service's process in the time of a visit: most of it waits for the browser. */
const CPU_SHARE = 0.5
/** Milliseconds of CPU before other events have their turn. */
const TURN_MS = 250

describe('hostile pages', {
  skip: without('chromium', 'unshare', 'ip', 'bash') || withoutAbility('network namespaces'),
}, () => {
  let report: Report
  before(async () => {
    const root = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
    const args = [...root, '--net', process.execPath, ...testProgram(PROGRAM), BROWSER]
    const { stdout } = await promisify(execFile)('unshare', args, { timeout: LIMIT_MS, maxBuffer: 1 << 24 })
    report = JSON.parse(stdout)
  })

  it('would be noticed: a packet and a connection that are sent on purpose are counted', () => {
    const [packets, connections] = report.canaries
    assert.ok(packets >= 1 && connections >= 1, `${packets} packets, ${connections} connections`)
  })

  it('are as many as were asked for', () => assert.ok(hostilePages.length >= 40, `${hostilePages.length} pages`))

  for (const { title } of hostilePages) {
    it(`reach nothing and cost the service little: one that ${title}`, () => {
      const seen = report.pages.find(page => page.title === title)
      assert.ok(seen && seen.requests > 0, `it was not opened: ${seen?.outcome}`)
      assert.deepEqual(seen.forbidden, [0, 0], seen.outcome)
      assert.ok(seen.cpu_ms < CPU_SHARE * report.limit_ms, `${seen.cpu_ms} ms of CPU`)
      assert.ok(seen.turn_ms < TURN_MS, `${seen.turn_ms} ms without a turn for others`)
    })
  }

  it('ask for each name once', () => assert.equal(report.queries_of_rebinding, 2))
  it('leave the next page alone', () => assert.equal(report.after, 'read'))
  it('leave no process', () => assert.deepEqual(report.processes, []))
  it('leave no profile', () => assert.deepEqual(report.profiles, []))
})
