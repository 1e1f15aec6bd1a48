// The lab internet that golden sites are recorded in, and what makes a recording worth committing: nothing of the hour.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Recording } from '../../src/engine/recording.ts'
import { demoPlaces } from '../../src/testing/demo/hosts.ts'
import { GREENCHECK, writeBootstraps } from '../../src/testing/demo/outside.ts'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import { writeMmdb } from '../../src/testing/lab_mmdb.ts'
import { type Lab, type LabOptions, type Result, startLab } from '../service/lab.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { outside } from './outside.ts'
import { sites } from './sites/index.ts'

export interface Changes extends Pick<LabOptions, 'dns' | 'network'> {
  /** Of the configuration: datasets beside, or in place of, those the lab has. */
  readonly datasets?: Readonly<Record<string, unknown>>
  /** The kinds of sites there are; all unless told. */
  readonly only?: readonly string[]
  /** What becomes of a host; as it is unless told. */
  readonly alter?: (host: LabHost) => LabHost
}

export async function startGoldenLab(changes: Changes = {}): Promise<Lab> {
  const { dns, network, only, datasets, alter = host => host } = changes
  const there = sites.filter(({ kind }) => only?.includes(kind) ?? true)
  const lab = await startLab({
    hosts: [...outside(there), ...there.flatMap(({ hosts }) => hosts)].map(host => certified(alter(host))),
    ...(dns && { dns }),
    ...(network && { network }),
    settings: {
      green_hosting: { endpoint: GREENCHECK, timeout_ms: GREENCHECK_MS },
      blocklists: {},
      datasets: { ...writeDatasets(), ...datasets },
      ...(datasets && { downloads: { enabled: true } }),
    },
  })
  await lab.service.start()
  return lab
}

const DAY_MS = 86_400_000
/** A busy machine shall not miss the directory of green hosts. */
const GREENCHECK_MS = 6_000
/** Days that certificates are old, and have left; half a day beside them keeps what is counted the same all day long. */
const CERTIFICATE_DAYS = { old: 20.5, left: 69.5 }

function certified(host: LabHost): LabHost {
  const now = Date.now()
  const not_before = new Date(now - CERTIFICATE_DAYS.old * DAY_MS)
  const not_after = new Date(now + CERTIFICATE_DAYS.left * DAY_MS)
  return { ...host, certificate: { names: [host.name], not_before, not_after, ...host.certificate } }
}

function writeDatasets() {
  const directory = temporaryDirectory()
  const places = join(directory, 'places.mmdb')
  writeFileSync(places, writeMmdb(demoPlaces))
  return { city: places, asn: places, ...writeBootstraps(directory) }
}

/** When every recording was made, as far as its reader can see. */
const RECORDED_AT = Date.parse('2026-11-22T12:00:00Z')
const HOUR_MS = 3_600_000

/**
 * A recording without what differs from one run of the lab to the next: durations, keys, serial numbers, and the clock.
 * Times that the lab counts from its start are counted in whole hours from `RECORDED_AT` instead. The lab itself cannot
 * run at a fixed time, because TLS verifies certificates by the clock of the machine.
 */
export function reproducible(recording: Recording): Recording {
  const moved = (written: string): string => {
    const hours = Math.round((Date.parse(written) - Date.parse(recording.checked_at)) / HOUR_MS)
    return new Date(RECORDED_AT + hours * HOUR_MS).toISOString().replace('.000Z', 'Z')
  }
  const rules: readonly Rule[] = [
    [/^tls\.(?:chain\.\d+|root)\.not_(?:before|after)$/, moved],
    [/^registration\.(?:registered|expires)_at$/, moved],
    [/^tls\.(?:chain\.\d+|root)\.serial$/, (_, path) => `40${digest(`${asked(recording)} ${path}`).slice(0, 30)}`],
    [/^tls\.(?:chain\.\d+|root)\.fingerprint_sha256$/, (_, path) => digest(`${asked(recording)} ${path}`)],
    [/^page\.exchanges\.\d+\.headers\.date$/, () => new Date(RECORDED_AT).toUTCString()],
  ]
  const evidence = Object.entries(recording.evidence).map(([name, gathered]) => [
    name,
    gathered.status === 'gathered' ? { ...gathered, value: rewritten(gathered.value, name, rules) } : gathered,
  ])
  return {
    ...recording,
    checked_at: new Date(RECORDED_AT).toISOString(),
    evidence: Object.fromEntries(evidence),
    durations: {
      check: 0,
      sections: Object.fromEntries(Object.keys(recording.durations.sections).map(name => [name, 0])),
    },
  }
}

/** The times of requests, which no rule names. */
const TIMES = /\.(?:timing|requests\.\d+)\.\w+_ms$/

/** Depends on the OpenSSL of the Node that asks: whether it offered a group that withstands quantum computers. */
const OFFERED = 'tls.key_exchange.post_quantum'

/** Rewrites the texts whose path in the evidence matches. */
type Rule = readonly [path: RegExp, rewrite: (text: string, path: string) => string]

function rewritten(value: unknown, path: string, rules: readonly Rule[]): unknown {
  if (typeof value === 'string') return rules.find(([paths]) => paths.test(path))?.[1](value, path) ?? value
  if (path === OFFERED) return null
  if (typeof value === 'number') return TIMES.test(path) ? 0 : value
  if (Array.isArray(value)) {
    // A header field is a pair of its name and its value.
    if (path.endsWith('.headers')) return value.map(([name, text]) => [name, rewritten(text, `${path}.${name}`, rules)])
    // Requests that run at the same time end in any order.
    const inOrder = path.endsWith('.requests') ? value.toSorted((a, b) => (a.url < b.url ? -1 : 1)) : value
    return inOrder.map((one, at) => rewritten(one, `${path}.${at}`, rules))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, rewritten(one, `${path}.${name}`, rules)]),
  )
}

const asked = ({ target }: Recording): string => target.domain ?? target.ip ?? ''
const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Members that are others each time: the lab makes its certificates anew, and counts registrations' days from today. The key
 * exchange says what the Node that asks offered; the recording's is compared.
 */
const OF_THE_DAY = {
  ssl_info: ['expires_at', 'not_before', 'serial', 'fingerprint_sha256', 'chain', 'key_exchange'],
  reputation: ['registered_at', 'expires_at'],
}

/** A result without what differs from one run of the lab to the next. */
export function stable({ checked_at: _, requests: __, ssl_info, reputation, coverage, ...result }: Result): object {
  const sections = Object.entries(coverage.sections).map(([name, one]) => [name, { ...one, duration_ms: 0 }] as const)
  return {
    ...result,
    ssl_info: without(ssl_info, OF_THE_DAY.ssl_info),
    reputation: without(reputation, OF_THE_DAY.reputation),
    coverage: { ...coverage, sections: Object.fromEntries(sections) },
  }
}

/** `section` may be null. */
const without = (section: unknown, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(section ?? {}).filter(([name]) => !names.includes(name)))
