// The values that are compared between two checks of a name: where they are, how they are compared, what they are
// called.

/** What a change means for the owner of the name. */
export type Severity = 'weakened' | 'strengthened' | 'changed'

export interface ComparedValue {
  /** The path to the value. It begins with a section, or with a member of the result itself. */
  readonly path: string
  /** A few words that name the value. */
  readonly label: string
  /**
   * The path to the state of the record. `unknown` there means that the value is unknown; when there is no value, the
   * state replaces it (`missing`, `invalid`).
   */
  readonly state?: string
  /** The meaning of null in a complete section; without it, null is unknown. */
  readonly none?: string
  /** Known even when something else was served in place of the page. */
  readonly even_blocked?: true
  /** Gathered from several places: an item missing from the list may exist unless the section is complete. */
  readonly in_parts?: true
}

export type Rule = ComparedValue &
  (
    | { readonly kind: 'value' }
    /** Values from the best to the worst. Others are compared as values. */
    | { readonly kind: 'ordered'; readonly order: readonly string[] }
    /** Which way is better. */
    | { readonly kind: 'number'; readonly better: 'higher' | 'lower' }
    | { readonly kind: 'flag'; readonly good: boolean }
    /** Items of a list; `by` names the members that identify an object. */
    | {
        readonly kind: 'set'
        readonly by?: readonly string[]
        readonly added: Severity
        readonly removed: Severity
      }
    /** Items by name; an item is listed if any item of the name is. True is bad, null is unknown. */
    | { readonly kind: 'listings'; readonly by: string; readonly flag: string }
    /** A member of the items that both lists have, by name. Null and `unknown` are unknown. */
    | { readonly kind: 'each'; readonly by: string; readonly member: MemberRule }
    /** Items by name, each with its issues. */
    | { readonly kind: 'issues'; readonly by: string; readonly issues: string }
    /** Items by name, each with a value that may change, such as a version. */
    | { readonly kind: 'versions'; readonly by: string; readonly version: string }
  )

/** How a member of an item is compared. */
export type MemberRule = Pick<ComparedValue, 'path' | 'label'> &
  (
    | { readonly kind: 'value' }
    /** For the items of `reversed`, from the worst to the best. */
    | { readonly kind: 'ordered'; readonly order: readonly string[]; readonly reversed?: readonly string[] }
    | { readonly kind: 'flag'; readonly good: boolean }
    | { readonly kind: 'set'; readonly added: Severity; readonly removed: Severity }
  )

/** What each mail server has. The greeting is not compared: many contain the time. */
const mailServer = (member: MemberRule): Rule => ({
  path: 'mail_servers.servers',
  label: 'Mail server',
  kind: 'each',
  by: 'exchange',
  member,
})

const TLS_VERSIONS = ['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1', 'SSLv3']

const PASS_FAIL = ['pass', 'warn', 'fail']

const header = (name: string, label: string): Rule => ({
  path: `security_headers.${name}.status`,
  label,
  kind: 'ordered',
  order: PASS_FAIL,
})

/** In the order of the report. */
export const rules: readonly Rule[] = [
  { path: 'recommendation', label: 'Recommendation', kind: 'ordered', order: ['allow', 'review', 'block'] },
  { path: 'verdict', label: 'Verdict', kind: 'ordered', order: ['safe', 'suspicious', 'malicious'] },
  { path: 'risk_score', label: 'Risk score', kind: 'number', better: 'lower' },
  { path: 'threat_types', label: 'Kinds of threat', kind: 'set', added: 'weakened', removed: 'strengthened' },
  // A different confidence says nothing good or bad about the target.
  { path: 'confidence', label: 'Confidence', kind: 'value' },
  { path: 'reputation.lists', label: 'Blocklists', kind: 'listings', by: 'name', flag: 'listed' },
  { path: 'reputation.lookalike_of', label: 'Lookalike of', kind: 'value', none: 'nothing' },
  { path: 'reputation.registrar', label: 'Registrar', kind: 'value' },
  { path: 'reputation.registered_at', label: 'Registration date', kind: 'value' },
  { path: 'reputation.expires_at', label: 'Registration expiry', kind: 'value' },
  {
    path: 'reputation.registration_status',
    label: 'Registration status',
    kind: 'set',
    added: 'changed',
    removed: 'changed',
  },
  { path: 'ip', label: 'Address', kind: 'value' },
  { path: 'geo_location.country', label: 'Country', kind: 'value' },
  { path: 'geo_location.asn', label: 'Network (ASN)', kind: 'value' },
  { path: 'geo_location.isp', label: 'Network operator', kind: 'value' },
  { path: 'dns_security.name_servers', label: 'Name servers', kind: 'set', added: 'changed', removed: 'changed' },
  { path: 'dns_security.dnssec', label: 'DNSSEC', kind: 'ordered', order: ['signed', 'unsigned', 'bogus'] },
  {
    path: 'dns_security.caa.records',
    label: 'CAA records',
    kind: 'set',
    by: ['tag', 'value'],
    added: 'changed',
    removed: 'changed',
  },
  {
    path: 'dns_security.mx.hosts',
    label: 'Mail servers (MX)',
    kind: 'set',
    by: ['exchange'],
    state: 'dns_security.mx.status',
    added: 'changed',
    removed: 'changed',
  },
  {
    path: 'dns_security.spf.policy',
    label: 'SPF policy',
    kind: 'ordered',
    state: 'dns_security.spf.status',
    none: 'by sender',
    order: ['fail', 'softfail', 'neutral', 'missing', 'invalid', 'pass'],
  },
  { path: 'dns_security.spf_record', label: 'SPF record', kind: 'value', state: 'dns_security.spf.status' },
  {
    path: 'dns_security.dmarc.effective_policy',
    label: 'DMARC policy',
    kind: 'ordered',
    state: 'dns_security.dmarc.status',
    order: ['reject', 'quarantine', 'none', 'invalid', 'missing'],
  },
  {
    path: 'dns_security.dmarc.subdomain_policy',
    label: 'DMARC policy for subdomains',
    kind: 'ordered',
    state: 'dns_security.dmarc.status',
    order: ['reject', 'quarantine', 'none', 'invalid', 'missing'],
  },
  { path: 'dns_security.dmarc_record', label: 'DMARC record', kind: 'value', state: 'dns_security.dmarc.status' },
  {
    path: 'dns_security.mta_sts.mode',
    label: 'MTA-STS mode',
    kind: 'ordered',
    state: 'dns_security.mta_sts.status',
    order: ['enforce', 'testing', 'none', 'invalid', 'missing'],
  },
  {
    path: 'dns_security.tls_rpt.status',
    label: 'TLS-RPT record',
    kind: 'ordered',
    order: ['valid', 'invalid', 'missing'],
  },
  { path: 'ssl_info.valid', label: 'Certificate valid', kind: 'flag', good: true },
  {
    path: 'ssl_info.invalid_reasons',
    label: 'Certificate faults',
    kind: 'set',
    added: 'weakened',
    removed: 'strengthened',
  },
  { path: 'ssl_info.issuer', label: 'Certificate issuer', kind: 'value' },
  { path: 'ssl_info.is_self_signed', label: 'Certificate self-signed', kind: 'flag', good: false },
  { path: 'ssl_info.fingerprint_sha256', label: 'Certificate', kind: 'value' },
  { path: 'ssl_info.expires_at', label: 'Certificate expiry', kind: 'value' },
  { path: 'ssl_info.key', label: 'Certificate key', kind: 'value' },
  {
    path: 'ssl_info.subject_alternative_names',
    label: 'Certificate names',
    kind: 'set',
    added: 'changed',
    removed: 'changed',
  },
  {
    path: 'ssl_info.protocol',
    label: 'TLS version',
    kind: 'ordered',
    order: TLS_VERSIONS,
  },
  {
    path: 'security_headers.grade',
    label: 'Security headers grade',
    kind: 'ordered',
    order: ['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C+', 'C', 'C-', 'D+', 'D', 'D-', 'E', 'F'],
  },
  header('https', 'HTTPS'),
  header('hsts', 'Strict-Transport-Security'),
  header('csp', 'Content-Security-Policy'),
  header('x_frame_options', 'Framing protection'),
  header('x_content_type_options', 'X-Content-Type-Options'),
  header('referrer_policy', 'Referrer-Policy'),
  header('permissions_policy', 'Permissions-Policy'),
  header('cors', 'CORS'),
  { path: 'cookies.items', label: 'Cookie', kind: 'issues', by: 'name', issues: 'issues', in_parts: true },
  { path: 'tech_stack.server', label: 'Server', kind: 'value', none: 'not disclosed' },
  { path: 'tech_stack.framework', label: 'Framework', kind: 'value', none: 'none detected' },
  {
    path: 'tech_stack.technologies',
    label: 'Technology',
    kind: 'versions',
    by: 'name',
    version: 'version',
    in_parts: true,
  },
  { path: 'content_analysis.title', label: 'Page title', kind: 'value', none: 'none' },
  { path: 'content_analysis.served_as', label: 'Page type', kind: 'value', even_blocked: true },
  {
    path: 'content_analysis.forms.with_password',
    label: 'Password forms',
    kind: 'number',
    better: 'lower',
  },
  { path: 'rendered.url', label: 'Ends in a browser at', kind: 'value' },
  { path: 'rendered.title', label: 'Title in a browser', kind: 'value', none: 'none' },
  { path: 'rendered.drawn.passwords', label: 'Password fields in a browser', kind: 'number', better: 'lower' },
  {
    path: 'rendered.hosts',
    label: 'Hosts of the page in a browser',
    kind: 'set',
    by: ['host'],
    added: 'changed',
    removed: 'changed',
  },
  { path: 'rendered.downloads', label: 'Downloads', kind: 'set', added: 'weakened', removed: 'strengthened' },
  {
    path: 'rendered.copied',
    label: 'Written to the clipboard',
    kind: 'set',
    added: 'weakened',
    removed: 'strengthened',
  },
  {
    path: 'tls_offer.versions',
    label: 'Offer of',
    kind: 'each',
    by: 'version',
    member: {
      path: 'status',
      label: '',
      kind: 'ordered',
      order: ['refused', 'accepted'],
      reversed: ['TLSv1.3', 'TLSv1.2'],
    },
  },
  {
    path: 'tls_offer.suites',
    label: 'Offer of weak suites,',
    kind: 'each',
    by: 'kind',
    member: { path: 'status', label: '', kind: 'ordered', order: ['refused', 'accepted'] },
  },
  { path: 'tls_offer.prime_bits', label: 'Diffie-Hellman prime (bits)', kind: 'number', better: 'higher' },
  { path: 'tls_offer.own_order', label: 'Server chooses the suite', kind: 'value' },
  { path: 'tls_offer.secure_renegotiation', label: 'Secure renegotiation', kind: 'flag', good: true },
  { path: 'tls_offer.compression', label: 'TLS compression', kind: 'flag', good: false },
  { path: 'tls_offer.fallback_refused', label: 'Refuses fallback to old versions', kind: 'flag', good: true },
  mailServer({ path: 'contact', label: 'contact', kind: 'value' }),
  mailServer({ path: 'address', label: 'address', kind: 'value' }),
  mailServer({ path: 'starttls', label: 'STARTTLS', kind: 'flag', good: true }),
  mailServer({ path: 'tls.protocol', label: 'TLS version', kind: 'ordered', order: TLS_VERSIONS }),
  mailServer({ path: 'tls.valid', label: 'certificate valid', kind: 'flag', good: true }),
  mailServer({
    path: 'tls.invalid_reasons',
    label: 'certificate faults',
    kind: 'set',
    added: 'weakened',
    removed: 'strengthened',
  }),
  mailServer({ path: 'tls.certificate.fingerprint_sha256', label: 'certificate', kind: 'value' }),
  mailServer({
    path: 'dane.status',
    label: 'DANE',
    kind: 'ordered',
    order: ['valid', 'none', 'unsigned', 'unusable', 'mismatch'],
  }),
  mailServer({
    path: 'mta_sts',
    label: 'MTA-STS',
    kind: 'ordered',
    order: ['met', 'none', 'not_listed', 'not_met'],
  }),
  mailServer({
    path: 'reverse_name.status',
    label: 'reverse name',
    kind: 'ordered',
    order: ['confirmed', 'unconfirmed', 'none'],
  }),
  { path: 'seo_health.score', label: 'SEO score', kind: 'number', better: 'higher' },
  { path: 'seo_health.indexable', label: 'Indexable', kind: 'flag', good: true },
  { path: 'carbon_footprint.green', label: 'Green hosting', kind: 'flag', good: true },
]

/** Sections with rules. In any other section every difference is reported. */
export const ruledSections: ReadonlySet<string> = new Set(rules.map(({ path }) => path.split('.')[0] ?? ''))

/** Sections that repeat another section under a second name; not compared again. */
export const ALIASES: ReadonlySet<string> = new Set(['site_content'])
