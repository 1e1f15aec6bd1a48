import { counted, NONE } from './section.js'

/** @typedef {{ status: string, suite: string | null }} Offered */
/** @typedef {Offered & { version: string }} Version */
/** @typedef {Offered & { kind: string }} Kind */

const versions = /** @type {Readonly<Record<string, string>>} */ ({
  'TLSv1.3': 'TLS 1.3',
  'TLSv1.2': 'TLS 1.2',
  'TLSv1.1': 'TLS 1.1',
  TLSv1: 'TLS 1.0',
  SSLv3: 'SSL 3.0',
  SSLv2: 'SSL 2.0',
})

const kinds = /** @type {Readonly<Record<string, string>>} */ ({
  null_encryption: 'no encryption',
  anonymous: 'no certificate',
  export: 'export-grade keys',
  des: 'DES',
  rc4: 'RC4',
  small_blocks: '64-bit blocks (3DES)',
  static_key: 'no forward secrecy',
  finite_field: 'finite-field Diffie-Hellman',
})

const CURRENT = ['TLSv1.3', 'TLSv1.2']
/** Accepted by many servers that are well configured. */
const HARMLESS = ['static_key', 'finite_field']

/**
 * @template {Offered} One
 * @param {readonly One[]} all
 * @param {string} status
 */
const having = (all, status) => all.filter(one => one.status === status)

/** @type {(all: readonly Version[], suites: readonly Kind[]) => string} */
function summarise(all, suites) {
  const old = having(all, 'accepted').filter(({ version }) => !CURRENT.includes(version)).length
  const weak = having(suites, 'accepted').filter(({ kind }) => !HARMLESS.includes(kind)).length
  const open = having(all, 'unknown').length + having(suites, 'unknown').length
  const rest = open > 0 ? ' Some offers were not answered.' : ''
  if (old + weak === 0) {
    return open > 0
      ? `Nothing outdated was seen.${rest}`
      : 'The server refuses all outdated versions and cipher suites that were offered.'
  }
  return `The server accepts ${counted(old, 'outdated version')} and ${counted(weak, 'weak kind')} of cipher suites.${rest}`
}

/** @type {import('./section.js').Section} */
export const tls_offer = {
  title: 'Outdated encryption',
  looks: 'which protocol versions and cipher suites the server still accepts',
  describe(section) {
    const all = /** @type {readonly Version[]} */ (section.versions)
    const suites = /** @type {readonly Kind[]} */ (section.suites)
    const versionsWith = (/** @type {string} */ status) =>
      having(all, status).map(({ version }) => versions[version] ?? version)
    const kindsWith = (/** @type {string} */ status) => having(suites, status).map(({ kind }) => kinds[kind] ?? kind)
    const unknown = [...versionsWith('unknown'), ...kindsWith('unknown')]
    const prime = section.prime_bits === null ? null : `${section.prime_bits} bits`
    const hasPrime = !having(suites, 'refused').some(({ kind }) => kind === 'finite_field')
    /** @type {readonly (readonly [string, import('./section.js').Value])[]} */
    const negotiation = [
      ['Chooses the suite itself', section.own_order],
      ['Secure renegotiation', section.secure_renegotiation],
      ['Compression', section.compression],
      ['Refuses fallback to old versions', section.fallback_refused],
    ]
    return {
      summary: [summarise(all, suites)],
      facts: [
        ['Accepts', versionsWith('accepted')],
        ['Refuses', versionsWith('refused')],
        ['Accepts suites with', kindsWith('accepted')],
        ['Refuses suites with', kindsWith('refused')],
        ...(unknown.length > 0 ? [/** @type {const} */ (['Unknown', unknown])] : []),
        ['Diffie-Hellman prime', prime === null && !hasPrime ? NONE : prime],
        // Null as well if it does not apply to the versions accepted.
        ...negotiation.filter(([, value]) => value !== null),
        ['Handshakes', section.handshakes],
      ],
    }
  },
}
