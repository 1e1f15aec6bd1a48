// The service as one script, which the build makes beside its modules. V8 keeps the compiled code of a script for the next
// process, and of modules it does not; compiling was a third of a start.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { builtFile } from '../package_root.ts'

/** The script, and the code that V8 made of it, below `dist`. */
export const SERVICE_SCRIPT = 'service.js'
export const SERVICE_CODE = 'service.code'

/** What the script exports. */
type Program = typeof import('./command.ts')

/** Stand in the script for `import.meta.url` and for `import`, which V8 does not support in compiled code. */
export const SCRIPT_URL = '__script_url'
export const SCRIPT_IMPORT = '__script_import'

/** What a CommonJS module receives, and those two, on one line: the others keep their numbers. */
const PARAMETERS = `exports, require, module, __filename, __dirname, ${SCRIPT_URL}, ${SCRIPT_IMPORT}`

/** Characters of the SHA-256 of the script, which its first line is, as a comment. The file with its code begins with the same. */
const DIGEST = 64
const COMMENT = '//'

/** The text of a script, with the line that tells its code from another's. */
export function signed(script: string): string {
  return `${COMMENT}${createHash('sha256').update(script).digest('hex')}\n${script}`
}

const digestOf = (signed: string): string => signed.slice(COMMENT.length, COMMENT.length + DIGEST)

export interface ServiceScript {
  /** Whether the code was of use: V8 takes it from the same release with the same flags. */
  readonly usesCode: boolean
  /** Executes the script. */
  run(): Program
  /** The code of all functions that have run until now. */
  code(): Buffer
}

/** Compiles the script, with the help of `code` where that fits. */
export function compileScript(file: string, code?: Buffer): ServiceScript {
  const text = readFileSync(file, 'utf8')
  // V8 itself compares only the length of the source.
  const fits = code?.toString('latin1', 0, DIGEST) === digestOf(text)
  const script = new Script(`(function (${PARAMETERS}) {${text}\n})`, {
    filename: file,
    ...(fits && { cachedData: code.subarray(DIGEST) }),
  })
  return {
    usesCode: script.cachedDataRejected === false,
    run() {
      const module = { exports: {} as Program }
      const outside = [pathToFileURL(file).href, (specifier: string) => import(specifier)]
      script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), ...outside)
      return module.exports
    },
    code: () => Buffer.concat([Buffer.from(digestOf(text)), script.createCachedData()]),
  }
}

/** The script that is beside this code; null where the code is not built. */
export function openServiceScript(): ServiceScript | null {
  const file = builtFile(SERVICE_SCRIPT)
  if (file === null) return null
  const code = builtFile(SERVICE_CODE)
  return compileScript(file, code === null ? undefined : readFileSync(code))
}
