// Runs the service, and on request writes the code that V8 has compiled of its script until then.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileScript, SERVICE_CODE, SERVICE_SCRIPT } from '../src/cli/service_script.ts'
import { packageRoot } from '../src/package_root.ts'

const dist = join(packageRoot, 'dist')
const { code, run } = compileScript(join(dist, SERVICE_SCRIPT))
process.once('message', () => {
  writeFileSync(join(dist, SERVICE_CODE), code())
  // The service ends by a signal only: it keeps plugins from calling process.exit.
  process.send?.('written')
})
await run().runCommand()
