// The queue as commands use it: whether there is one, and what is said of its outages.
import { QueueUnavailable } from '../bulk/remote/connection.ts'
import { openSubmitter, type Submitter } from '../bulk/remote/submit.ts'
import { CliError, EXIT } from './exit_codes.ts'

/** Milliseconds between two messages of an outage: retries are many, people need one. */
const QUIET_MS = 10_000

/** Tells of an outage now and then. Messages of the client name the address at most, never the password. */
export function outages(err: (text: string) => void): (error: Error) => void {
  let silent_until = 0
  return error => {
    const now = performance.now()
    if (now < silent_until) return
    silent_until = now + QUIET_MS
    err(`assay: the queue is out of reach, waiting for it (${error.message || error.name})\n`)
  }
}

/** Ends the command when the URL is none, or nothing answers there. */
export async function withQueue<Opened>(url: string, open: () => Promise<Opened>): Promise<Opened> {
  if (!/^rediss?:\/\/\S+$/.test(url) || !URL.canParse(url)) {
    throw new CliError(EXIT.usage, '--redis takes a URL such as redis://127.0.0.1:6379')
  }
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof QueueUnavailable)) throw error
    throw new CliError(EXIT.unavailable, `no Redis answers at ${new URL(url).host}: ${error.message}`)
  }
}

export const openRemoteChecks = (url: string, queue: string, err: (text: string) => void): Promise<Submitter> =>
  withQueue(url, () => openSubmitter({ url, queue }, outages(err)))
