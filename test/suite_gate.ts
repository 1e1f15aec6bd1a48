// The gate of this suite.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGate, type LeftOut, modeOf } from './gate.ts'
import { filesOf, tier } from './tiers.ts'

/** What needs a program, by the programs it needs: what `BARE=1 npm test` leaves out. */
const expected = JSON.parse(readFileSync(join(import.meta.dirname, 'bare.json'), 'utf8')) as LeftOut

export default createGate({ files: filesOf(tier), mode: modeOf(process.env), expected })
