// What some tests need beside Node: a suite or a test asks here, and nowhere else, whether it can run. Under CI a missing program
// is an error; elsewhere what needs it is left out, and `test/gate.ts` says so at the end.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's package of each program that a test may need. `.ci/install` installs them. */
const packages = JSON.parse(readFileSync(join(import.meta.dirname, 'programs.json'), 'utf8')) as Record<string, string>

/** Other names that a program has on other systems. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  chromium: ['chromium-browser', 'google-chrome', 'google-chrome-stable'],
}

/** What this machine must allow, with a command that proves it. */
const ABILITIES = {
  'mount namespaces': ['unshare', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'],
  'network namespaces': [
    'unshare',
    ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
    '--net',
    'ip',
    'link',
    'add',
    'one',
    'type',
    'veth',
    'peer',
    'name',
    'other',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Ability = keyof typeof ABILITIES

/** How a reason begins, by which `test/gate.ts` tells it from others. */
export const NEEDS = 'needs '

/** `BARE`: a run with none of the programs, whose list of what was left out is compared with what is expected. */
export const isStrict = ({ CI, BARE }: NodeJS.ProcessEnv): boolean => Boolean(CI) && !BARE

/** The file of a program on the path, or null. */
export function findProgram(name: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const files = [name, ...(ALIASES[name] ?? [])].flatMap(one => folders.map(folder => join(folder, one)))
  return files.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * For `skip`: false if every program is on the path, otherwise the reason with the command that installs what is missing. Throws
 * instead under CI, and for a program that `programs.json` lacks.
 */
export function without(...programs: readonly string[]): string | false {
  const unknown = programs.find(name => packages[name] === undefined)
  if (unknown !== undefined) throw new Error(`test/programs.json has no package for ${unknown}`)
  const missing = programs.filter(name => findProgram(name) === null)
  return missing.length === 0 ? false : leftOut(missing, `apt-get install ${packagesOf(missing).join(' ')}`)
}

/** Like `without`, for what the kernel and the rights of this process must allow. */
export function withoutAbility(ability: Ability): string | false {
  const [command, ...args] = ABILITIES[ability]
  const allowed = spawnSync(command, args, { stdio: 'ignore' }).status === 0
  return allowed ? false : leftOut([ability], 'run as root, or allow unprivileged user namespaces')
}

const packagesOf = (programs: readonly string[]): readonly string[] => [
  ...new Set(programs.flatMap(name => packages[name] ?? [])),
]

function leftOut(missing: readonly string[], remedy: string): string {
  const reason = `${NEEDS}${missing.join(', ')}: ${remedy}`
  if (isStrict(process.env)) throw new Error(reason)
  return reason
}
