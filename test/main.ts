// Runs the suite, which `npm test` builds first: `npm test` its small tier, `npm run test:all` every file.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'
import * as reporters from 'node:test/reporters'
import { createGate, type LeftOut, modeOf } from './gate.ts'
import { CLUSTER, createCluster, SHARED_PORT, startSharedPostgres } from './postgres_server.ts'
import { temporaryDirectory } from './temporary_directory.ts'
import { CLAIMS, filesOf, tier } from './tiers.ts'

/** Two for each of two cores: most tests wait now and then. */
const PROCESSES = 4

/** What needs a program, by the programs it needs: what `BARE=1 npm test` leaves out. */
const expected = JSON.parse(readFileSync(join(import.meta.dirname, 'bare.json'), 'utf8')) as LeftOut

process.env[CLUSTER] = createCluster()
const postgres = await startSharedPostgres()
process.env[SHARED_PORT] = `${postgres.port}`
process.env[CLAIMS] = temporaryDirectory()

const files = Array.from({ length: PROCESSES }, () => join(import.meta.dirname, 'share.ts'))
const events = run({ files, concurrency: PROCESSES })
events.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1
})
events.compose(new reporters.spec()).pipe(process.stdout)
events.compose(createGate({ files: filesOf(tier), mode: modeOf(process.env), expected })).pipe(process.stderr)
events.once('end', () => void postgres.stop())
