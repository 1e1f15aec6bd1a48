// A fault as data: what the world says that is wrong, what is asked, and what must come of it.
import type { TlsOptions } from 'node:tls'
import type { CertificateOptions, Credentials } from '../../src/testing/lab_ca.ts'
import type { LabFault, LabQuestion, LabZones } from '../../src/testing/lab_dns.ts'
import type { Step } from '../../src/testing/lab_script.ts'
import type { LabHandler, LabSite, LabWeb } from '../../src/testing/lab_web.ts'
import type { Answer, Asking, Headers } from './client.ts'
import type { FaultService } from './service.ts'

/** What a case has to itself: nobody else uses these. */
export interface Place {
  readonly name: string
  readonly address: string
  readonly address6: string
  /** A name that has a registry service, the case's own, and that service's host. */
  readonly registered: string
  readonly registry: string
  /** A name and an address that are another site's. */
  readonly other: string
  readonly other_address: string
  /** Swallows all that is sent to it; the other one only what is sent to port 443. */
  readonly hole: string
  readonly hole6: string
  readonly half_hole: string
  /** By the lab's authority, which the service trusts. */
  issue(options?: CertificateOptions): Credentials
  selfSign(options?: CertificateOptions): Credentials
}

export interface Script {
  readonly at?: string
  readonly port: number
  readonly steps: readonly Step[]
  /** Inside TLS; `true` with a healthy certificate. */
  readonly tls?: TlsOptions | true
}

export interface World {
  /** The name at the place's address unless told. */
  readonly zones?: LabZones
  /** Asked of questions about the case's names; `server` is the resolver, 0 or 1. */
  readonly dns?: (question: LabQuestion, server: number) => LabFault | undefined
  readonly sites?: readonly LabSite[]
  readonly scripts?: readonly Script[]
  readonly rdap?: LabHandler
  /** When the case is over. */
  readonly end?: () => void
}

export interface Expected {
  readonly status?: number
  readonly code?: string
  /** By section: its status, and reason if there is one (`unavailable servfail`); `web` is short for those that read the page. */
  readonly sections?: Readonly<Record<string, string>>
  readonly signals?: readonly string[]
  readonly without?: readonly string[]
  /** Fields of the result by path, such as `ssl_info.protocol`. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Every connection that reached the case's servers, in any order. */
  readonly connections?: readonly string[]
  readonly within_ms?: number
  /** What no table can say. Throws when it is not so. */
  readonly holds?: (seen: Seen, place: Place) => void
}

export interface Seen {
  readonly answer: Answer
  readonly web: LabWeb['seen']
  /** Questions about the case's names. */
  readonly queries: readonly LabQuestion[]
}

/** A fault that is more than one question and one answer. */
export interface Scene {
  readonly place: Place
  readonly key: string
  readonly seen: Omit<Seen, 'answer'>
  /** With the case's key unless headers say otherwise. */
  get(query: string, headers?: Headers): Promise<Answer>
  request(method: string, path: string, headers?: Headers): Promise<Answer>
  /** Octets to the service as they are, and what comes back. */
  raw(...parts: readonly (string | Buffer)[]): Promise<string>
  /** Where octets of one's own go. */
  connection(): Pick<Asking, 'host' | 'port' | 'from'>
  /** Answers that were asked for with the case's key, but not by `get`. */
  charge(count: number): void
  readonly service: FaultService
  /** A key of an account of its own; `plan` is one of the configuration's. */
  newKey(plan?: string): Promise<string>
  revoke(key: string): Promise<void>
  /** Lines of the service's log since the case began. */
  log(): Promise<readonly Record<string, unknown>[]>
}

/** Navigations to the front page: files that redirect there and the request as another origin are not. */
export const visitsOf = (web: Seen['web']): number =>
  web.requests.filter(({ url, headers }) => url === '/' && String(headers['accept']).startsWith('text/html')).length

export interface FaultCase {
  /** Of the list of faults. */
  readonly row: number
  /** Completes "the service withstands ...". */
  readonly of: string
  /** Only where addresses are real. */
  readonly needs?: 'namespace'
  readonly world?: (place: Place) => World | Promise<World>
  /** Parameters of the query; the place's name as `domain` unless told. */
  readonly ask?: (place: Place) => string
  readonly expect?: Expected
  readonly play?: (scene: Scene) => Promise<void>
  /** It waits for limits to pass: all such are played at once, at the end. */
  readonly slow?: true
}
