import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Checked, Lab } from '../service/lab.ts'
import { kindsIn, openReplayer, type Replayer, readRecording, readResult, recordingText } from './files.ts'
import { reproducible, stable, startGoldenLab } from './lab.ts'
import { COOKIE_VALUE, MARKUP } from './site.ts'
import { sites } from './sites/index.ts'

/** Octets of a recording: a reviewer may still read it. */
const RECORDING_BYTES = 64 * 1024

/** The reasons of sites whose page is not seen wholly, which is nobody's fault. */
const inPart: Readonly<Record<string, readonly string[]>> = { spa: ['script_not_run'], parking: ['parked_page'] }

const REMADE = 'if the change is meant, `npm run golden` writes it'

describe('golden results', () => {
  for (const folder of ['recordings', 'results'] as const) {
    it(`have ${folder} of exactly the existing sites`, () => {
      assert.deepEqual(kindsIn(folder), sites.map(({ kind }) => kind).sort())
    })
  }
})

describe('the recording', () => {
  let replayer: Replayer
  before(async () => {
    replayer = await openReplayer()
  })
  after(() => replayer.close())

  for (const { kind } of sites) {
    it(`of ${kind} gives the golden result, to the last field`, async () => {
      assert.deepEqual(await replayer.resultOf(readRecording(kind)), readResult(kind), REMADE)
    })

    it(`of ${kind} is small, and contains no cookie values and no markup`, () => {
      const text = recordingText(kind)
      assert.ok(Buffer.byteLength(text) <= RECORDING_BYTES)
      assert.ok(!text.includes(COOKIE_VALUE) && !text.includes(MARKUP))
    })
  }
})

describe('a live check in the lab', () => {
  let lab: Lab
  before(async () => {
    lab = await startGoldenLab()
  })
  after(() => lab.close())

  for (const { kind, asked } of sites) {
    describe(`of ${kind}`, () => {
      let checked: Checked
      before(async () => {
        checked = await lab.check(asked)
      })

      const isWithheld = kind === 'block_page' || kind === 'challenge'
      const unseen = isWithheld ? ['page_withheld'] : (inPart[kind] ?? [])
      it(unseen.length === 0 ? 'leaves nothing unknown' : 'leaves unknown what the page would have told', () => {
        const { complete, sections } = checked.result.coverage
        const amiss = Object.values(sections).flatMap(({ status, reason }) =>
          status === 'not_applicable' || (status === 'completed' && reason === null) ? [] : [reason ?? status],
        )
        assert.deepEqual([complete, [...new Set(amiss)]], [!isWithheld, unseen])
      })

      it('gives the golden result, except for fields that differ in every certificate', () => {
        assert.deepEqual(stable(checked.result), stable(readResult(kind)))
      })

      it('reproduces the committed recording', () => {
        assert.deepEqual(
          reproducible(checked.recording),
          readRecording(kind),
          'if the change is meant, `npm run golden -- --record` writes it',
        )
      })

      it('contains no cookie values and no markup', () => {
        const text = JSON.stringify([checked.result, checked.recording])
        assert.ok(!text.includes(COOKIE_VALUE) && !text.includes(MARKUP))
      })
    })
  }
})
