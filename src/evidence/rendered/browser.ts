// One process of Chromium with its own profile: started, asked for its name, and ended with all its children, whatever they do.
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants as FILES, readFileSync } from 'node:fs'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { withTimeout } from '../../base/timeout.ts'
import { type FlagOptions, flagsOf } from './flags.ts'
import { createProtocol, type Protocol } from './protocol.ts'

export interface BrowserOptions extends Omit<FlagOptions, 'profile'> {
  /** The file of Chromium. */
  readonly browser: string
}

export interface Browser extends Protocol {
  readonly pid: number
  /** As in `Chrome/156.0.8078.108`. */
  readonly product: string
  /**
   * Ends all its processes and removes its profile. `isHanging`: at once, without asking it to end them itself, which leaves them to
   * whoever collects orphans. Never rejects.
   */
  end(isHanging: boolean): Promise<void>
}

/** Milliseconds for a start on a busy machine. */
const START_MS = 15_000
/** Milliseconds for an end that it makes itself. */
const CLOSING_MS = 1_000
/** Milliseconds until a killed process is gone. */
const GONE_MS = 2_000
/** Characters of its complaints that are kept, for the reason of a failed start. */
const COMPLAINTS = 4 * 1024

/** Debian's launcher is a shell script. */
const PROGRAMS = '/usr/local/bin:/usr/bin:/bin'
const PROFILE = 'assay-browser-'

/** The configuration names a browser that cannot be started. */
export class UnusableBrowser extends Error {
  override readonly name = 'UnusableBrowser'
}

/** Why the browser cannot be started like this; null when it may be. */
export function browserFault({ browser, sandbox }: Pick<BrowserOptions, 'browser' | 'sandbox'>): string | null {
  if (process.platform !== 'linux') return 'rendering needs Linux'
  try {
    accessSync(browser, FILES.X_OK)
  } catch {
    return `${browser} is not a program; install Chromium (Debian: apt-get install chromium) or correct rendering.browser`
  }
  // Chromium refuses it: a page that breaks out of a sandbox set up by root is root.
  if (sandbox && process.getuid?.() === 0 && ownUser() === null)
    return 'Chromium’s sandbox does not run as root, and this user namespace has no other user: start the service as another user, or set rendering.sandbox to false in a container that holds nothing else'
  return null
}

/** The user without rights (`nobody`, `nogroup`). */
const NOBODY = 65_534

/**
 * As whom root starts the browser: a page that breaks out of it is not root, and Chromium's threads cannot put themselves before the
 * service's, as those of root do. Null for the service's own user, which has to do.
 */
function ownUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null
  return ['uid_map', 'gid_map'].every(isMapped) ? { uid: NOBODY, gid: NOBODY } : null
}

/** Whether that user exists in the user namespace of this process (user_namespaces(7)). */
function isMapped(map: string): boolean {
  const ranges = readFileSync(`/proc/self/${map}`, 'utf8').trim().split('\n')
  return ranges.some(range => {
    const [first = 0, , count = 0] = range.trim().split(/\s+/).map(Number)
    return first <= NOBODY && NOBODY < first + count
  })
}

/** Rejects with the reason when it does not start. */
export async function startBrowser(options: BrowserOptions): Promise<Browser> {
  await removeOldProfiles()
  const profile = await mkdtemp(join(tmpdir(), `${PROFILE}${process.pid}-`))
  const user = ownUser()
  if (user !== null) await give(profile, user)
  const child = spawn(options.browser, flagsOf({ ...options, profile }), {
    // A group of its own, so that its children end with it.
    detached: true,
    ...user,
    cwd: profile,
    // Nothing of the service's environment: it has secrets.
    env: { PATH: PROGRAMS, HOME: profile, TMPDIR: profile, LANG: 'en_US.UTF-8', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const exit = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const spawnError = new Promise<Error>(resolve => child.once('error', resolve))
  let complaints = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-COMPLAINTS)
  })
  const protocol = createProtocol(child.stdio[4] as Readable, child.stdio[3] as Writable)
  const onExit = () => killGroup(child)
  process.once('exit', onExit)
  const end = async (isHanging: boolean) => {
    if (!isHanging) {
      protocol.send('Browser.close').catch(() => {})
      await withTimeout(exit, CLOSING_MS)
    }
    process.removeListener('exit', onExit)
    killGroup(child)
    await withTimeout(exit, child.pid === undefined ? 0 : GONE_MS)
    await removeProfile(profile)
  }
  if (child.pid !== undefined) yieldCpu(child.pid)
  const version = protocol.send('Browser.getVersion')
  version.catch(() => {})
  const answer = await withTimeout(Promise.race([version, spawnError]), START_MS).catch(() => null)
  if (answer === null || answer instanceof Error) {
    await end(true)
    throw new Error(answer?.message ?? reasonIn(complaints))
  }
  return { ...protocol, pid: child.pid ?? 0, product: String((answer as { product?: unknown }).product), end }
}

/** Removes the folder if it cannot. */
async function give(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): Promise<void> {
  try {
    await chown(folder, uid, gid)
  } catch (error) {
    await removeProfile(folder)
    throw error
  }
}

/** The children of Chromium are in its process group, those in its sandbox too. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** Checks and answers come first, whatever a page computes. Children inherit it. */
function yieldCpu(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

/** Profiles of services that were killed, which could not remove them. */
async function removeOldProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^assay-browser-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) await removeProfile(join(tmpdir(), name))
  }
}

/** Files that its processes write until they are gone may come up meanwhile. */
const removeProfile = (profile: string): Promise<void> =>
  rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The last line that says what is wrong. */
function reasonIn(complaints: string): string {
  const lines = complaints.split('\n').filter(line => /error|fatal|sandbox|no usable/i.test(line))
  return (lines.find(line => /sandbox/i.test(line)) ?? lines.at(-1) ?? 'it did not answer').trim().slice(0, 300)
}
