// Generated requests to a running service over real sockets: every one is answered, none with a failure of ours.
import { connect } from 'node:net'
import { anyQuery, type Chance, type Corpus, chance, requestCorpus } from './corpus.ts'

export interface RequestFindings {
  readonly sent: number
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Requests behind which something was wrong, at most a few. */
  readonly faults: readonly string[]
}

export interface Victim {
  readonly port: number
  readonly key: string
}

/** Requests that one connection is sent at once, and connections at once. */
const PIPELINED = 50
const CONNECTIONS = 32
/** Words of each kind that requests are made of. */
const WORDS = 20_000
/** Requests that are made of one word of each kind, about: a small dose needs no large corpus. */
const PER_WORD = 4
/** Milliseconds of silence on a connection that waits for answers. */
const HANG_MS = 15_000
const FAULTS = 20
/** Shares of requests that are no HTTP, each on a connection of its own. */
const BROKEN = 0.01

export async function fuzzRequests(victim: Victim, count: number, seed: number): Promise<RequestFindings> {
  const corpus = requestCorpus(seed, Math.min(WORDS, Math.ceil(count / PER_WORD)))
  const dice = chance(seed)
  const statuses: Record<string, number> = {}
  const faults: string[] = []
  let sent = 0
  const note = (requests: readonly string[], answers: readonly string[], want: number | null) => {
    for (const status of answers) statuses[status] = (statuses[status] ?? 0) + 1
    const bad = answers.find(status => status === '500' || status === 'hang')
    const short = want !== null && answers.length !== want
    if ((bad || short) && faults.length < FAULTS)
      faults.push(`${bad ?? `${answers.length} of ${want} answers`}: ${JSON.stringify(requests.slice(0, 3))}`)
  }
  const lane = async () => {
    while (sent < count) {
      const broken = dice.next() < BROKEN * PIPELINED
      const requests = broken
        ? [brokenRequest(corpus, dice, victim.key)]
        : Array.from({ length: PIPELINED }, (_, at) => anyRequest(corpus, dice, victim.key, at === PIPELINED - 1))
      sent += requests.length
      const answers = await answersTo(victim.port, requests)
      note(requests, answers, broken ? null : requests.length)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  return { sent, statuses, faults }
}

const METHODS = [...Array<string>(40).fill('GET'), 'HEAD', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH']
const PATHS = [
  ...Array<string>(40).fill('/api/v1/check'),
  '/api/v1/check/',
  '/api/v1/Check',
  '//api/v1/check',
  '/',
  '/healthz',
  '/readyz',
  '/%2e%2e/x',
  '/api/v1/check%3f',
]

/** Well-formed HTTP of any content; the last of a connection says so. */
function anyRequest(corpus: Corpus, dice: Chance, key: string, last: boolean): string {
  const path = dice.pick(PATHS)
  const query = anyQuery(corpus, dice)
  const lines = [`${dice.pick(METHODS)} ${path}?${query.replace(/[^!-~]/g, '')} HTTP/1.1`, 'Host: fuzz']
  if (dice.next() < 0.9) lines.push(`X-API-Key: ${key}`)
  while (dice.next() < 0.3) lines.push(dice.pick(corpus.headers))
  if (last) lines.push('Connection: close')
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** A request with octets changed, cut out, doubled or put in. */
function brokenRequest(corpus: Corpus, dice: Chance, key: string): string {
  let text = anyRequest(corpus, dice, key, true)
  for (let left = 1 + dice.below(4); left > 0; left--) {
    const at = dice.below(text.length)
    const put = dice.pick([
      '',
      '\0',
      '\r',
      '\n',
      '\r\n',
      ' ',
      ':',
      '\t',
      '\xff',
      'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      'HTTP/9.9',
      'x'.repeat(3_000),
    ])
    text = `${text.slice(0, at)}${put}${text.slice(at + dice.below(5))}`
  }
  return `${text}\r\n\r\n`
}

/** The statuses that come back, in order; `hang` when nothing comes for too long. */
function answersTo(port: number, requests: readonly string[]): Promise<string[]> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const found: string[] = []
    let rest = ''
    socket.setEncoding('latin1').setTimeout(HANG_MS, () => {
      found.push('hang')
      socket.destroy()
    })
    socket.on('data', (chunk: string) => {
      const text = rest + chunk
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g)) found.push(status)
      // A status line may be cut by the end of a chunk
      const start = text.lastIndexOf('HTTP/1.1 ')
      rest =
        start !== -1 && !text.slice(start).includes('\r\n')
          ? text.slice(start)
          : (text.slice(-8).match(/H(?:T(?:T(?:P(?:\/(?:1(?:\.1?)?)?)?)?)?)?$/)?.[0] ?? '')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(found))
    socket.write(requests.join(''), 'latin1')
    // Half of what is broken waits for more, which does not come
    if (requests.length === 1) socket.end()
  })
}
