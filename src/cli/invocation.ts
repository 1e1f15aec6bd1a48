// How the user called this command, so that printed hints and examples can be pasted.
import { basename, extname, relative, sep } from 'node:path'
import { packageRoot } from '../base/package_root.ts'

const MODULES = `${sep}node_modules${sep}`
/** Where npx puts a package that it downloaded. */
const NPX_CACHE = `${sep}_npx${sep}`

/** `script` is the file that Node runs, `directory` the current directory of the user. */
export function invocation(script = process.argv[1] ?? '', directory = process.cwd()): string {
  const modules = script.indexOf(MODULES)
  // Installed globally, so `assay` is on the PATH.
  if (modules < 0 && basename(script) === 'assay') return 'assay'
  if (script.includes(NPX_CACHE)) return 'npx assay'
  const project = modules < 0 ? packageRoot : script.slice(0, modules)
  const isThere = !relative(project, directory).startsWith('..')
  return isThere || extname(script) === '.ts' ? 'npx assay' : `node ${script}`
}

/** Replaces `assay` at the beginning of an example, in backticks or after a pipe by the actual invocation. */
export const pasteable = (text: string): string => text.replace(/(^ {2}|`|\| )assay (?=[a-z])/gm, `$1${invocation()} `)
