// Writes src/web/land.js.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { landModule } from './land.ts'

writeFileSync(join(import.meta.dirname, '../src/web/land.js'), landModule())
