// The datasets of an installation in a lab: publishers with certificates on loopback, a directory, and a fake clock.
import { join } from 'node:path'
import type { Setting } from '../../../src/knowledge/datasets/choose.ts'
import { type Datasets, openDatasets } from '../../../src/knowledge/datasets/datasets.ts'
import { knownDatasets } from '../../../src/knowledge/datasets/known_datasets.ts'
import { createNetwork } from '../../../src/network/create_network.ts'
import { createFetch } from '../../../src/network/fetch.ts'
import { createGuard } from '../../../src/network/guard.ts'
import type { Network } from '../../../src/network/network.ts'
import { createAuthority } from '../../../src/testing/lab_ca.ts'
import { type LabHost, type LabInternet, startLabInternet } from '../../../src/testing/lab_internet.ts'
import { request, type Step } from '../../../src/testing/lab_script.ts'
import type { LabRequest, LabResponse } from '../../../src/testing/lab_web.ts'
import { PATIENT } from '../../patience.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'

const BROKEN = '93.184.216.54'
export const HOUR_MS = 3_600_000

/** The publisher's responses in order; the last one repeats. */
export type Answers = readonly ((request: LabRequest) => LabResponse | Promise<LabResponse>)[]

export interface RefreshLab {
  readonly internet: LabInternet
  /** The requests to the publisher. */
  readonly requests: LabRequest[]
  /** Replaces the responses. */
  answer(...answers: Answers): void
  /** The behaviour of `https://broken.lab/`. */
  script(steps: readonly Step[]): Promise<void>
  /** Opens the datasets as a new process would, with the known ones disabled. */
  open(settings: Readonly<Record<string, Setting>>, options?: Partial<OpenOptions>): Promise<Datasets>
  close(): Promise<void>
}

export interface OpenOptions {
  readonly directory: string
  readonly now: () => number
  readonly offline: boolean
  readonly downloads: boolean
  readonly timeout_seconds: number
}

export const FEED = 'https://feeds.lab/names.txt'
export const mine = (parts: object = {}): Setting => ({
  use: 'feed',
  url: FEED,
  category: 'phishing',
  strength: 'strong',
  ...parts,
})

/** A list of this many names. */
export const names = (count: number): string =>
  Array.from({ length: count }, (_, n) => `host${n}.evil${n}.com`).join('\n')

export async function startRefreshLab(more: readonly LabHost[] = []): Promise<RefreshLab> {
  const requests: LabRequest[] = []
  let answers: Answers = []
  const publisher: LabHost = {
    name: 'feeds.lab',
    addresses: ['93.184.216.50'],
    https: async request => {
      requests.push(request)
      const answer = answers.length > 1 ? answers[0] : answers.at(-1)
      if (answers.length > 1) answers = answers.slice(1)
      return answer ? answer(request) : { status: 404 }
    },
  }
  const broken: LabHost = { name: 'broken.lab', addresses: [BROKEN] }
  const internet = await startLabInternet([publisher, broken, ...more])
  const authority = createAuthority()
  const credentials = authority.issue({ names: [broken.name] })
  const networks: Network[] = []
  const opened: Datasets[] = []
  const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))
  const connect = (offline: boolean) => {
    const network = createNetwork({
      resolvers: [internet.dns.address],
      guard: createGuard(),
      dial: offline ? (_address, port) => internet.dial('198.51.100.1', port) : internet.dial,
      fetch: createFetch({ extra_roots: internet.root + authority.certificate }),
      limits: PATIENT,
    })
    networks.push(network)
    return network
  }
  return {
    internet,
    requests,
    answer(...given) {
      answers = given
      requests.length = 0
    },
    script: steps => internet.web.script(BROKEN, 443, [request(), ...steps], credentials),
    async open(settings, options = {}) {
      const { directory = join(temporaryDirectory(), 'datasets'), now = Date.now, offline = false } = options
      const datasets = await openDatasets({
        settings: { ...off, ...settings },
        downloads: { enabled: options.downloads ?? true, timeout_seconds: options.timeout_seconds ?? 20 },
        loading_ms: 30_000,
        directory,
        network: connect(offline),
        clock: { now, monotonic: () => performance.now() },
        random: () => 0.5,
      })
      opened.push(datasets)
      return datasets
    },
    async close() {
      await Promise.all(opened.map(datasets => datasets.stop()))
      await Promise.all(networks.map(network => network.close()))
      await internet.close()
    },
  }
}
