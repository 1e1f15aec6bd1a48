// Object identifiers in certificates and their names from the specifications.

/** Signature algorithms: RFC 8017, RFC 3279, RFC 5758, RFC 8410, RFC 8692 (SHAKE), and SM2. */
export const signatureAlgorithms: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.2', 'md2WithRSAEncryption'],
  ['1.2.840.113549.1.1.3', 'md4WithRSAEncryption'],
  ['1.2.840.113549.1.1.4', 'md5WithRSAEncryption'],
  ['1.2.840.113549.1.1.5', 'sha1WithRSAEncryption'],
  ['1.3.14.3.2.29', 'sha1WithRSASignature'],
  ['1.2.840.113549.1.1.10', 'rsassaPss'],
  ['1.2.840.113549.1.1.11', 'sha256WithRSAEncryption'],
  ['1.2.840.113549.1.1.12', 'sha384WithRSAEncryption'],
  ['1.2.840.113549.1.1.13', 'sha512WithRSAEncryption'],
  ['1.2.840.113549.1.1.14', 'sha224WithRSAEncryption'],
  ['1.2.840.10040.4.3', 'dsa-with-sha1'],
  ['2.16.840.1.101.3.4.3.1', 'dsa-with-sha224'],
  ['2.16.840.1.101.3.4.3.2', 'dsa-with-sha256'],
  ['1.2.840.10045.4.1', 'ecdsa-with-SHA1'],
  ['1.2.840.10045.4.3.1', 'ecdsa-with-SHA224'],
  ['1.2.840.10045.4.3.2', 'ecdsa-with-SHA256'],
  ['1.2.840.10045.4.3.3', 'ecdsa-with-SHA384'],
  ['1.2.840.10045.4.3.4', 'ecdsa-with-SHA512'],
  ['1.3.6.1.5.5.7.6.30', 'rsassaPss-shake128'],
  ['1.3.6.1.5.5.7.6.31', 'rsassaPss-shake256'],
  ['1.3.6.1.5.5.7.6.32', 'ecdsa-with-shake128'],
  ['1.3.6.1.5.5.7.6.33', 'ecdsa-with-shake256'],
  ['1.3.101.112', 'ed25519'],
  ['1.3.101.113', 'ed448'],
  ['1.2.156.10197.1.501', 'sm2-with-SM3'],
])

/** Kinds of subject public keys. */
export const keyKinds: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.1', 'rsa'],
  ['1.2.840.113549.1.1.10', 'rsa-pss'],
  ['1.2.840.10040.4.1', 'dsa'],
  ['1.2.840.10045.2.1', 'ec'],
  ['1.3.101.112', 'ed25519'],
  ['1.3.101.113', 'ed448'],
])

/** Named curves: NIST's name if there is one (RFC 5480 section 2.1.1.1), else the name in its own specification. */
export const curves: ReadonlyMap<string, string> = new Map([
  ['1.2.840.10045.3.1.1', 'P-192'],
  ['1.3.132.0.33', 'P-224'],
  ['1.2.840.10045.3.1.7', 'P-256'],
  ['1.3.132.0.34', 'P-384'],
  ['1.3.132.0.35', 'P-521'],
  ['1.3.132.0.10', 'secp256k1'],
  ['1.3.36.3.3.2.8.1.1.7', 'brainpoolP256r1'],
  ['1.3.36.3.3.2.8.1.1.11', 'brainpoolP384r1'],
  ['1.3.36.3.3.2.8.1.1.13', 'brainpoolP512r1'],
])

/** Usual names of curves that OpenSSL names differently. */
export const curveNames: ReadonlyMap<string, string> = new Map([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
])

export const extensions = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  authorityInformation: '1.3.6.1.5.5.7.1.1',
  /** RFC 6962 section 3.3. */
  timestamps: '1.3.6.1.4.1.11129.2.4.2',
} as const
