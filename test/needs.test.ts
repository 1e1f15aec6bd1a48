import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryDirectory } from './temporary_directory.ts'

const REASON = 'needs curl, jq: apt-get install curl jq'

/** What `without` gives on a machine that has no program at all. */
const cases: Readonly<
  Record<string, readonly [programs: readonly string[], env: Record<string, string>, gives: RegExp]>
> = {
  'gives the reason and the command that installs what is missing': [['curl', 'jq'], {}, new RegExp(`^${REASON}$`)],
  'names a package once': [['prlimit', 'unshare'], {}, /^needs prlimit, unshare: apt-get install util-linux$/],
  'fails under CI': [['curl', 'jq'], { CI: 'true' }, new RegExp(`^Error: ${REASON}$`)],
  'gives the reason under CI in a run without programs': [
    ['curl', 'jq'],
    { CI: 'true', BARE: '1' },
    new RegExp(`^${REASON}$`),
  ],
  'refuses a program that the list lacks': [['curll'], {}, /^Error: test\/programs\.json has no package for curll$/],
}

describe('what a test needs', () => {
  for (const [title, [programs, env, gives]] of Object.entries(cases)) {
    it(title, () => {
      const script = `
        const { without } = await import('${pathToFileURL(join(import.meta.dirname, 'needs.ts')).href}')
        try { console.log(without(...${JSON.stringify(programs)})) } catch (error) { console.log(String(error)) }`
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script],
        { encoding: 'utf8', env: { PATH: temporaryDirectory(), ...env } },
      )
      assert.match(stdout.trim(), gives, stderr)
    })
  }
})
