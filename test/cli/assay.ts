// The command line, run in this process.
import { run } from '../../src/cli/program.ts'

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
