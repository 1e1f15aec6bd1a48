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

/**
 * Characters of a SHA-256. That of the script is its first line, as a comment; the file with its code begins with the same and
 * that of the code.
 */
const DIGEST = 64
const COMMENT = '//'

/** The text of the file for a script: a function, after the line that tells its code from another's. All must be ASCII. */
export function scriptText(script: string): string {
  return `${COMMENT}${sha256(script)}\n(function (${PARAMETERS}) {${script}\n})`
}

const sha256 = (octets: string | Uint8Array): string => createHash('sha256').update(octets).digest('hex')

const digestOf = (text: string): string => text.slice(COMMENT.length, COMMENT.length + DIGEST)

export interface ServiceScript {
  /** Whether the code was of use: V8 takes it from the same release with the same flags. */
  readonly usesCode: boolean
  /** Executes the script. */
  run(): Program
  /** The code of all functions that have run until now. */
  code(): Buffer
}

/**
 * Whether it is code of the script with this digest, as it was written. V8 itself compares only the length of the source, and
 * executes damaged code, which ends the process.
 */
const isWhole = (code: Buffer, script: string): boolean =>
  code.toString('latin1', 0, DIGEST) === script &&
  code.toString('latin1', DIGEST, 2 * DIGEST) === sha256(code.subarray(2 * DIGEST))

/** Compiles the script, with the help of `code` where that fits. */
export function compileScript(file: string, code?: Buffer): ServiceScript {
  // As one octet per character V8 uses the text where it is, outside its heap.
  const text = readFileSync(file, 'latin1')
  const fits = code !== undefined && isWhole(code, digestOf(text))
  const script = new Script(text, {
    filename: file,
    ...(fits && { cachedData: code.subarray(2 * DIGEST) }),
  })
  return {
    usesCode: script.cachedDataRejected === false,
    run() {
      const module = { exports: {} as Program }
      const outside = [pathToFileURL(file).href, (specifier: string) => import(specifier)]
      script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), ...outside)
      return module.exports
    },
    code() {
      const made = script.createCachedData()
      return Buffer.concat([Buffer.from(digestOf(text) + sha256(made)), made])
    },
  }
}

/** The script that is beside this code; null where the code is not built. */
export function openServiceScript(): ServiceScript | null {
  const file = builtFile(SERVICE_SCRIPT)
  if (file === null) return null
  const code = builtFile(SERVICE_CODE)
  return compileScript(file, code === null ? undefined : readFileSync(code))
}
