// Finds the DMARC policy that applies to a name, its own or one found by the DNS tree walk (RFC 9989 sections 4.10 and
// 4.10.1), and the addresses its reports go to.
import { getDomain } from 'tldts'
import { canonicalName, isAskable } from '../../network/dns_records.ts'
import { type Ask, outcomeOf, readable, records, VALUE_CHARACTERS } from './dns_records.ts'
import type { Dmarc, DmarcDiscovery, DmarcStep, ReportAddress, TagList } from './facts.ts'
import { isRecord, readTexts, syntax, tagValue } from './tag_list.ts'

export async function askDmarc(domain: string, ask: Ask): Promise<Dmarc> {
  const discovery = await discoverDmarc(domain, ask)
  const record = discovery.steps.find(step => step.name === discovery.applied)?.record ?? null
  const isPublished = discovery.applied !== null && record !== null
  const reports = isPublished ? await askReportAddresses(discovery.applied, record, ask) : []
  return { reports, ...discovery }
}

/** The walk shortens longer names to this many labels, so that no name costs more than eight queries. */
const WALK_LABELS = 7
/** Texts kept per name. */
const TEXTS_KEPT = 5

async function askAt(name: string, ask: Ask): Promise<DmarcStep> {
  const answer = await ask(`_dmarc.${name}`, 'TXT')
  const { recordTexts, lookalikes, list } = readTexts(answer, syntax.dmarc)
  return {
    name,
    ...outcomeOf(answer),
    count: recordTexts.length,
    texts: recordTexts.slice(0, TEXTS_KEPT).map(text => readable(text)),
    lookalikes,
    record: list,
  }
}

/** The record that receivers use: the only one, if it is valid. */
const usable = ({ record }: DmarcStep): TagList | null => (record?.valid === true ? record : null)

/** The parent names, longest first; a name of eight or more labels continues with its last seven. */
export function walkNames(domain: string): string[] {
  const labels = domain.split('.')
  const above = labels.slice(-Math.min(labels.length - 1, WALK_LABELS))
  return labels.length < 2 ? [] : above.map((_, index) => above.slice(index).join('.'))
}

function psd(step: DmarcStep): string | null {
  const record = usable(step)
  return record === null ? null : (tagValue(record, 'psd')?.toLowerCase() ?? 'u')
}

/**
 * The parent whose record applies (RFC 9989 section 4.10.2): `psd=n` ends the walk; `psd=y` makes the name one label
 * below it the organizational domain; otherwise the record with the fewest labels applies. Null when a name on the way
 * did not answer, because it could hold any of these.
 */
function appliedAbove(domain: string, parents: readonly DmarcStep[]): string | null {
  const stop = parents.findIndex(step => psd(step) === 'n' || psd(step) === 'y')
  const walkedSteps = stop < 0 ? parents : parents.slice(0, stop + 1)
  if (walkedSteps.some(({ status }) => status === 'unknown')) return null
  const last = walkedSteps.at(-1)
  const publishedSteps = walkedSteps.filter(step => usable(step) !== null)
  if (stop < 0 || last === undefined || psd(last) === 'n') return publishedSteps.at(-1)?.name ?? null
  const below = [domain, ...walkedSteps.map(step => step.name)].at(-2)
  return publishedSteps.find(step => step.name === below)?.name ?? last.name
}

/** Asks at the name, and only if it has no usable record at all parents at once. */
async function discoverDmarc(domain: string, ask: Ask): Promise<DmarcDiscovery> {
  const own = await askAt(domain, ask)
  if (usable(own) !== null) return { steps: [own], applied: domain }
  if (own.status === 'unknown') return { steps: [own], applied: null }
  const parents = await Promise.all(walkNames(domain).map(name => askAt(name, ask)))
  return { steps: [own, ...parents], applied: appliedAbove(domain, parents) }
}

/** Addresses read per tag, and external hosts asked about; real records have one or two. */
const ADDRESSES = 10
const HOSTS_ASKED = 3

/** The mail domain of `mailto:local@domain` without an obsolete size limit (`!10m`) or header fields (`?subject=`). */
function mailDomain(address: string): string | null {
  const mailbox = address.split(/[?!]/, 1)[0] ?? ''
  const at = mailbox.lastIndexOf('@')
  const host = canonicalName(mailbox.slice(at + 1))
  return at > 0 && host.includes('.') && isAskable(host) && /^[a-z0-9._-]+$/.test(host) ? host : null
}

type ReportUri = Pick<ReportAddress, 'uri' | 'scheme' | 'host'>

/** Parses `dmarc-urilist` (RFC 9989 section 4.8), at most 10 addresses. Linear; never throws. */
export function parseReportUris(list: string): ReportUri[] {
  return list
    .split(',', ADDRESSES)
    .map(piece => piece.trim())
    .filter(uri => uri !== '')
    .map(uri => {
      const scheme = /^([a-z][a-z0-9+.-]*):\S+$/i.exec(uri.slice(0, VALUE_CHARACTERS))?.[1]?.toLowerCase() ?? null
      const host = scheme === 'mailto' ? mailDomain(uri.slice('mailto:'.length)) : null
      return { uri: readable(uri, VALUE_CHARACTERS), scheme, host }
    })
}

/** The organizational domain by the public suffix list. */
export const organization = (name: string) => getDomain(name, { allowPrivateDomains: true }) ?? name

/** Whether an external receiver agreed to take the reports (RFC 9990 section 4); null when it did not answer. */
async function isAuthorized(domain: string, host: string, ask: Ask): Promise<boolean | null> {
  const answer = await ask(`${domain}._report._dmarc.${host}`, 'TXT')
  return answer.status === 'unknown' ? null : records(answer).some(text => isRecord(text, syntax.dmarc))
}

/** The report addresses of a record published at `domain`; asks at most 3 external hosts. */
async function askReportAddresses(domain: string, record: TagList, ask: Ask): Promise<ReportAddress[]> {
  const addresses = (['rua', 'ruf'] as const).flatMap(tag =>
    parseReportUris(tagValue(record, tag) ?? '').map(uri => ({
      tag,
      ...uri,
      external: uri.host !== null && organization(uri.host) !== organization(domain),
    })),
  )
  const hosts = [...new Set(addresses.flatMap(({ external, host }) => (external && host !== null ? [host] : [])))]
  const answers = new Map(
    await Promise.all(
      hosts.slice(0, HOSTS_ASKED).map(async host => [host, await isAuthorized(domain, host, ask)] as const),
    ),
  )
  return addresses.map(address => ({
    authorized: address.external ? (answers.get(address.host ?? '') ?? null) : null,
    ...address,
  }))
}
