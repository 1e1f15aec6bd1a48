// From a situation to the evidence a check of it would gather: by the real gatherers where DNS is all they ask.
import { CpuQueue } from '../../../../src/base/cpu_queue.ts'
import type { GatherOutcome } from '../../../../src/engine/analysis.ts'
import { gatherAddresses } from '../../../../src/evidence/addresses/gather.ts'
import { gatherDns } from '../../../../src/evidence/dns/gather.ts'
import type { GatherContext } from '../../../../src/evidence/evidence.ts'
import { asDeclined, NotApplicable } from '../../../../src/evidence/facts.ts'
import createListingsGatherer from '../../../../src/evidence/listings/gather.ts'
import { gatherMailRecords } from '../../../../src/evidence/mail_records/gather.ts'
import createNameScoreGatherer from '../../../../src/evidence/name_score/gather.ts'
import { shippedNameModel } from '../../../../src/evidence/name_score/name_model.ts'
import { notRegistered } from '../../../../src/evidence/registration/facts.ts'
import { gatherReverseNames } from '../../../../src/evidence/reverse_names/gather.ts'
import { createGuard } from '../../../../src/network/guard.ts'
import { limits } from '../../../../src/network/limits.ts'
import type { CheckNetwork } from '../../../../src/network/network.ts'
import { parseTarget, type Target } from '../../../../src/targets/target.ts'
import { allHealthy } from '../../../evidence/listings_lab.ts'
import { resolverOf } from '../../../evidence/mail_zone.ts'
import { farDeadline } from '../../../patience.ts'
import { feedsOf, popularityOf } from './memory.ts'
import type { Situation } from './situation.ts'
import { webOf } from './web.ts'
import { LISTS, zoneOf } from './zone.ts'

export const NOW = new Date('2026-11-20T12:00:00Z')
const DAY_MS = 86_400_000

const guard = createGuard({ own: () => [] })

export function targetOf({ domain, ip }: Situation): Target {
  const parsed = parseTarget({ domain: domain ?? null, ip: ip ?? null }, guard)
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.target
}

function networkOf(situation: Situation, target: Target): CheckNetwork {
  const { resolver } = resolverOf(zoneOf(situation, target))
  const mute = situation.silent?.includes('lists') === true
  const ofList = (name: string) => LISTS.some(({ zone }) => name.endsWith(`.${zone}`))
  return {
    limits,
    began: 0,
    resolver: {
      query: async (name, type, options) =>
        mute && ofList(name) ? { status: 'unknown', reason: 'timeout' } : resolver.query(name, type, options),
    },
    ...guard,
    connect: async () => ({ ok: false, failure: 'refused' }),
    fetch: async () => ({ ok: false, exchanges: [], failure: 'refused' }),
    takeRequest: () => true,
    reachesMail: () => false,
  }
}

function registrationOf({ age_days = null, registration }: Situation, target: Target) {
  if (target.kind === 'ip') throw new NotApplicable('ip_target')
  const registered_at =
    age_days === null ? null : `${new Date(NOW.getTime() - age_days * DAY_MS).toISOString().slice(0, 19)}Z`
  const { registered: domain } = target
  return { ...notRegistered, source: 'rdap', domain, registered: true, registered_at, ...registration }
}

const NOWHERE = {
  country: 'NL',
  country_name: 'Netherlands',
  region: null,
  city: null,
  latitude: null,
  longitude: null,
}

/** Every kind of evidence, with how it went. */
export async function seen(situation: Situation, target: Target): Promise<Readonly<Record<string, GatherOutcome>>> {
  const network = networkOf(situation, target)
  const gathering = new Map<string, Promise<unknown>>()
  const gather = ((name: string) => {
    const known = gathering.get(name) ?? Promise.resolve().then(() => gatherers[name]?.())
    gathering.set(name, known)
    return known
  }) as GatherContext['gather']
  const signal = new AbortController().signal
  const deadline = farDeadline()
  const cpu = new CpuQueue().open('')
  const context: GatherContext = { target, now: NOW, signal, deadline, network, cpu, shared: new Map(), gather }
  const web = webOf(situation, target, context)
  const [asn, organization] = situation.network ?? [64_496, 'Harbour Internet']
  const gatherers: Readonly<Record<string, () => unknown>> = {
    addresses: () => gatherAddresses(context),
    dns: () => gatherDns(context),
    mail_records: () => gatherMailRecords(context),
    reverse_names: () => gatherReverseNames(context),
    listings: () => createListingsGatherer({ blocklists: { lists: LISTS, health: allHealthy } })(context),
    feeds: () => feedsOf(situation)(context),
    popularity: () => popularityOf(situation)(context),
    name_score: () => createNameScoreGatherer({ name_model: shippedNameModel })(context),
    registration: () => registrationOf(situation, target),
    location: async () => {
      const [first] = (await gather('addresses')).dialable
      if (!first) throw new NotApplicable('no_address')
      return { ip: first.address, ...NOWHERE, asn, organization }
    },
    ...web,
  }
  const entries = Object.keys(gatherers).map(async name => [name, await settled(situation, name, gather)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

async function settled(
  { silent = [] }: Situation,
  name: string,
  gather: GatherContext['gather'],
): Promise<GatherOutcome> {
  if (silent.includes(name)) return { status: 'unavailable', reason: 'timeout' }
  try {
    return { status: 'gathered', value: await gather(name as never) }
  } catch (error) {
    const declined = asDeclined(error)
    if (declined === null) throw error
    return declined
  }
}
