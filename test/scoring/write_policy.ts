// `npm run policy -- NAME`: gives the shipped signals and groups a new policy name.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTool } from '../../src/cli/tool.ts'
import { digestOf, shippedTable } from './policy_table.ts'

const tool = createTool('policy', 'Names the scoring policy after a signal or a group changed.')
  .argument('<name>', 'the new name: year, month and a number, such as 2026-11-4')
  .parse()
const file = join(import.meta.dirname, '../../src/scoring/policy.ts')
const text = readFileSync(file, 'utf8')
  .replace(/name: '.*'/, `name: '${tool.args[0]}'`)
  .replace(/digest: '.*'/, `digest: '${digestOf(shippedTable())}'`)
writeFileSync(file, text)
