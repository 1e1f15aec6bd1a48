// DNSSEC algorithms by number (IANA's registry).
const algorithms: Readonly<Record<number, string>> = {
  1: 'RSAMD5',
  3: 'DSA',
  5: 'RSASHA1',
  6: 'DSA-NSEC3-SHA1',
  7: 'RSASHA1-NSEC3-SHA1',
  8: 'RSASHA256',
  10: 'RSASHA512',
  12: 'ECC-GOST',
  13: 'ECDSAP256SHA256',
  14: 'ECDSAP384SHA384',
  15: 'ED25519',
  16: 'ED448',
  17: 'SM2SM3',
  23: 'ECC-GOST12',
}

/** Validators may treat a zone signed with these alone as unsigned (RFC 8624, RFC 9905). */
export const weakAlgorithms: ReadonlySet<number> = new Set([1, 3, 5, 6, 7, 12])

/** Those with RSA keys, whose size is that of the modulus (RFC 3110). */
export const rsaAlgorithms: ReadonlySet<number> = new Set([1, 5, 7, 8, 10])

/** The name of a DNSSEC algorithm by its number in the registry of IANA. */
export const nameOfAlgorithm = (algorithm: number): string => algorithms[algorithm] ?? `algorithm ${algorithm}`
