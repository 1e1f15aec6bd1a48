// The command line, run in this process.
import { run } from '../../src/cli/program.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

// Neither the login nor the service of who runs the tests.
process.env['XDG_CONFIG_HOME'] = temporaryDirectory()
delete process.env['ASSAY_SERVER']
delete process.env['ASSAY_KEY']

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export async function assay(...args: readonly string[]): Promise<Ran> {
  let out = ''
  let err = ''
  const code = await run(args, {
    out: text => {
      out += text
    },
    err: text => {
      err += text
    },
  })
  return { code, out, err }
}
