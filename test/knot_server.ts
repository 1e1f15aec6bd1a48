// A real Knot DNS on a free port of loopback: a signed zone, and zones delegated by it, which are signed or not.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DnsDaemon, freePort, startDaemon } from './dns_daemon.ts'
import { temporaryDirectory } from './temporary_directory.ts'

export interface KnotZone {
  /** Lines of the zone file, besides SOA and NS. */
  readonly records: readonly string[]
  readonly signed: boolean
  /** Changes a line of the zone after it was signed; null leaves it out. */
  readonly tamper?: (line: string) => string | null
}

export interface Knot extends DnsDaemon {
  /** The DS record of the parent zone. */
  readonly anchor: string
}

/** Starts it with the zones, by name, and their common parent, which is signed. */
export async function startKnot(parent: string, zones: Readonly<Record<string, KnotZone>>): Promise<Knot> {
  const directory = temporaryDirectory()
  const port = await freePort()
  for (const folder of ['kasp', 'plain', 'served']) mkdirSync(join(directory, folder))
  const names = [...Object.keys(zones), parent]
  const [signing, serving] = [join(directory, 'signing.conf'), join(directory, 'serving.conf')]
  writeFileSync(signing, configuration(directory, port, names, 'plain'))
  writeFileSync(serving, configuration(directory, port, names, 'served'))

  const publish = (name: string, { records, signed, tamper = line => line }: KnotZone): string[] => {
    const file = `${name}.zone`
    const [plain, served] = [join(directory, 'plain', file), join(directory, 'served', file)]
    const head = [
      `$ORIGIN ${name}.`,
      '@ 300 SOA ns hostmaster 1 7200 900 1209600 300',
      '@ 300 NS ns',
      'ns 300 A 127.0.0.1',
    ]
    writeFileSync(plain, `${[...head, ...records].join('\n')}\n`)
    if (signed) sign(signing, join(directory, 'served'), name)
    const lines = readFileSync(signed ? served : plain, 'utf8').split('\n')
    writeFileSync(served, lines.flatMap(line => tamper(line) ?? []).join('\n'))
    // The CDS record says what the DS record must be (RFC 7344).
    return lines.flatMap(line => /^\S+\s+\d+\s+CDS\s+(.*)$/.exec(line)?.[1] ?? [])
  }

  const delegations = Object.entries(zones).flatMap(([name, zone]) => [
    `${name}. 300 NS ns.${name}.`,
    `ns.${name}. 300 A 127.0.0.1`,
    ...publish(name, zone).map(digest => `${name}. 300 DS ${digest}`),
  ])
  const [digest] = publish(parent, { records: delegations, signed: true })
  const daemon = await startDaemon('knotd', ['-c', serving], port)
  return { ...daemon, anchor: `${parent}. DS ${digest}` }
}

function sign(config: string, into: string, zone: string): void {
  const { status, stderr } = spawnSync('kzonesign', ['-c', config, '-o', into, zone], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`kzonesign ended with ${status}: ${stderr}`)
}

/** Zones are signed from `plain` into `served`, and served from there as they are. */
const configuration = (
  directory: string,
  port: number,
  zones: readonly string[],
  folder: 'plain' | 'served',
): string => `server:
  rundir: "${directory}"
  listen: 127.0.0.1@${port}
database:
  storage: "${directory}/kasp"
policy:
  - id: test
    algorithm: ecdsap256sha256
    single-type-signing: on
template:
  - id: default
    storage: "${directory}/${folder}"
    file: "%s.zone"
    semantic-checks: off
    zonefile-sync: -1
    journal-content: none
    ${folder === 'plain' ? 'dnssec-policy: test' : ''}
zone:
${zones.map(zone => `  - domain: ${zone}\n`).join('')}`
