// `npm run faults [-- --seed N --only TEXT --lanes N --variants N --stage loopback --json]`: plays faults to one running service.
import { testProgram } from '../assay.ts'
import { withoutAbility } from '../needs.ts'
import { runInNamespace } from './namespace_stage.ts'
import { readOptions } from './options.ts'

const options = readOptions(process.argv.slice(2))
const stage = options.stage ?? (withoutAbility('network namespaces') ? 'loopback' : 'namespace')

if (stage === 'namespace' && !options.inside) {
  const args = [
    ...testProgram(import.meta.filename),
    ...process.argv.slice(2),
    '--inside',
    '--seed',
    String(options.seed),
  ]
  runInNamespace(process.execPath, args).once('exit', code => process.exit(code ?? 1))
} else {
  // Loaded by who plays alone.
  const { playAll } = await import('./play_all.ts')
  await playAll(options, stage)
}
