// How people see the section.
import { counted, labelsOf, type Presentation, quote, type Table, type Value, words } from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

type ZoneServerRow = Section['servers'][number]

function state({ contact, lame, serial, reason }: ZoneServerRow): Value {
  if (contact === 'unknown') return null
  if (contact === 'no_address') return 'no address'
  if (contact === 'internal') return 'no public address'
  if (contact === 'unanswered') return `no answer (${words(reason ?? 'timeout')})`
  return lame ? 'does not have the zone' : `serial ${serial ?? 'unknown'}`
}

function namedBy({ in_parent, in_zone }: ZoneServerRow): Value {
  if (in_parent === null || in_zone === null) return in_zone ? 'the zone' : null
  return in_parent && in_zone ? 'both' : in_parent ? 'the parent zone alone' : 'the zone alone'
}

function summarise({ servers, zone }: Section): string {
  const sound = servers.filter(({ lame }) => lame === false).length
  if (sound === servers.length) return `All ${counted(sound, 'name server')} of ${zone} have the zone.`
  const open = servers.filter(({ contact }) => contact === 'unknown').length
  if (open === servers.length) return `Whether the name servers of ${zone} have the zone is unknown.`
  return `${sound} of ${counted(servers.length, 'name server')} of ${zone} are known to have the zone.`
}

const severities = { error: 'medium', warning: 'low', info: 'info' } as const

/** The rules behind what is judged. */
const sources = [
  { label: 'Delegation (RFC 1034)', url: 'https://www.rfc-editor.org/rfc/rfc1034#section-4.2' },
  { label: 'DNS over TCP (RFC 9210)', url: 'https://www.rfc-editor.org/rfc/rfc9210' },
  { label: 'Choice of name servers (RFC 2182)', url: 'https://www.rfc-editor.org/rfc/rfc2182' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Name servers',
  looks: 'whether the name servers of the domain have its zone and agree',
  order: 52,
  describe(section) {
    const { parent, delegation, consistent, servers, issues } = section
    const rows: Table['rows'] = servers.map(server => [
      quote(server.name),
      server.address,
      namedBy(server),
      state(server),
    ])
    const agree = consistent === null ? null : consistent ? 'yes' : 'no'
    return {
      summary: [summarise(section)],
      facts: [
        [label.parent, parent],
        [label.delegation, delegation],
        [label.consistent, agree],
      ],
      tables:
        rows.length === 0 ? [] : [{ title: label.servers, columns: ['Server', 'Address', 'Named by', 'State'], rows }],
      remarks: (issues ?? []).map(({ severity, message }) => ({ text: message, severity: severities[severity] })),
      links: sources,
    }
  },
}
