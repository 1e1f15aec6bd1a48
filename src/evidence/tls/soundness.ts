// Whether a certificate is within its dates and strong enough. The choice of a path and its judgement use the same rules.
import type { Certificate } from './facts.ts'

const weakHash = /^(md[245]|sha1)with|-sha1$/i
const weakCurves: readonly (string | null)[] = ['P-192']
/** Minimum RSA key size in bits (CA/Browser Forum Baseline Requirements section 6.1.5). */
const leastRsaBits = 2048
const serverAuth = '1.3.6.1.5.5.7.3.1'

const seconds = (moment: Date | string): number => Math.floor(new Date(moment).getTime() / 1000)

type Dated = Pick<Certificate, 'not_before' | 'not_after'>

/** In whole seconds. The period includes both ends (RFC 5280 section 4.1.2.5). */
export const hasExpired = ({ not_after }: Dated, now: Date): boolean => seconds(now) > seconds(not_after)
export const isNotYetValid = ({ not_before }: Dated, now: Date): boolean => seconds(now) < seconds(not_before)

export const hasWeakKey = ({ key }: Pick<Certificate, 'key'>): boolean =>
  key.kind === 'dsa' || weakCurves.includes(key.curve) || (key.bits !== null && key.bits < leastRsaBits)

/** The signature of a self-signed certificate proves nothing and is not checked. */
export const isWeaklySigned = (certificate: Pick<Certificate, 'self_signed' | 'signature_algorithm'>): boolean =>
  !certificate.self_signed && weakHash.test(certificate.signature_algorithm)

export const forbidsServers = ({ extended_key_usage: usages }: Pick<Certificate, 'extended_key_usage'>): boolean =>
  usages !== null && !usages.includes(serverAuth)
