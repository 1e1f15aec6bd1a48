// How people see the section.
import { counted, type Fact, labelsOf, NONE, type Presentation } from '../../src/engine/plugin.ts'
import { Section } from './section.ts'

const label = labelsOf(Section)

type VersionRow = Section['versions'][number]
type SuiteRow = Section['suites'][number]

const versionNames: Readonly<Record<VersionRow['version'], string>> = {
  'TLSv1.3': 'TLS 1.3',
  'TLSv1.2': 'TLS 1.2',
  'TLSv1.1': 'TLS 1.1',
  TLSv1: 'TLS 1.0',
  SSLv3: 'SSL 3.0',
  SSLv2: 'SSL 2.0',
}

const kindNames: Readonly<Record<SuiteRow['kind'], string>> = {
  null_encryption: 'no encryption',
  anonymous: 'no certificate',
  export: 'export-grade keys',
  des: 'DES',
  rc4: 'RC4',
  small_blocks: '64-bit blocks (3DES)',
  static_key: 'no forward secrecy',
  finite_field: 'finite-field Diffie-Hellman',
}

const CURRENT: readonly string[] = ['TLSv1.3', 'TLSv1.2']
/** Accepted by many servers that are well configured. */
const HARMLESS: readonly string[] = ['static_key', 'finite_field']

const having = <One extends { readonly status: string }>(all: readonly One[], status: string): readonly One[] =>
  all.filter(one => one.status === status)

function summarise({ versions, suites }: Section): string {
  const old = having(versions, 'accepted').filter(({ version }) => !CURRENT.includes(version)).length
  const weak = having(suites, 'accepted').filter(({ kind }) => !HARMLESS.includes(kind)).length
  const open = having(versions, 'unknown').length + having(suites, 'unknown').length
  const rest = open > 0 ? ' Some offers were not answered.' : ''
  if (old + weak === 0) {
    return open > 0
      ? `Nothing outdated was seen.${rest}`
      : 'The server refuses all outdated versions and cipher suites that were offered.'
  }
  return `The server accepts ${counted(old, 'outdated version')} and ${counted(weak, 'weak kind')} of cipher suites.${rest}`
}

/** The rules behind what is judged. */
const sources = [
  { label: 'Recommendations for TLS (RFC 9325)', url: 'https://www.rfc-editor.org/rfc/rfc9325' },
  { label: 'TLS 1.0 and 1.1 are deprecated (RFC 8996)', url: 'https://www.rfc-editor.org/rfc/rfc8996' },
  { label: 'Secure renegotiation (RFC 5746)', url: 'https://www.rfc-editor.org/rfc/rfc5746' },
  { label: 'Fallback (RFC 7507)', url: 'https://www.rfc-editor.org/rfc/rfc7507' },
] as const

export const presentation: Presentation<Section> = {
  title: 'Outdated encryption',
  looks: 'which protocol versions and cipher suites the server still accepts',
  order: 70,
  describe(section) {
    const { versions, suites, prime_bits } = section
    const versionsWith = (status: string) =>
      having(versions, status).map(({ version }) => versionNames[version] ?? version)
    const kindsWith = (status: string) => having(suites, status).map(({ kind }) => kindNames[kind] ?? kind)
    const unknownParts = [...versionsWith('unknown'), ...kindsWith('unknown')]
    const prime = prime_bits === null ? null : `${prime_bits} bits`
    const hasPrime = !having(suites, 'refused').some(({ kind }) => kind === 'finite_field')
    const negotiation: readonly Fact[] = [
      [label.own_order, section.own_order],
      [label.secure_renegotiation, section.secure_renegotiation],
      [label.compression, section.compression],
      [label.fallback_refused, section.fallback_refused],
    ]
    return {
      summary: [summarise(section)],
      facts: [
        ['Accepts', versionsWith('accepted')],
        ['Refuses', versionsWith('refused')],
        ['Accepts suites with', kindsWith('accepted')],
        ['Refuses suites with', kindsWith('refused')],
        ...(unknownParts.length > 0 ? [['Unknown', unknownParts] as const] : []),
        [label.prime_bits, prime === null && !hasPrime ? NONE : prime],
        // Null as well if it does not apply to the versions accepted.
        ...negotiation.filter(([, value]) => value !== null),
        [label.handshakes, section.handshakes],
      ],
      links: sources,
    }
  },
}
