// A service as a process of its own: `assay serve`, or another program that serves.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { assayCommand } from '../assay.ts'

const ROOT = resolve(import.meta.dirname, '../..')

export interface Served {
  readonly pid: number
  /** What it wrote so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Where it listens; rejects when it ends without. */
  readonly url: Promise<string>
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  signal(name: NodeJS.Signals): void
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** `through` is a command that becomes the service: what follows it is run in its place. */
export const serve = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Served => serveProgram([...assayCommand(), 'serve', ...args], env, through)

/** The same for another program that serves; `program` is what Node runs. */
export function serveProgram(
  program: readonly string[],
  env: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Served {
  const [command = '', ...rest] = [...through, process.execPath, ...program]
  const child = spawn(command, rest, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const stdout = gather(child, 'stdout')
  const stderr = gather(child, 'stderr')
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    return (code ?? signal) as number | NodeJS.Signals
  })
  const url = listening(child, stderr, ended)
  return { pid: child.pid ?? 0, stdout, stderr, ended, url, signal: name => child.kill(name) }
}

function gather(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  let text = ''
  child[name]?.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  return () => text
}

function listening(child: ChildProcess, stderr: () => string, ended: Served['ended']): Promise<string> {
  const url = new Promise<string>((found, lost) => {
    const look = () => {
      const [, url] = /^assay listens on (http:\S+)\n/m.exec(stderr()) ?? []
      if (url) found(url)
    }
    child.stderr?.on('data', look)
    ended.then(end => lost(new Error(`ended with ${end}: ${stderr()}`)))
  })
  url.catch(() => {})
  return url
}

/** Where it serves metrics and health; rejects when it ends without. The log that says so is written in batches, a while later. */
export async function operatorUrl({ stdout, ended }: Served): Promise<string> {
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  for (;;) {
    const [, url] = /"metrics":"(http:[^"]+)"/.exec(stdout()) ?? []
    if (url !== undefined) return url
    if (hasEnded) throw new Error(`ended without a port for metrics: ${stdout()}`)
    await pause(20)
  }
}

/** The key that it made at its first start, or null. */
export const firstKey = (served: Served): string | null => /^ {2}(assay_\w+)$/m.exec(served.stderr())?.[1] ?? null
