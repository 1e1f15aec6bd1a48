// Writes src/web/world_map_outline.js.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { landModule } from './land.ts'

writeFileSync(join(import.meta.dirname, '../src/web/world_map_outline.js'), landModule())
