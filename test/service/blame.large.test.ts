// Blame: every failure of one of our instruments against every state of a target, through the whole service.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { AnalysisUnavailable } from '../../src/engine/analysis.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { knownDatasets } from '../../src/knowledge/datasets/known_datasets.ts'
import type { Dial } from '../../src/network/network.ts'
import type { LabFault, LabQuestion } from '../../src/testing/lab_dns.ts'
import { type LabHost, type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import type { LabHandler } from '../../src/testing/lab_web.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { labSettings, type RequestedTarget, serviceFor, targetOf } from './lab.ts'

const page: LabHandler = () => ({ body: '<title>A page</title><p>Nothing more.' })
const SILENT_ADDRESS = '193.0.14.71'
const CLOSED_ADDRESS = '193.0.14.72'
const MUTE_ADDRESS = '193.0.14.73'

const hosts: readonly LabHost[] = [
  { name: 'control.lab', addresses: ['193.0.14.70'], https: page },
  { name: 'healthy.lab', addresses: ['193.0.14.74'], https: page },
  { name: 'swallows-all.lab', addresses: [SILENT_ADDRESS] },
  { name: 'closed.lab', addresses: [CLOSED_ADDRESS] },
  { name: 'hangs-up.lab', addresses: [MUTE_ADDRESS] },
  { name: 'no-address.lab', addresses: [], records: { TXT: ['v=spf1 -all'] } },
  { name: 'inside.lab', addresses: ['10.1.2.3'] },
]

/** The behaviour of a target's name servers, by the target's first label; the same for every name below it. */
const zoneFaults: Readonly<Record<string, (question: LabQuestion) => LabFault>> = {
  'dns-silent': () => ({ silent: true }),
  'dns-refuses': () => ({ rcode: 'REFUSED' }),
  'dns-fails': () => ({ rcode: 'SERVFAIL' }),
  'dns-garbage': () => ({ raw: reply => [reply.subarray(0, reply.length - 1), Buffer.from('no DNS at all')] }),
  'dns-aliases': ({ name }) => ({ records: { CNAME: [`a${name.length}.${name}`] } }),
  'dns-alias-loop': ({ name }) => ({ records: { CNAME: [name] } }),
  'listed-silent': () => ({ silent: true }),
  'listed-refuses': () => ({ rcode: 'REFUSED' }),
  'listed-fails': () => ({ rcode: 'SERVFAIL' }),
  'listed-garbage': () => ({ raw: reply => [reply.subarray(0, reply.length - 1)] }),
  'listed-aliases': ({ name }) => ({ records: { CNAME: [`a${name.length}.${name}`] } }),
  'listed-gone': () => ({ rcode: 'NXDOMAIN' }),
}

/** The outcome of a check: `malicious`, the status and reason of the section that shows the failure, or no result. */
type Outcome = string

interface TargetState {
  readonly of: string
  readonly asked: RequestedTarget
  /** The outcome while all our instruments work. */
  readonly healthy: Outcome
  /** The target needs connections too, so that nothing can be judged while the way out is down. */
  readonly connects: boolean
}

const named = (label: string, of: string, healthy: Outcome, connects = false): TargetState => ({
  of,
  asked: { domain: `${label}.lab` },
  healthy,
  connects,
})

const unavailable = (reason: string) => `suspicious, dns_security unavailable ${reason}`

const targets: readonly TargetState[] = [
  named('healthy', 'a healthy site', 'safe', true),
  named('gone', 'a name that does not exist', 'suspicious, dns_security not_applicable domain_not_found'),
  named('no-address', 'a name without addresses', 'safe'),
  named('inside', 'a name that points inside', 'safe'),
  named('dns-silent', 'name servers that are silent', unavailable('timeout')),
  named('dns-refuses', 'name servers that refuse', unavailable('refused')),
  named('dns-fails', 'name servers that fail', unavailable('servfail')),
  named('dns-garbage', 'name servers that answer garbage', unavailable('malformed')),
  named('dns-aliases', 'name servers that hand out one alias a reply', unavailable('timeout')),
  named('dns-alias-loop', 'an alias of itself', unavailable('cname_loop')),
  named('swallows-all', 'a host that swallows everything', 'safe', true),
  named('closed', 'a host that refuses both ports', 'safe', true),
  named('hangs-up', 'a host that hangs up without a word', 'safe', true),
  named('listed-silent', 'a listed name whose name servers are silent', 'malicious'),
  named('listed-refuses', 'a listed name whose name servers refuse', 'malicious'),
  named('listed-fails', 'a listed name whose name servers fail', 'malicious'),
  named('listed-garbage', 'a listed name whose name servers answer garbage', 'malicious'),
  named('listed-aliases', 'a listed name of endless aliases', 'malicious'),
  named('listed-gone', 'a listed name that does not exist', 'malicious'),
  { of: 'an address that swallows everything', asked: { ip: SILENT_ADDRESS }, healthy: 'safe', connects: true },
  { of: 'an address that refuses both ports', asked: { ip: CLOSED_ADDRESS }, healthy: 'safe', connects: true },
]

/** Faults on our side; `resolver` and `way_out` are the reasons that a withheld result names. */
interface Condition {
  readonly of: string
  readonly dns?: (question: LabQuestion) => LabFault | undefined
  /** Nothing listens at the resolver's address. */
  readonly noResolver?: true
  readonly dial?: (internet: LabInternet) => Dial
  /** No control host is configured. */
  readonly unproved?: true
  readonly reason: string | null
}

const failing =
  (code: string): Condition['dial'] =>
  () =>
  () => {
    const socket = new Socket()
    process.nextTick(() => socket.destroy(Object.assign(new Error(code), { code })))
    return socket
  }

const bare = (reply: Buffer) => {
  const message = Buffer.from(reply)
  message.writeUInt16BE(0, 8)
  return [message]
}

const conditions: readonly Condition[] = [
  { of: 'all our instruments work', reason: null },
  { of: 'our resolver is silent', dns: () => ({ silent: true }), reason: 'resolver_timeout' },
  { of: 'our resolver has lost its uplink', dns: () => ({ rcode: 'SERVFAIL' }), reason: 'resolver_servfail' },
  { of: 'our resolver refuses us', dns: () => ({ rcode: 'REFUSED' }), reason: 'resolver_refused' },
  {
    of: 'our resolver denies every name, without SOA',
    dns: () => ({ rcode: 'NXDOMAIN' }),
    reason: 'resolver_denies_what_exists',
  },
  { of: 'our resolver has no record of anything', dns: () => ({ records: {} }), reason: 'resolver_denies_what_exists' },
  {
    of: 'our resolver denies filtered names without SOA',
    dns: ({ name }) => (/^[0-9a-f]{24}\./.test(name) ? { raw: bare } : undefined),
    reason: 'resolver_nxdomain_without_soa',
  },
  {
    of: 'our resolver sends malformed replies',
    dns: () => ({ raw: reply => [reply.subarray(0, reply.length - 1)] }),
    reason: 'resolver_malformed',
  },
  { of: 'nothing listens at the resolver address', noResolver: true, reason: 'resolver_unreachable' },
  { of: 'there is no route out', dial: failing('ENETUNREACH'), reason: 'way_out_no_route' },
  { of: 'a firewall drops all outgoing packets', dial: () => () => new Socket(), reason: 'way_out_timeout' },
  { of: 'a firewall rejects all outgoing connections', dial: failing('ECONNREFUSED'), reason: 'way_out_refused' },
  { of: 'a firewall resets all outgoing connections', dial: failing('ECONNRESET'), reason: 'way_out_reset' },
  {
    of: 'nothing has proved the way out',
    dial: () => () => new Socket(),
    unproved: true,
    reason: 'way_out_unproved',
  },
]

const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))

/** Most of the time is spent waiting for replies that never come. */
const TOGETHER = { concurrency: 2 }

describe('every check', TOGETHER, () => {
  for (const { of, dns, noResolver, dial, unproved, reason } of conditions) {
    describe(`when ${of}`, () => {
      let internet: LabInternet
      let service: Awaited<ReturnType<typeof serviceFor>>
      before(async () => {
        const fault = (question: LabQuestion) => {
          const label = question.name.split('.').at(-2) ?? ''
          return dns?.(question) ?? (question.name.endsWith('.lab') ? zoneFaults[label]?.(question) : undefined)
        }
        internet = await startLabInternet(hosts, { fault, chase: false })
        for (const port of [80, 443]) internet.web.place(SILENT_ADDRESS, port, 'black_hole')
        for (const port of [80, 443]) await internet.web.script(MUTE_ADDRESS, port, [socket => void socket.end()])
        const list = join(temporaryDirectory(), 'list')
        writeFileSync(
          list,
          Object.keys(zoneFaults)
            .filter(label => label.startsWith('listed'))
            .map(label => `${label}.lab\n`)
            .join(''),
        )
        const resolvers = noResolver ? ['127.0.0.1:1'] : [internet.dns.address]
        const egress_controls = unproved ? [] : ['control.lab']
        const limits = { dns_try_ms: 1_000, dns_phase_ms: 2_500, dns_queries: 30, connect_ms: 2_000, tls_ms: 3_000 }
        const settings = {
          ...labSettings(internet, { resolvers, egress_controls, limits }),
          blocklists: { enabled: Object.fromEntries(knownLists.map(({ id }) => [id, false])) },
          datasets: { ...off, own: { use: 'feed', path: list, category: 'phishing', strength: 'strong' } },
          plugins: { geo_location: false, carbon_footprint: false },
        }
        service = await serviceFor(settings, { dial: dial?.(internet) ?? internet.dial, extra_roots: internet.root })
        await service.start()
      })
      after(async () => {
        await service.close()
        await internet.close()
      })

      const outcomeOf = async (asked: RequestedTarget): Promise<Outcome> => {
        try {
          const { result } = await service.engine.check(targetOf(service, asked))
          const { status, reason } = (result['coverage'] as Coverage).sections['dns_security'] ?? {}
          // The limit that ends an endless chain depends on how busy this machine is.
          const limit = reason === 'too_many_queries' ? 'timeout' : reason
          const shown = status === 'completed' || asked.ip !== undefined ? '' : `, dns_security ${status} ${limit}`
          return result['verdict'] === 'malicious' ? 'malicious' : `${result['verdict']}${shown}`
        } catch (error) {
          if (!(error instanceof AnalysisUnavailable)) throw error
          assert.match(
            error.detail ?? '',
            reason?.startsWith('resolver') ? /^The DNS resolver is / : /^Outbound Internet access /,
          )
          return error.reason
        }
      }

      it('ends every check as expected', async () => {
        const ended = await Promise.all(targets.map(async ({ of, asked }) => [of, await outcomeOf(asked)]))
        const expected = targets.map(target => [target.of, expectedOf(target, reason)])
        assert.deepEqual(ended, expected)
      })

      it('names the instrument', () => {
        const down = service.instruments().filter(({ state, kind }) => state !== 'healthy' && kind !== 'feed')
        const named = down.map(({ kind, name, state, fault }) => `${kind} ${name} ${state} ${fault}`)
        const [, kind = '', fault = ''] = /^(resolver|way_out)_(.*)$/.exec(reason ?? '') ?? []
        if (kind === 'resolver') assert.ok(named.includes(`resolver 1 down ${fault}`), named.join())
        if (kind === 'way_out' && !unproved) assert.ok(named.includes(`way_out ipv4 down ${fault}`), named.join())
        if (reason === null) assert.deepEqual(named, ['way_out ipv6 unproved null'])
      })
    })
  }
})

type Coverage = {
  readonly sections: Readonly<Record<string, { readonly status: string; readonly reason: string | null }>>
}

/** A listing is always reported. While the resolver is down, every other verdict is withheld; while the way out is down, those that need it. */
function expectedOf({ healthy, connects }: TargetState, reason: string | null): Outcome {
  if (reason === null || healthy === 'malicious') return healthy
  if (reason.startsWith('resolver')) return reason
  if (reason === 'way_out_unproved') return connects ? reason : healthy
  return connects || healthy === 'safe' ? reason : healthy
}
