// The queue as commands use it: whether there is one, and what is said of its outages.
import { QueueUnavailable } from '../bulk/remote/connection.ts'
import { openSubmitter, type Submitter } from '../bulk/remote/submit.ts'
import type { Config } from '../config/config.ts'
import { CliError, EXIT } from './exit_codes.ts'

/** Milliseconds between two messages of an outage: retries are many, people need one. */
const QUIET_MS = 10_000

/** Tells now and then what goes on being so. */
function nowAndThen(err: (text: string) => void): (text: string) => void {
  let silent_until = 0
  return text => {
    const now = performance.now()
    if (now < silent_until) return
    silent_until = now + QUIET_MS
    err(text)
  }
}

/** Messages of the client name the address at most, never the password. */
export function outages(err: (text: string) => void): (error: Error) => void {
  const tell = nowAndThen(err)
  return error => tell(`assay: the queue is out of reach, waiting for it (${error.message || error.name})\n`)
}

/** What `--redis` means: its URL, or without one the store's of the configuration, so that a password need not stand in a command line. */
export function queueUrl(given: string | true, { store }: Pick<Config, 'store'>): string {
  const url = given === true ? store : given
  if (url === null) throw new CliError(EXIT.usage, '--redis needs a URL, or a configuration whose store is a Redis')
  if (/^rediss?:\/\/\S+$/.test(url) && URL.canParse(url)) return url
  throw new CliError(EXIT.usage, '--redis takes a URL such as redis://127.0.0.1:6379')
}

/** Ends the command when nothing answers there. */
export async function withQueue<Opened>(url: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof QueueUnavailable)) throw error
    throw new CliError(EXIT.unavailable, `no Redis answers at ${new URL(url).host}: ${error.message}`)
  }
}

export function openRemoteChecks(url: string, queue: string, err: (text: string) => void): Promise<Submitter> {
  const tell = nowAndThen(err)
  const alone = () => tell('assay: no worker takes checks; start one with `assay worker`\n')
  return withQueue(url, () => openSubmitter({ url, queue }, { told: outages(err), alone }))
}
