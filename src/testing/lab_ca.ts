// A certificate authority created on the fly, for every certificate of the lab: valid and invalid ones.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { bits, boolean, contextTag, implicit, integer, nothing, octets, oid, sequence, set, time, utf8 } from './der.ts'

export type KeyKind = 'p256' | 'p384' | 'p521' | 'ed25519' | `rsa${number}`
export type Hash = 'sha256' | 'sha384' | 'sha512' | 'sha1'

/** The content of a certificate, valid or not. */
export interface CertificateOptions {
  /** dNSName and iPAddress entries. Without any, there is no subjectAltName extension. */
  readonly names?: readonly string[]
  readonly ips?: readonly string[]
  /**
   * Attributes in order, by short name; by default CN with the first of `names`. Repeat an attribute for a multi-valued
   * name.
   */
  readonly subject?: readonly (readonly [keyof typeof attributes, string])[]
  readonly not_before?: Date
  readonly not_after?: Date
  readonly key?: KeyKind
  readonly ca?: boolean
  /** Intermediates that an authority allows below itself; any number by default. */
  readonly path_length?: number
  /** OIDs; serverAuth by default, no extension when null. */
  readonly extended_key_usage?: readonly string[] | null
  readonly serial?: bigint
  /** Whether it names its key and its issuer's, as by default. */
  readonly key_ids?: boolean
  /** Complete extensions in DER, added after the usual ones. */
  readonly extensions?: readonly Buffer[]
  /** Hash of the issuer's signature; not used for Ed25519. */
  readonly hash?: Hash
}

/** PEM. `cert` is what a well-configured server sends: the leaf and the intermediates, without the root. */
export interface Credentials {
  readonly key: string
  readonly cert: string
  /** From the leaf to the root, one PEM each. */
  readonly chain: readonly string[]
}

export interface Authority {
  readonly certificate: string
  issue(options: CertificateOptions): Credentials
  /** Creates an intermediate authority signed by this one. */
  subordinate(options?: CertificateOptions): Authority
  /** Certifies the key of another authority under the same name; PEM. */
  crossSign(other: Authority, options?: CertificateOptions): string
}

const attributes = { CN: '2.5.4.3', C: '2.5.4.6', L: '2.5.4.7', O: '2.5.4.10', OU: '2.5.4.11' } as const
const curves = { p256: 'P-256', p384: 'P-384', p521: 'P-521' } as const
const signatures: Readonly<Record<string, string>> = {
  'rsa sha1': '1.2.840.113549.1.1.5',
  'rsa sha256': '1.2.840.113549.1.1.11',
  'rsa sha384': '1.2.840.113549.1.1.12',
  'rsa sha512': '1.2.840.113549.1.1.13',
  'ec sha1': '1.2.840.10045.4.1',
  'ec sha256': '1.2.840.10045.4.3.2',
  'ec sha384': '1.2.840.10045.4.3.3',
  'ec sha512': '1.2.840.10045.4.3.4',
}
const serverAuth = '1.3.6.1.5.5.7.3.1'
const day = 86_400_000

interface Signer {
  readonly subject: Buffer
  readonly keys: KeyPair
  /** From this signer's certificate to the root. */
  readonly chain: readonly string[]
}
interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** Creates a root authority. */
export function createAuthority(options: CertificateOptions = {}): Authority {
  const certificateOptions = { subject: [['CN', 'Lab Root'] as const, ['O', 'Lab'] as const], ca: true, ...options }
  return authority(selfSigned(certificateOptions))
}

/** Creates a self-signed certificate and its key. */
export function selfSign(options: CertificateOptions): Credentials {
  const { keys, chain } = selfSigned(options)
  return credentials(keys, chain)
}

function selfSigned(options: CertificateOptions): Signer {
  const keys = generateKeys(options.key ?? 'p256')
  const subject = distinguishedName(options)
  const certificate = certify(options, keys.publicKey, { subject, keys, chain: [] })
  return { subject, keys, chain: [certificate] }
}

function authority(signer: Signer): Authority {
  const descend = (options: CertificateOptions): Signer => {
    const keys = options.ca ? generateKeys(options.key ?? 'p256') : keysOfLeaf(options.key ?? 'p256')
    const certificate = certify(options, keys.publicKey, signer)
    return { subject: distinguishedName(options), keys, chain: [certificate, ...signer.chain] }
  }
  const newAuthority: Authority = {
    certificate: signer.chain[0] ?? '',
    issue: options => {
      const { keys, chain } = descend(options)
      return credentials(keys, chain)
    },
    subordinate: (options = {}) =>
      authority(
        descend({ subject: [['CN', 'Lab Intermediate'] as const, ['O', 'Lab'] as const], ca: true, ...options }),
      ),
    crossSign: (other, options = {}) => {
      const signerOfOther = signers.get(other)
      if (signerOfOther === undefined) throw new Error('The other authority does not belong to this lab.')
      return certify({ ca: true, ...options }, signerOfOther.keys.publicKey, signer, signerOfOther.subject)
    },
  }
  signers.set(newAuthority, signer)
  return newAuthority
}

const signers = new WeakMap<Authority, Signer>()

function credentials(keys: KeyPair, chain: readonly string[]): Credentials {
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { key, cert: chain.slice(0, Math.max(1, chain.length - 1)).join(''), chain }
}

const leafKeys = new Map<KeyKind, KeyPair>()

/** Leaves share their RSA key, which takes a fifth of a second to make. */
function keysOfLeaf(kind: KeyKind): KeyPair {
  if (!kind.startsWith('rsa')) return generateKeys(kind)
  const keys = leafKeys.get(kind) ?? generateKeys(kind)
  leafKeys.set(kind, keys)
  return keys
}

function generateKeys(kind: KeyKind): KeyPair {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519')
  if (kind === 'p256' || kind === 'p384' || kind === 'p521') {
    return generateKeyPairSync('ec', { namedCurve: curves[kind] })
  }
  return generateKeyPairSync('rsa', { modulusLength: Number(kind.slice(3)) })
}

function certify(
  options: CertificateOptions,
  publicKey: KeyObject,
  issuer: Signer,
  subject = distinguishedName(options),
): string {
  const algorithm = signatureAlgorithm(issuer.keys.privateKey, options.hash ?? 'sha256')
  const body = sequence(
    contextTag(0, integer(2n)),
    integer(options.serial ?? BigInt(`0x40${randomBytes(15).toString('hex')}`)),
    algorithm,
    issuer.subject,
    sequence(
      time(options.not_before ?? new Date(Date.now() - day)),
      time(options.not_after ?? new Date(Date.now() + 90 * day)),
    ),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    contextTag(3, sequence(...extensions(options, publicKey, issuer.keys.publicKey))),
  )
  const isEdwards = issuer.keys.privateKey.asymmetricKeyType === 'ed25519'
  const signature = sign(isEdwards ? null : (options.hash ?? 'sha256'), body, issuer.keys.privateKey)
  return pem(sequence(body, algorithm, bits(signature)))
}

function signatureAlgorithm(key: KeyObject, hash: Hash): Buffer {
  if (key.asymmetricKeyType === 'ed25519') return sequence(oid('1.3.101.112'))
  const identifier = signatures[`${key.asymmetricKeyType} ${hash}`] ?? ''
  return key.asymmetricKeyType === 'rsa' ? sequence(oid(identifier), nothing()) : sequence(oid(identifier))
}

function distinguishedName({ subject, names }: CertificateOptions): Buffer {
  const parts = subject ?? (names?.[0] === undefined ? [] : [['CN', names[0]] as const])
  return sequence(...parts.map(([name, value]) => set(sequence(oid(attributes[name]), utf8(value)))))
}

/** One extension (RFC 5280 section 4.1); wraps its value in an octet string. */
export function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return critical ? sequence(oid(id), boolean(true), octets(value)) : sequence(oid(id), octets(value))
}

function extensions(options: CertificateOptions, subjectKey: KeyObject, issuerKey: KeyObject): Buffer[] {
  const { names = [], ips = [], ca = false, extended_key_usage = ca ? null : [serverAuth], path_length } = options
  const length = path_length === undefined ? [] : [integer(BigInt(path_length))]
  const list = [extension('2.5.29.19', true, ca ? sequence(boolean(true), ...length) : sequence())]
  if (options.key_ids ?? true) {
    list.push(extension('2.5.29.14', false, octets(keyIdentifier(subjectKey))))
    list.push(extension('2.5.29.35', false, sequence(implicit(0, keyIdentifier(issuerKey)))))
  }
  if (extended_key_usage) list.push(extension('2.5.29.37', false, sequence(...extended_key_usage.map(oid))))
  const alternatives = [
    ...names.map(name => implicit(2, Buffer.from(name, 'utf8'))),
    ...ips.map(ip => implicit(7, Buffer.from(ipaddr.parse(ip).toByteArray()))),
  ]
  if (alternatives.length > 0) list.push(extension('2.5.29.17', false, sequence(...alternatives)))
  return [...list, ...(options.extensions ?? [])]
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
