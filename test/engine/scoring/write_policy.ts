// `npm run policy`: gives the shipped signals and groups a new policy name.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTool } from '../../../src/cli/tool.ts'
import { POLICY } from '../../../src/engine/scoring/policy.ts'
import { digestOf, shippedTable } from './policy_table.ts'

const tool = createTool('policy', 'Names the scoring policy after a signal or a group changed.')
  .argument('[name]', 'the new name: year, month and a number, such as 2026-11-4; the next number without one')
  .parse()
/** Year, month and number, to compare. */
const partsOf = (policy: string) => /^(\d{4})-(\d{2})-(\d+)$/.exec(policy)?.slice(1).map(Number) ?? []
const present = partsOf(POLICY.name)
const [name = POLICY.name.replace(/\d+$/, number => `${Number(number) + 1}`)] = tool.args
const given = partsOf(name)
const differing = given.findIndex((part, at) => part !== present[at])
// Equal names promise equal scores, so a name is never used twice.
if (given.length === 0 || differing === -1 || (given[differing] ?? 0) < (present[differing] ?? 0))
  tool.error(`The name must come after ${POLICY.name}, and have its form.`)
const file = join(import.meta.dirname, '../../../src/engine/scoring/policy.ts')
const text = readFileSync(file, 'utf8')
  .replace(/name: '.*'/, `name: '${name}'`)
  .replace(/digest: '.*'/, `digest: '${digestOf(shippedTable())}'`)
writeFileSync(file, text)
