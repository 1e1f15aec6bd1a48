// Where DMARC reports are asked to go, and whether receivers outside the domain agreed to take them (RFC 9990 section 4).

import { getDomain } from 'tldts'
import { canonicalName, isAskable } from '../../network/dns_name.ts'
import { type Ask, records } from './ask.ts'
import type { ReportAddress, TagList } from './facts.ts'
import { hasVersion, tagValue } from './tag_list.ts'
import { readable, VALUE_CHARACTERS } from './text.ts'

/** Addresses of one tag that are read, and hosts elsewhere that are asked about: real records have one or two. */
const ADDRESSES = 10
const HOSTS_ASKED = 3

/** The mail domain of `mailto:local@domain`, an obsolete size limit (`!10m`) and header fields (`?subject=`) left out. */
function mailDomain(address: string): string | null {
  const mailbox = address.split(/[?!]/, 1)[0] ?? ''
  const at = mailbox.lastIndexOf('@')
  const host = canonicalName(mailbox.slice(at + 1))
  return at > 0 && host.includes('.') && isAskable(host) && /^[a-z0-9._-]+$/.test(host) ? host : null
}

type ReportUri = Pick<ReportAddress, 'uri' | 'scheme' | 'host'>

/** Reads `dmarc-urilist` (RFC 9989 section 4.8); at most 10 addresses. Linear; never throws. */
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

const organization = (name: string) => getDomain(name, { allowPrivateDomains: true }) ?? name

async function isAuthorized(domain: string, host: string, ask: Ask): Promise<boolean | null> {
  const answer = await ask(`${domain}._report._dmarc.${host}`, 'TXT')
  return answer.status === 'unknown' ? null : records(answer).some(text => hasVersion(text, 'DMARC1'))
}

/** The report addresses of a record published at `domain`; at most 3 hosts elsewhere are asked. */
export async function askReportAddresses(domain: string, record: TagList, ask: Ask): Promise<ReportAddress[]> {
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
