// A store whose write-ahead log was cut after its process was killed: refused on the same boot of the machine, where the disk keeps
// what was written; after a restart of the machine, what the disk lost was never acknowledged as durable.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { writtenFrames } from '../../src/store/sql/sqlite/write_ahead_log.ts'
import { testProgram } from '../assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { openStoreIn } from './opened.ts'

const COUNTING = join(import.meta.dirname, 'counting_process.ts')
const QUOTA = 1_000_000
/** Answers before the process is killed. */
const ANSWERS = 50

const directory = temporaryDirectory()
const killed = join(directory, 'killed')
const delivered = () => (existsSync(`${killed}.log`) ? statSync(`${killed}.log`).size : 0)

before(async () => {
  const args = [killed, `${killed}.log`, `${QUOTA}`, `${QUOTA}`, '1']
  const child = spawn(process.execPath, [...testProgram(COUNTING), ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const end = once(child, 'exit')
  while (delivered() < ANSWERS && child.exitCode === null) await pause(5)
  child.kill('SIGKILL')
  await end
})

const log = (at: string) => join(at, 'assay.db-wal')
/** Octets of the log up to the last commit; the process may have been killed while it wrote more. */
const committed = (at: string) => writtenFrames(readFileSync(join(at, 'assay.db-shm')))?.octets ?? assert.fail()

/** The directory as the killed process left it, after a change. */
function left(name: string, change: (at: string) => void): string {
  const at = join(directory, name)
  cpSync(killed, at, { recursive: true })
  change(at)
  return at
}

async function usedIn(at: string): Promise<number> {
  const store = await openStoreIn(at)
  const { used } = await store.quota.usage('acc_shared', { quota: QUOTA, period: 'month' })
  await store.close()
  return used
}

const contents = (at: string) =>
  readdirSync(at)
    .sort()
    .map(name => [name, readFileSync(join(at, name), 'latin1')])

describe('a store after kill -9', () => {
  it('holds every answer that was delivered', async () => {
    const used = await usedIn(left('whole', () => {}))
    assert.ok(used === delivered() || used === delivered() + 1, `${used} counted, ${delivered()} delivered`)
  })

  const cuts: Readonly<Record<string, (at: string) => void>> = {
    'by half': at => truncateSync(log(at), Math.floor(committed(at) / 2)),
    'by one octet': at => truncateSync(log(at), committed(at) - 1),
    'to nothing': at => truncateSync(log(at), 0),
    'away as a file': at => rmSync(log(at)),
  }
  for (const [how, cut] of Object.entries(cuts)) {
    it(`is refused and left as it is when its log was cut ${how}`, async () => {
      const at = left(how, cut)
      const found = contents(at)
      for (let attempt = 0; attempt < 2; attempt++) {
        await assert.rejects(openStoreIn(at), {
          code: 'store_damaged',
          message: /assay\.db is damaged: its write-ahead log is damaged or cut off\. Restore a backup, or move all of/,
        })
      }
      assert.deepEqual(contents(at), found)
    })
  }

  it('starts with what is left when the machine was started again meanwhile', async () => {
    const at = left('other-boot', at => {
      truncateSync(log(at), Math.floor(committed(at) / 2))
      writeFileSync(join(at, 'assay.boot'), 'another boot\n')
    })
    const used = await usedIn(at)
    assert.ok(used > 0 && used < delivered(), `${used} counted, ${delivered()} delivered`)
    assert.equal(await usedIn(at), used)
  })
})
