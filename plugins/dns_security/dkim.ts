// DKIM: whether the name has keys for signing its mail, and the state of those under well-known selectors.
import { type Evidence, mainReason, printable } from '../../src/engine/plugin.ts'
import type { DnsFault } from './faults.ts'
import type { PartJudgement } from './judgement.ts'
import type { Section } from './schema.ts'
import { describeViolations } from './violations.ts'

type Dkim = NonNullable<Evidence['mail_records']['dkim']>
type Selector = Dkim['selectors'][number]
type DkimPart = NonNullable<Section['dkim']>
type DkimKey = NonNullable<DkimPart['keys']>[number]

/** Receivers must not accept smaller RSA keys, and signers should not use those below the second number (RFC 8301 section 3.2). */
const LEAST_BITS = { accepted: 1024, advised: 2048 }

const tagOf = ({ record }: Selector, name: string): string | undefined =>
  record?.tags.find(tag => tag.name === name)?.value

/** Separated by colons; unknown ones do not count (RFC 6376 section 3.6.1). */
const listOf = (selector: Selector, name: string): readonly string[] | null =>
  tagOf(selector, name)
    ?.split(':')
    .map(value => value.trim().toLowerCase()) ?? null

/** Why receivers cannot use the key; null if they can. */
function complaint(selector: Selector): string | null {
  const { record, key, count, alias } = selector
  if (count === 0) return `is an alias of ${printable(alias ?? '')}, which has no key`
  if (record === null) return `has ${count} records, and which one receivers use is undefined`
  const violations = describeViolations(record.violations)
  if (!record.valid) return violations === null ? 'does not begin with v=DKIM1' : `cannot be read: ${violations}`
  if (tagOf(selector, 'p') === undefined) return 'has no public key (p)'
  const services = listOf(selector, 's')
  if (services !== null && !services.some(one => one === '*' || one === 'email')) return 'is not for e-mail (s)'
  const hashes = listOf(selector, 'h')
  if (hashes !== null && !hashes.includes('sha256')) return 'allows SHA-1 only (h), which receivers must not accept'
  if (key === null) return 'has a public key that cannot be read'
  const isShort = key.type === 'rsa' && key.bits < LEAST_BITS.accepted
  return isShort ? `has a key of only ${key.bits} bits, which receivers must not accept` : null
}

const isRevoked = (selector: Selector): boolean => selector.record?.valid === true && tagOf(selector, 'p') === ''

function statusOf(selector: Selector): DkimKey['status'] {
  if (selector.status === 'unknown') return 'unknown'
  if (selector.count === 0) return 'dangling'
  if (isRevoked(selector)) return 'revoked'
  return complaint(selector) === null ? 'valid' : 'invalid'
}

function keyOf(selector: Selector): DkimKey {
  const { alias, key } = selector
  return {
    selector: selector.selector,
    status: statusOf(selector),
    type: key?.type ?? null,
    bits: key?.bits ?? null,
    testing: selector.record === null ? null : (listOf(selector, 't')?.includes('y') ?? false),
    alias: alias === null ? null : printable(alias),
  }
}

function selectorFaults(selector: Selector, { status, type, bits, testing }: DkimKey): DnsFault[] {
  const name = selector.selector
  if (status === 'unknown') return []
  if (status === 'dangling')
    return [{ code: 'dkim_dangling_alias', message: `The DKIM selector ${name} ${complaint(selector)}.` }]
  if (status === 'revoked')
    return [{ code: 'dkim_revoked_key', message: `The DKIM key of selector ${name} is revoked.` }]
  if (status === 'invalid')
    return [{ code: 'dkim_invalid_key', message: `The DKIM record of selector ${name} ${complaint(selector)}.` }]
  const faults: DnsFault[] = []
  if (type === 'rsa' && bits !== null && bits < LEAST_BITS.advised) {
    const message = `The DKIM key of selector ${name} has ${bits} bits; ${LEAST_BITS.advised} are recommended (RFC 8301).`
    faults.push({ code: 'dkim_short_key', message })
  }
  if (testing) {
    const message = `The DKIM key of selector ${name} is in test mode (t=y), so receivers treat its mail as unsigned.`
    faults.push({ code: 'dkim_testing', message })
  }
  return faults
}

/** Keys that are of use to receivers decide; a revoked one alone is an invalid one. */
function standing({ has_selectors }: Dkim, keys: readonly DkimKey[]): DkimPart['status'] {
  if (has_selectors === false) return 'missing'
  if (keys.some(({ status }) => status === 'valid')) return 'valid'
  if (keys.some(({ status }) => status === 'unknown')) return 'unknown'
  if (keys.length > 0) return 'invalid'
  return has_selectors === null ? 'unknown' : 'unlisted'
}

/** Judges the DKIM keys that were found (RFC 6376). */
export function judgeDkim(dkim: Dkim | undefined, domain: string, hasMx: boolean): PartJudgement<DkimPart> {
  if (dkim === undefined) return { part: { status: 'unknown', keys: null }, faults: [], unknown: null }
  const keys = dkim.selectors.map(keyOf)
  const status = standing(dkim, keys)
  const reasons = [dkim.reason, ...dkim.selectors.map(({ reason }) => reason)].filter(reason => reason !== null)
  const faults = dkim.selectors.flatMap((selector, at) => selectorFaults(selector, keys[at] as DkimKey))
  if (status === 'missing' && hasMx) {
    const message = `${domain} has no DKIM keys, so DMARC depends on SPF alone, which forwarding breaks.`
    faults.push({ code: 'missing_dkim_keys', message })
  }
  const isSeen = dkim.reason === null && (keys.length > 0 || dkim.has_selectors !== null)
  return { part: { status, keys: isSeen ? keys : null }, faults, unknown: mainReason(reasons) }
}
