// The path from a certificate to a trusted root (RFC 4158), chosen in the graph of all certificates that the server sent and
// of the trust store. The order of the certificates, repeated ones and ones beside the path change nothing.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { createCache, createTable } from '../../base/cache/cache.ts'
import type { ParsedCertificate } from './certificate.ts'
import { obeysConstraints } from './extensions.ts'
import {
  type Certificate,
  forbidsServers,
  hasExpired,
  hasWeakKey,
  isNotYetValid,
  isWeaklySigned,
  type PathError,
} from './facts.ts'
import type { Roots } from './trust_store.ts'

export interface Path {
  /** The certificate itself first, each followed by its issuer, without the trusted root. */
  readonly members: readonly Certificate[]
  /** The root of the trust store at its end; null without one, and for a trusted certificate that has no issuer. */
  readonly root: Certificate | null
  readonly errors: readonly PathError[]
}

export interface FoundPath extends Path {
  /** Whether it leads to a trusted root; null when not all possible paths could be followed. */
  readonly anchored: boolean | null
  /** Paths found, trusted or not. */
  readonly paths: number
  /** The last issuer continues to certificates that were not followed. */
  readonly is_cut: boolean
}

/** Certificates of one path; twice the longest one seen on the public web. */
export const MAX_PATH_LENGTH = 16
/** Signatures checked for one path, to bound the cost of a mesh of cross-signed certificates. */
const MAX_SIGNATURES = 32
/** Paths compared. */
const MAX_PATHS = 64

/** OpenSSL takes longer to read a key than to check a signature, and most sites share few authorities. */
export const createIssuerKeys = () => createTable<KeyObject>('issuer_keys', () => true)
/** Whether a signature is good, by the certificate's fingerprint and the issuer's key. */
export const createSignatures = () => createCache<boolean>('signatures')

const issuerKeys = createIssuerKeys()
const signatures = createSignatures()

/** Whether `issuer`'s key verifies the signature on `certificate`; false if either is unusable. */
async function isSignedBy(certificate: ParsedCertificate, issuer: ParsedCertificate): Promise<boolean> {
  const signature = `${certificate.facts.fingerprint_sha256} ${issuer.keyHash}`
  const cachedVerdict = signatures.get(signature)
  if (cachedVerdict !== undefined) return cachedVerdict
  // An unusual RSA key takes up to 6 ms, so yield to the event loop between checks.
  await setImmediate()
  const isSigned = verifies(certificate, issuer)
  // A site's own certificate is seen once.
  if (certificate.facts.is_ca) signatures.set(signature, isSigned)
  return isSigned
}

function verifies(certificate: ParsedCertificate, issuer: ParsedCertificate): boolean {
  try {
    const readKey = () => new X509Certificate(issuer.raw).publicKey
    const key = issuerKeys.get(issuer.keyHash) ?? issuerKeys.add(issuer.keyHash, readKey)
    return new X509Certificate(certificate.raw).verify(key)
  } catch {
    // OpenSSL does not know this kind of key or signature.
    return false
  }
}

/** The name matches, and so does the key's identifier where both certificates have one (RFC 5280 section 4.2.1.1). */
function mayHaveIssued(issuer: ParsedCertificate, { issuerKey, extensions }: ParsedCertificate): boolean {
  const [own, authorityKey] = [issuer.extensions.subject_key_id, extensions.authority_key_id]
  return issuer.subjectKey === issuerKey && (own === null || authorityKey === null || own === authorityKey)
}

const isSameAuthority = (one: ParsedCertificate, other: ParsedCertificate): boolean =>
  one.subjectKey === other.subjectKey && one.keyHash === other.keyHash

interface Step {
  readonly certificate: ParsedCertificate
  /** A root of the trust store, which has no further issuer. */
  readonly isRoot: boolean
}

/**
 * `intermediates`: the other certificates of the server. Their order decides only which are left out when there are too many
 * to follow.
 */
export async function findPath(
  leaf: ParsedCertificate,
  intermediates: readonly ParsedCertificate[],
  store: Roots,
  now: Date,
): Promise<FoundPath> {
  const graph = createGraph(intermediates, store)
  const paths: Candidate[] = []
  let isCut = false
  const follow = async (last: Step, below: readonly Step[]): Promise<void> => {
    const steps = [...below, last]
    if (paths.length === MAX_PATHS) {
      isCut = true
      return
    }
    if (store.has(last.certificate)) {
      paths.push({ steps, last, isTrusted: true, isSelfSigned: true })
      return
    }
    const issuers = await graph.issuersOf(last.certificate)
    const above = issuers.filter(
      ({ certificate }) => !steps.some(step => isSameAuthority(step.certificate, certificate)),
    )
    const isLong = steps.length === MAX_PATH_LENGTH
    const next = isLong ? above.filter(({ isRoot }) => isRoot) : above
    if (next.length < above.length) isCut = true
    if (next.length === 0) {
      const isSelfSigned = issuers.some(({ certificate }) => isSameAuthority(certificate, last.certificate))
      paths.push({ steps, last, isTrusted: false, isSelfSigned })
    }
    for (const issuer of next) await follow(issuer, steps)
  }
  await follow({ certificate: leaf, isRoot: false }, [])
  isCut ||= graph.isExhausted()
  const judgedPaths = await Promise.all(paths.map(path => judge(path, graph, now)))
  const best = judgedPaths.reduce((one, other) => (compare(one, other) < 0 ? one : other))
  const { members, root, errors, isTrusted } = best
  return {
    members,
    root,
    errors,
    anchored: isTrusted || (isCut ? null : false),
    paths: paths.length,
    is_cut: isCut && !isTrusted,
  }
}

interface Candidate {
  readonly steps: readonly Step[]
  readonly last: Step
  readonly isTrusted: boolean
  /** Nothing can follow: the last certificate is signed by itself. */
  readonly isSelfSigned: boolean
}

interface Graph {
  /** Certificates with a key that verifies the signature, roots first. */
  issuersOf(certificate: ParsedCertificate): Promise<Step[]>
  isSigned(certificate: ParsedCertificate, issuer: ParsedCertificate): Promise<boolean>
  /** Name and key identifier say that a certificate is the issuer, but its key does not verify the signature. */
  hasFalseIssuer(certificate: ParsedCertificate): Promise<boolean>
  /** Some signature was not checked because too many were. */
  isExhausted(): boolean
}

function createGraph(intermediates: readonly ParsedCertificate[], store: Roots): Graph {
  const signatureChecks = new Map<string, Promise<boolean>>()
  let signatures = 0
  let isExhausted = false
  const isSigned = (certificate: ParsedCertificate, issuer: ParsedCertificate): Promise<boolean> => {
    // Certificates of the same key verify the same signatures.
    const key = `${certificate.facts.fingerprint_sha256} ${issuer.keyHash}`
    const cachedVerdict = signatureChecks.get(key)
    if (cachedVerdict !== undefined) return cachedVerdict
    if (signatures === MAX_SIGNATURES) {
      isExhausted = true
      return Promise.resolve(false)
    }
    signatures += 1
    const check = isSignedBy(certificate, issuer)
    signatureChecks.set(key, check)
    return check
  }
  const candidates = (certificate: ParsedCertificate): Step[] => {
    const isCandidate = (issuer: ParsedCertificate) => mayHaveIssued(issuer, certificate)
    const roots = store.issuersOf(certificate).filter(isCandidate)
    const others = intermediates.filter(issuer => isCandidate(issuer) && !store.has(issuer))
    return [
      ...roots.map(root => ({ certificate: root, isRoot: true })),
      ...others.map(other => ({ certificate: other, isRoot: false })),
    ]
  }
  const sortCandidates = async (certificate: ParsedCertificate) => {
    const [issuers, others]: [Step[], ParsedCertificate[]] = [[], []]
    for (const step of candidates(certificate)) {
      if (await isSigned(certificate, step.certificate)) issuers.push(step)
      else others.push(step.certificate)
    }
    return { issuers, others }
  }
  return {
    isSigned,
    issuersOf: async certificate => (await sortCandidates(certificate)).issuers,
    hasFalseIssuer: async certificate => {
      const { issuers, others } = await sortCandidates(certificate)
      const { authority_key_id: authorityKey } = certificate.extensions
      return (
        !isExhausted &&
        issuers.length === 0 &&
        authorityKey !== null &&
        others.some(it => it.extensions.subject_key_id === authorityKey)
      )
    },
    isExhausted: () => isExhausted,
  }
}

interface JudgedPath extends Path, Candidate {
  /** Reasons against the path, and against its algorithms. */
  readonly faults: readonly [number, number]
}

async function judge(candidate: Candidate, graph: Graph, now: Date): Promise<JudgedPath> {
  const { steps, last, isTrusted } = candidate
  const certificates: Certificate[] = []
  for (const { certificate } of steps) certificates.push(await describe(certificate, graph))
  const [root = null, members] = last.isRoot ? [certificates.at(-1), certificates.slice(0, -1)] : [null, certificates]
  const errors = pathErrors(steps)
  if (!isTrusted && (await graph.hasFalseIssuer(last.certificate))) errors.push('bad_signature')
  const outdatedCertificates = certificates.filter(
    certificate => hasExpired(certificate, now) || isNotYetValid(certificate, now),
  )
  const weak = members.filter(certificate => hasWeakKey(certificate) || isWeaklySigned(certificate))
  const faults = [
    errors.length + outdatedCertificates.length + members.filter(forbidsServers).length,
    weak.length,
  ] as const
  return { ...candidate, members, root, errors, faults }
}

/** A certificate that is on no path. */
export const describeAlone = (certificate: ParsedCertificate): Promise<Certificate> =>
  describe(certificate, { isSigned: isSignedBy })

async function describe(certificate: ParsedCertificate, graph: Pick<Graph, 'isSigned'>): Promise<Certificate> {
  const selfSigned =
    certificate.subjectKey === certificate.issuerKey && (await graph.isSigned(certificate, certificate))
  return { self_signed: selfSigned, ...certificate.facts }
}

/** Faults by RFC 5280 section 6 besides names, dates and purposes, each once. */
function pathErrors(steps: readonly Step[]): PathError[] {
  const errors = new Set<PathError>()
  for (const [at, { certificate, isRoot }] of steps.entries()) {
    const { extensions } = certificate
    if (extensions.malformed && !isRoot) errors.add('malformed_extension')
    if (extensions.unknown_critical && !isRoot) errors.add('unknown_critical_extension')
    if (at === 0) continue
    if (!isRoot && !(extensions.is_ca && extensions.signs_certificates)) errors.add('invalid_ca')
    const below = steps.slice(0, at).map(step => step.certificate)
    // Self-issued intermediates neither count nor are constrained.
    const issuedCertificates = below.filter((it, place) => place === 0 || it.subjectKey !== it.issuerKey)
    if (extensions.path_length !== null && issuedCertificates.length - 1 > extensions.path_length)
      errors.add('path_too_long')
    const limits = extensions.name_constraints
    const obey = issuedCertificates.every(it => limits === null || obeysConstraints(limits, namesOf(it)))
    if (!obey) errors.add('name_constraints')
  }
  return [...errors]
}

const namesOf = ({ subjectKey, extensions }: ParsedCertificate) => ({ ...extensions, subject: subjectKey })

/** Trusted paths first, then sound ones, then strong ones. An untrusted path is followed as far as possible. */
function compare(one: JudgedPath, other: JudgedPath): number {
  const length = one.steps.length - other.steps.length
  return (
    Number(other.isTrusted) - Number(one.isTrusted) ||
    one.faults[0] - other.faults[0] ||
    one.faults[1] - other.faults[1] ||
    Number(other.isSelfSigned) - Number(one.isSelfSigned) ||
    (one.isTrusted ? length : -length) ||
    (fingerprints(one) < fingerprints(other) ? -1 : 1)
  )
}

const fingerprints = ({ steps }: JudgedPath): string =>
  steps.map(({ certificate }) => certificate.facts.fingerprint_sha256).join()
