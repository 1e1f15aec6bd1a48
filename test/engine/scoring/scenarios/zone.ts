// What DNS knows of a situation: the name, its mail, the addresses' names, and the blocklists' answers.
import { chooseLists } from '../../../../src/evidence/listings/lists.ts'
import { queryName, reversedAddress } from '../../../../src/evidence/listings/questions.ts'
import { reverseZone } from '../../../../src/evidence/reverse_names/gather.ts'
import type { DnsFailure } from '../../../../src/network/resolver.ts'
import type { Target } from '../../../../src/targets/target.ts'
import type { Records, Zone } from '../../../evidence/mail_zone.ts'
import type { Mail, Situation } from './situation.ts'

/** Those that are asked as shipped, and those that most operators with a contract add. */
export const LISTS = chooseLists({ enabled: { spamhaus_dbl: true, spamhaus_zen: true, surbl: true } })

const ADDRESS = '193.0.14.77'
const MAIL_ADDRESS = '193.0.14.78'

/** What the name resolves to, or the address that was asked for. */
export const addressesOf = ({ addresses, ip, domain }: Situation): readonly string[] =>
  addresses ?? (domain === undefined && ip !== undefined ? [ip] : [ADDRESS])

const mailOf: Readonly<Record<Mail, (domain: string) => Zone>> = {
  good: domain => ({
    [domain]: { MX: [{ preference: 10, exchange: `mail.${domain}` }], TXT: ['v=spf1 mx -all'] },
    [`mail.${domain}`]: { A: [MAIL_ADDRESS] },
    [`_dmarc.${domain}`]: { TXT: ['v=DMARC1; p=reject'] },
  }),
  careless: domain => ({
    [domain]: { MX: [{ preference: 10, exchange: `mail.${domain}` }] },
    [`mail.${domain}`]: { A: [MAIL_ADDRESS] },
  }),
  none: domain => ({ [domain]: {} }),
  null: domain => ({
    [domain]: { MX: [{ preference: 0, exchange: '' }], TXT: ['v=spf1 -all'] },
    [`_dmarc.${domain}`]: { TXT: ['v=DMARC1; p=reject'] },
  }),
}

export function zoneOf(situation: Situation, target: Target): Zone {
  const listings = listingsOf(situation, target)
  if (target.kind === 'ip') return { ...listings, ...reverseOf(situation, target.ip) }
  const { domain, registered } = target
  if (situation.unresolved === 'not_found') return listings
  if (situation.unresolved) return { ...listings, ...failing(domain, situation.unresolved) }
  const mail = mailOf[situation.mail ?? 'good'](domain)
  const addresses = addressesOf(situation)
  const A = addresses.filter(address => !address.includes(':'))
  const AAAA = addresses.filter(address => address.includes(':'))
  const NS = ['ns1.registrar.example', 'ns2.registrar.example']
  const own: Records = { ...mail[domain], NS, ...(A.length > 0 && { A }), ...(AAAA.length > 0 && { AAAA }) }
  return { [registered]: { NS }, ...mail, [domain]: own, ...listings }
}

/** The name itself, and what lies below it, cannot be asked about. */
function failing(domain: string, fails: DnsFailure): Zone {
  const below = ['_dmarc', '_mta-sts', '_smtp._tls', 'default._bimi'].map(label => `${label}.${domain}`)
  return Object.fromEntries([domain, ...below].map(name => [name, { fails }]))
}

function listingsOf(situation: Situation, target: Target): Zone {
  const [address = ADDRESS] = addressesOf(situation)
  const entries = Object.entries(situation.listed ?? {}).map(([id, code]) => {
    const list = LISTS.find(known => known.id === id)
    if (!list) throw new Error(`no list ${id} is asked`)
    const ofNames = list.asks.includes('host') || list.asks.includes('registrable')
    const name = list.asks.includes('host') ? target.domain : target.registrable
    const subject = ofNames && name !== null ? name : reversedAddress(address)
    return [queryName(subject, list.zone) ?? '', { A: [code] }] as const
  })
  return Object.fromEntries(entries)
}

function reverseOf({ reverse = {} }: Situation, ip: string): Zone {
  const names = Object.keys(reverse)
  if (names.length === 0) return {}
  const forward = Object.entries(reverse).map(([name, addresses]) => {
    const A = addresses.filter(address => !address.includes(':'))
    const AAAA = addresses.filter(address => address.includes(':'))
    return [name, { ...(A.length > 0 && { A }), ...(AAAA.length > 0 && { AAAA }) }] as const
  })
  return { ...Object.fromEntries(forward), [reverseZone(ip)]: { PTR: names } }
}
