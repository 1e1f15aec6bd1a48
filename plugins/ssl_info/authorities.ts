// Certificate authorities by the names in their certificates, and the domain names by which each is named in CAA records
// (CA/Browser Forum Baseline Requirements section 4.2.2.1: an authority publishes them in its practice statement).

interface Authority {
  /** Organizations of its issuing certificates. */
  readonly organizations: readonly string[]
  readonly caa_domains: readonly string[]
}

const amazon = ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com', 'aws.amazon.com']

const digicert = [
  ...['digicert.com', 'www.digicert.com', 'digicert.ne.jp', 'cybertrust.ne.jp', 'symantec.com', 'thawte.com'],
  ...['geotrust.com', 'rapidssl.com', 'quovadisglobal.com', 'pkioverheid.nl', 'digitalcertvalidation.com'],
  ...['volusion', 'stratossl', 'intermediatecertificate', '1and1'].map(label => `${label}.digitalcertvalidation.com`),
  // It also signs for Amazon.
  ...amazon,
]

const entrust = ['entrust.net', 'affirmtrust.com']

/** Sectigo serves former customers of Entrust. */
const sectigo = ['sectigo.com', 'comodo.com', 'comodoca.com', 'usertrust.com', 'trust-provider.com', ...entrust]

const authorities: readonly Authority[] = [
  { organizations: ["Let's Encrypt", 'Internet Security Research Group', 'ISRG'], caa_domains: ['letsencrypt.org'] },
  { organizations: ['Google Trust Services', 'Google Trust Services LLC'], caa_domains: ['pki.goog', 'google.com'] },
  { organizations: ['Amazon', 'Amazon Trust Services'], caa_domains: amazon },
  {
    organizations: [
      ...['DigiCert Inc', 'DigiCert', 'GeoTrust Inc.', 'GeoTrust', 'RapidSSL', 'thawte, Inc.', 'Symantec Corporation'],
      ...['QuoVadis Limited', 'QuoVadis Trustlink B.V.', 'Verokey', 'Encryption Everywhere CA'],
    ],
    caa_domains: digicert,
  },
  {
    organizations: [
      ...['Sectigo Limited', 'COMODO CA Limited', 'The USERTRUST Network', 'ZeroSSL', 'Gandi', 'Gandi SAS', 'InCommon'],
      ...['cPanel, Inc.', 'cPanel, LLC', 'Network Solutions L.L.C.', 'Corporation Service Company'],
    ],
    caa_domains: sectigo,
  },
  { organizations: ['GlobalSign nv-sa', 'GlobalSign'], caa_domains: ['globalsign.com'] },
  {
    organizations: ['GoDaddy.com, Inc.', 'Starfield Technologies, Inc.', 'Starfield Technologies'],
    caa_domains: ['godaddy.com', 'starfieldtech.com'],
  },
  {
    organizations: ['Entrust, Inc.', 'Entrust Limited', 'Entrust Corporation', 'Entrust', 'AffirmTrust'],
    caa_domains: entrust,
  },
  // It also serves former customers of Entrust.
  { organizations: ['SSL Corporation', 'SSL Corp'], caa_domains: ['ssl.com', ...entrust] },
  { organizations: ['IdenTrust', 'IdenTrust, Inc.'], caa_domains: ['identrust.com'] },
  { organizations: ['Microsoft Corporation'], caa_domains: ['microsoft.com', ...digicert] },
  { organizations: ['Apple Inc.'], caa_domains: ['pki.apple.com', ...digicert] },
  { organizations: ['Certainly'], caa_domains: ['certainly.com'] },
  { organizations: ['Buypass AS-983163327', 'Buypass AS'], caa_domains: ['buypass.com', 'buypass.no'] },
  { organizations: ['Actalis S.p.A.'], caa_domains: ['actalis.it'] },
  {
    organizations: ['Asseco Data Systems S.A.', 'Unizeto Technologies S.A.', 'Certum'],
    caa_domains: ['certum.pl', 'certum.eu'],
  },
  {
    organizations: ['Hellenic Academic and Research Institutions CA', 'GEANT Vereniging'],
    caa_domains: ['harica.gr', ...sectigo],
  },
  { organizations: ['SwissSign AG'], caa_domains: ['swisssign.com', 'swisssign.net'] },
  { organizations: ['D-Trust GmbH'], caa_domains: ['d-trust.net', 'd-trust.de', 'dtrust.de', 'dtrust.net'] },
  {
    organizations: ['Deutsche Telekom Security GmbH', 'T-Systems International GmbH'],
    caa_domains: ['telesec.de', 'pki.dfn.de', 'dfn.de'],
  },
  {
    organizations: ['Telia Company AB', 'Telia Finland Oyj', 'TeliaSonera'],
    caa_domains: ['telia.com', 'telia.fi', 'telia.se'],
  },
  { organizations: ['certSIGN', 'CERTSIGN SA'], caa_domains: ['certsign.ro'] },
  { organizations: ['Certigna', 'Dhimyotis'], caa_domains: ['certigna.fr', 'certigna.com'] },
  { organizations: ['AC Camerfirma S.A.'], caa_domains: ['camerfirma.com'] },
  { organizations: ['ACCV'], caa_domains: ['accv.es'] },
  { organizations: ['Firmaprofesional S.A.', 'Firmaprofesional SA'], caa_domains: ['firmaprofesional.com'] },
  { organizations: ['FNMT-RCM'], caa_domains: ['fnmt.es'] },
  { organizations: ['Microsec Ltd.'], caa_domains: ['e-szigno.hu'] },
  { organizations: ['NETLOCK Kft.'], caa_domains: ['netlock.hu', 'netlock.net', 'netlock.eu', 'netlock.com'] },
  { organizations: ['Disig a.s.'], caa_domains: ['disig.sk'] },
  { organizations: ['eMudhra Technologies Limited', 'eMudhra Inc'], caa_domains: ['emsign.com'] },
  {
    organizations: ['Trustwave Holdings, Inc.', 'Viking Cloud, Inc.'],
    caa_domains: ['trustwave.com', 'securetrust.com', 'vikingcloud.com'],
  },
  { organizations: ['SECOM Trust Systems CO.,LTD.'], caa_domains: ['secomtrust.net'] },
  {
    organizations: ['Cybertrust Japan Co., Ltd.'],
    caa_domains: ['cybertrust.ne.jp', 'cybertrust.co.jp', 'secomtrust.net'],
  },
  { organizations: ['TAIWAN-CA', 'TAIWAN-CA Inc.', 'TWCA'], caa_domains: ['twca.com.tw'] },
  {
    organizations: ['Chunghwa Telecom Co., Ltd.'],
    caa_domains: ['pki.hinet.net', 'tls.hinet.net', 'eca.hinet.net', 'publicca.hinet.net', 'epki.com.tw'],
  },
  { organizations: ['TrustAsia Technologies, Inc.'], caa_domains: ['trustasia.com', ...digicert, ...sectigo] },
  { organizations: ['China Financial Certification Authority'], caa_domains: ['cfca.com.cn'] },
  { organizations: ['Beijing Certificate Authority'], caa_domains: ['bjca.cn'] },
  { organizations: ['UniTrust'], caa_domains: ['sheca.com', 'imtrust.cn', 'wwwtrust.cn'] },
]

/** Spelling differs in case and in punctuation. */
const keyOf = (organization: string): string => organization.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

const byOrganization: ReadonlyMap<string, readonly string[]> = new Map(
  authorities.flatMap(({ organizations, caa_domains }) => organizations.map(name => [keyOf(name), caa_domains])),
)

/** Null for an authority that is not in the table. */
export const caaDomainsOf = (organization: string): readonly string[] | null =>
  byOrganization.get(keyOf(organization)) ?? null
