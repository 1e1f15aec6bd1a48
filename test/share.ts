// One of the few processes that run the suite: it takes the next file that no other has taken, until none is left. Starting a
// process and loading the service in it costs more than most files' own tests.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { loadTests } from './assay.ts'
import { untakenFiles } from './tiers.ts'

/**
 * For an `assert.ok` without a message, Node looks for the words of its condition in the source. In a file of many megabytes
 * it looks for minutes, and a failed test would be one that hangs.
 */
function sayNoWordsOfSource(): void {
  const { ok } = assert
  Object.assign(assert, { ok: (value: unknown, message: string | Error = 'is not so') => ok(value, message) })
}

/** Milliseconds after the last test in which what it opened may close. */
const CLOSING_MS = 5_000

/** A test that fails may leave a service running, which would keep this process waiting for good. */
function endWithTheTests(): void {
  after(() => {
    const end = () => {
      console.error('Something that a test opened was never closed.')
      process.exit(process.exitCode || 1)
    }
    setTimeout(end, CLOSING_MS).unref()
  })
}

/**
 * Runs a file as its own suite, by whose name `gate.ts` knows it: hooks outside of any other are run for it alone, and one that
 * fails takes no other file with it. Resolves when its tests have run, before the suite has ended: the runner ends with the last
 * suite that it knows.
 */
const runFile = (file: string) =>
  new Promise<void>(resolve => {
    describe(file, () => {
      after(async () => {
        resolve()
        await turn()
      })
      return loadTests(join(import.meta.dirname, file))
    })
  })

endWithTheTests()
sayNoWordsOfSource()
for (const file of untakenFiles()) await runFile(file)
