// Finds out which of many names exist, by DNS alone and slowly: no site is contacted. A zone that answers for names that do not
// exist proves nothing by an answer like that.
import { randomBytes } from 'node:crypto'
import { isHealthy, type Standing } from '../../base/health/standing.ts'
import { RANK } from '../../base/scheduler/scheduler.ts'
import { createUpstreamQueue } from '../../base/scheduler/upstream_queue.ts'
import type { CheckNetwork, Network } from '../../network/network.ts'
import type { Answer } from '../../network/resolver.ts'
import type { Candidate } from './candidates.ts'

/** A name that exists. */
export interface Existing extends Candidate {
  /** Some of its addresses; empty when it has none. */
  readonly addresses: readonly string[]
  /** Whether it receives mail; null when that is unknown. */
  readonly mail: boolean | null
}

/** What became of the names so far. */
export interface ScanTally {
  asked: number
  existing: number
  /** Names for which no answer came, or an error. */
  unanswered: number
  /** Names in zones that answer for every name, where nothing proves that they exist. */
  unproved: number
}

export interface ScanRequest {
  readonly candidates: Iterable<Candidate>
  /** Who asks: clients take turns. */
  readonly client: string
  /** Nobody waits for it. */
  readonly background?: boolean
  readonly signal: AbortSignal
  /** Called for each name that exists, in about the order of the candidates. A scan waits for it. */
  found(existing: Existing): Promise<void> | void
  readonly tally: ScanTally
  /** Called after each name. */
  asked?(tally: ScanTally): void
}

/** `unavailable`: the resolver is down. */
export type ScanEnd = 'whole' | 'stopped' | 'unavailable'

export interface ScanSettings {
  /** Concurrent queries, and queries in a second, of all scans of this process. */
  readonly at_once: number
  readonly per_second: number
}

export interface ScannerOptions extends ScanSettings {
  readonly open: Network['open']
  /** Of the resolvers. */
  readonly standing: () => Standing
  readonly now: () => number
}

export interface Scanner {
  /** Never rejects but when `found` does. */
  scan(request: ScanRequest): Promise<ScanEnd>
}

export const newTally = (): ScanTally => ({ asked: 0, existing: 0, unanswered: 0, unproved: 0 })

/** Addresses of a name that are told. */
const ADDRESSES = 4
/** Milliseconds for all questions about one name. */
const NAME_MS = 10_000
/** Names in a row without an answer after which the resolver is suspected. */
const SILENT_NAMES = 32
/** A label that nobody registers. */
const PROBE_OCTETS = 12
const DNS = 'lookalikes'

/** How a zone answers for names that do not exist. */
type Zone = 'honest' | 'rotating' | 'unknown' | ReadonlySet<string>

export function createScanner(options: ScannerOptions): Scanner {
  const queue = createUpstreamQueue(() => options, options.now)
  return { scan: request => new Scan(request, queue, options).run() }
}

/** One scan. */
class Scan {
  readonly #request: ScanRequest
  readonly #queue: ReturnType<typeof createUpstreamQueue>
  readonly #options: ScannerOptions
  readonly #over = new AbortController()
  readonly #stopping: AbortSignal
  readonly #zones = new Map<string, Promise<Zone>>()
  readonly #candidates: Iterator<Candidate>
  #silent = 0
  #isDown = false

  constructor(request: ScanRequest, queue: ReturnType<typeof createUpstreamQueue>, options: ScannerOptions) {
    this.#request = request
    this.#queue = queue
    this.#options = options
    this.#stopping = AbortSignal.any([request.signal, this.#over.signal])
    this.#candidates = request.candidates[Symbol.iterator]()
  }

  /** Runs `work` with a network of its own when it is the client's turn; null when the scan is over. */
  async #asking<T>(work: (network: CheckNetwork, signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const rank = this.#request.background === true ? RANK.background : RANK.request
    const client = `${this.#request.client} ${rank}`
    const lease = await this.#queue.enter({ client, rank, resources: [DNS], signal: this.#stopping, wait_ms: null })
    if (lease === null) return null
    const lifetime = new AbortController()
    const until = AbortSignal.any([this.#stopping, lifetime.signal])
    try {
      return await work(this.#options.open({ signal: until, deadline: performance.now() + NAME_MS }), until)
    } finally {
      lifetime.abort()
      lease.end()
    }
  }

  /** Asks for two names that nobody has. */
  async #probe(zone: string): Promise<Zone> {
    const probeNames = [0, 1].map(() => `${randomBytes(PROBE_OCTETS).toString('hex')}.${zone}`)
    const answers = await Promise.all(
      probeNames.map(name => this.#asking((network, until) => network.resolver.query(name, 'A', { signal: until }))),
    )
    if (answers.every(answer => answer === null || answer.status === 'unknown')) return 'unknown'
    const [one, other] = answers.map(answer => (answer?.status === 'found' ? new Set(answer.records) : null))
    if (answers.every(answer => answer?.status !== 'found' && answer?.status !== 'no_data')) return 'honest'
    if (one == null || other == null) return new Set()
    return [...one].some(address => other.has(address)) ? new Set([...one, ...other]) : 'rotating'
  }

  #zoneOf(name: string): Promise<Zone> {
    const zone = name.slice(name.indexOf('.') + 1)
    const probe = this.#zones.get(zone) ?? this.#probe(zone)
    this.#zones.set(zone, probe)
    return probe
  }

  async #examine(candidate: Candidate): Promise<void> {
    const { name } = candidate
    const answer = await this.#asking(async (network, until) => {
      const query = { signal: until }
      const a = await network.resolver.query(name, 'A', query)
      if (a.status === 'not_found' || a.status === 'unknown') return a
      const [aaaa, mx, ns] = await Promise.all([
        network.resolver.query(name, 'AAAA', query),
        network.resolver.query(name, 'MX', query),
        network.resolver.query(name, 'NS', query),
      ])
      return { status: 'there' as const, a, aaaa, mx, isDelegated: ns.status === 'found' }
    })
    if (answer === null) return
    this.#request.tally.asked += 1
    this.#silent = answer.status === 'unknown' && SILENCE.has(answer.reason) ? this.#silent + 1 : 0
    if (answer.status === 'unknown') this.#request.tally.unanswered += 1
    if (this.#silent >= SILENT_NAMES && !isHealthy(this.#options.standing())) {
      this.#isDown = true
      this.#over.abort()
    }
    if (answer.status === 'there') {
      const addresses = [...recordsOf(answer.a), ...recordsOf(answer.aaaa)]
      if (!answer.isDelegated && !isProved(await this.#zoneOf(name), answer.a, addresses))
        this.#request.tally.unproved += 1
      else {
        this.#request.tally.existing += 1
        const mail =
          answer.mx.status === 'unknown' ? null : recordsOf(answer.mx).some(({ exchange }) => exchange !== '')
        await this.#request.found({ ...candidate, addresses: addresses.slice(0, ADDRESSES), mail })
      }
    }
    this.#request.asked?.(this.#request.tally)
  }

  async #work(): Promise<void> {
    for (;;) {
      if (this.#stopping.aborted) return
      const next = this.#candidates.next()
      if (next.done) return
      await this.#examine(next.value)
    }
  }

  async run(): Promise<ScanEnd> {
    await Promise.all(Array.from({ length: this.#options.at_once }, () => this.#work()))
    return this.#isDown ? 'unavailable' : this.#request.signal.aborted ? 'stopped' : 'whole'
  }
}

/** Reasons that are no answer of any zone. */
const SILENCE: ReadonlySet<string> = new Set(['timeout', 'unreachable', 'refused', 'servfail'])

const recordsOf = <T>(answer: Answer<T>): readonly T[] => (answer.status === 'found' ? answer.records : [])

/** Whether an answer says more than the zone says of names that nobody has. */
function isProved(zone: Zone, a: Answer<string>, addresses: readonly string[]): boolean {
  if (zone === 'honest') return true
  return typeof zone !== 'string' && a.status === 'found' && !addresses.some(address => zone.has(address))
}
