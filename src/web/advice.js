// What to do about each signal. Signals of other plugins are explained by their titles and details alone.
import { bySeverity } from './severity.js'

/** @typedef {import('./result.js').Result} Result */

const PRIVATE = 'Do not open it from inside a private network.'
const PASSWORD = 'Do not enter a password.'
const SECRETS = 'Do not enter anything confidential.'

/** What a visitor must not do. Never shown if the recommendation is to allow the target. */
export const warnings = /** @type {Readonly<Record<string, string>>} */ ({
  resolves_to_private_address: PRIVATE,
  redirect_to_non_public: PRIVATE,
  self_signed_certificate: SECRETS,
  untrusted_certificate: SECRETS,
  expired_certificate: SECRETS,
  not_yet_valid_certificate: SECRETS,
  certificate_name_mismatch: SECRETS,
  paste_command_lure: 'Do not run or paste anything that the page gives you.',
  tech_support_scare: 'Do not call the number.',
  fake_virus_scan: 'Do not install anything from there.',
  coin_doubling: 'Do not send any coins.',
  asks_for_wallet_phrase: 'Do not enter a recovery phrase or key.',
  asks_for_card_pin: 'Do not enter card details or a PIN.',
  fake_browser_window: PASSWORD,
  lure_on_new_domain: SECRETS,
  secrets_on_new_domain: SECRETS,
  impersonated_brand: PASSWORD,
  phishing_page: SECRETS,
  phishing_under_lookalike: SECRETS,
  phishing_on_new_domain: SECRETS,
  impersonation_on_new_domain: SECRETS,
  phishing_page_listed: SECRETS,
  impersonation_by_page: SECRETS,
  phishing_under_suspicious_name: SECRETS,
  impersonation_under_misleading_link: SECRETS,
  phishing_in_asset_folder: SECRETS,
  phishing_under_misleading_link: SECRETS,
  blocked_by_operator: 'Do not open it.',
  credentials_to_messenger_bot: PASSWORD,
  data_uri_form: 'Do not fill in the form.',
  password_form_to_other_site: 'Do not enter a password unless you know the site that receives it.',
  password_form_over_http: PASSWORD,
  password_on_http_page: PASSWORD,
  obfuscated_redirect: 'Do not follow the redirect.',
  redirect_off_the_web: 'Do not follow the redirect.',
  listed_as_malicious: 'Do not open it.',
  listed_page: 'Do not open it.',
  malicious_host: 'Do not open it.',
  redirects_to_malicious_host: 'Do not open it.',
  redirects_to_listed_page: 'Do not open it.',
  flagged_by_vendors: 'Do not open it.',
  lookalike_domain: PASSWORD,
})

/** Null if there is nothing to do. */
export const advice = /** @type {Readonly<Record<string, string | null>>} */ ({
  domain_not_found: 'Check the spelling. Do not trust mail or links that use a name that does not exist.',
  dns_servfail:
    'The name cannot be reached until its owner fixes its DNS. If it is yours, check DNSSEC and the name servers first.',
  dns_unanswered: 'The name cannot be reached until its owner fixes its name servers.',
  dns_alias_loop: 'If the name is yours, remove the CNAME record that closes the loop.',
  dnssec_bogus:
    'Its DNS answers fail DNSSEC validation and may be forged. If the name is yours, renew the signatures or fix the DS record.',
  resolves_to_private_address: 'A public name that resolves to a private address is an attack or a mistake.',
  ip_not_in_dns_answers: 'The name does not resolve to this address now. Check where the address came from.',
  permissive_spf_policy: 'If the domain is yours, end its SPF record with “-all” instead of “+all”.',
  invalid_spf_record: 'If the domain is yours, correct its SPF record: receivers ignore an invalid one.',
  missing_spf_record: 'If the domain is yours, publish an SPF record; “v=spf1 -all” if it sends no mail.',
  weak_spf_policy: 'If the domain is yours, end its SPF record with “-all” or “~all”.',
  invalid_dmarc_record: 'If the domain is yours, correct its DMARC record: receivers ignore an invalid one.',
  missing_dmarc_record:
    'If the domain is yours, publish a DMARC record: start with “v=DMARC1; p=none”, then move to “p=reject”.',
  weak_dmarc_policy: 'If the domain is yours, move from p=none to p=quarantine or p=reject.',
  invalid_mx_records: 'If the domain is yours, point its MX records at names that have addresses.',
  missing_mx_records: 'If the domain is yours and receives no mail, publish a null MX record (“0 .”).',
  invalid_mta_sts_policy:
    'If the domain is yours, serve the MTA-STS policy that its DNS announces, or remove the record.',

  self_signed_certificate:
    'If the site is yours, get a certificate from an authority that browsers trust; some are free.',
  untrusted_certificate: 'If the site is yours, get a certificate from an authority that browsers trust.',
  expired_certificate: 'If the site is yours, renew the certificate and automate renewal.',
  certificate_name_mismatch:
    'This may be a different site than you expect. If it is yours, get a certificate for its name.',
  not_yet_valid_certificate: 'If the site is yours, check the clock of the machine that requested the certificate.',
  no_tls: 'If the site is yours, offer HTTPS.',
  weak_certificate_key: 'If the site is yours, get a new certificate with an EC key or RSA of at least 2048 bits.',
  revoked_certificate: 'Do not trust this site. If it is yours, get a new certificate with a new key.',
  required_staple_missing: 'If the site is yours, turn on OCSP stapling, or get a certificate that does not demand it.',
  weak_certificate_signature: 'If the site is yours, get a new certificate signed with SHA-256 or better.',
  legacy_tls: 'If the site is yours, allow TLS 1.2 and 1.3 only.',
  tls_handshake_failed: 'If the site is yours, check its TLS settings: modern clients cannot connect.',
  incomplete_certificate_chain: 'If the site is yours, send the intermediate certificate with your own.',
  certificate_expires_soon: 'If the site is yours, renew the certificate now.',
  issuer_not_in_caa:
    'If the site is yours, add its certificate authority to your CAA records, or find out who ordered the certificate.',
  missing_certificate_timestamps: null,
  shared_wildcard_certificate: null,

  broken_ssl_accepted: 'If the site is yours, disable SSL 2.0 and 3.0.',
  broken_cipher_accepted: 'If the site is yours, allow only the cipher suites that your TLS library recommends.',
  weak_key_exchange_accepted: 'If the site is yours, use a Diffie-Hellman prime of 2048 bits or more, or ECDHE only.',
  old_tls_accepted: 'If the site is yours, disable TLS 1.0 and 1.1.',
  weak_cipher_accepted: 'If the site is yours, disable RC4 and 3DES.',
  insecure_renegotiation: 'If the site is yours, update its TLS library.',
  tls_compression: 'If the site is yours, disable compression in TLS.',

  dane_mismatch: 'If the domain is yours, publish a TLSA record for the new key before the server uses it.',
  mta_sts_not_met: 'If the domain is yours, give the mail server a valid certificate for its name in the MX record.',
  mail_server_without_starttls: 'If the domain is yours, give its mail server a certificate and enable STARTTLS.',
  mail_tls_fails: 'If the domain is yours, check the TLS settings of its mail server.',
  mail_servers_unreachable: 'If the domain is yours, start its mail server, or publish a null MX record (“0 .”).',
  mail_certificate_invalid: 'If the domain is yours, get a certificate for the name in the MX record.',
  outdated_mail_tls: 'If the domain is yours, update its mail server: current ones support TLS 1.2 and 1.3.',
  mail_server_not_smtp: 'If the domain is yours, point its MX records at mail servers only.',
  mail_server_without_reverse_name:
    'If the domain is yours, give its mail server a reverse DNS name (PTR) that leads back to its address.',

  paste_command_lure:
    'The command would install what the page’s author wants. If you ran it, have the computer examined.',
  tech_support_scare: 'A web page cannot examine a computer. Close it; if it cannot be closed, end the browser.',
  fake_virus_scan: 'A web page cannot scan a computer. Open the virus scanner that you installed yourself.',
  coin_doubling: 'Coins that are sent do not come back.',
  asks_for_wallet_phrase: 'Whoever has the phrase has the money. If you entered it, move everything to a new wallet.',
  asks_for_card_pin: 'No shop or bank asks for a PIN on the web. If you entered it, have the card blocked.',
  asks_for_identity_number: 'Check by another way who asks for your number, and why.',
  asks_for_mailbox_password: 'Log in to a mailbox on its provider’s own site only.',
  fake_browser_window: 'Look at the address bar of the browser itself: the one in the page is a picture.',
  impersonated_brand: 'To use the brand’s own site, type its name yourself.',
  phishing_page:
    'The page is built like phishing pages. If the site is yours, report the mistake to the operator of this service.',
  resembles_phishing_page: 'Be careful: some features of the page are typical of phishing. That alone proves nothing.',
  credentials_to_messenger_bot: 'What visitors type is sent to a chat controlled by someone else.',
  data_uri_form: 'The form hides where it sends what visitors type.',
  password_form_to_other_site: 'If the site is yours, send the form to your own site.',
  password_form_over_http: 'The password would travel unencrypted. If the site is yours, offer HTTPS.',
  obfuscated_redirect: 'The page hides where it sends its visitors.',
  password_on_http_page: 'Anyone on the network path can change the page. If the site is yours, offer HTTPS.',
  password_form_on_free_hosting: 'Be careful: legitimate services rarely ask for passwords on free hosting.',
  refresh_to_other_site: 'Check where you end up before you do anything there.',
  obfuscated_script: 'Be careful: the page hides what its script does.',
  parked_domain: 'The domain has no site of its own. A future site may belong to someone else.',
  brand_in_title: 'Check that the name in the address bar belongs to the brand.',

  unsupported_software: 'If the site is yours, update the software: this version no longer gets security fixes.',

  insecure_redirect: 'If the site is yours, redirect to HTTPS only.',
  missing_hsts: 'If the site is yours, send “Strict-Transport-Security: max-age=31536000; includeSubDomains”.',
  missing_csp: 'If the site is yours, send a Content-Security-Policy, first as report-only.',
  clickjackable: "If the site is yours, send “Content-Security-Policy: frame-ancestors 'self'”.",
  cors_wildcard_with_credentials: 'If the site is yours, list the origins that may read its responses.',
  cors_reflects_origin: 'If the site is yours, compare the Origin header with a list before you repeat it.',
  redirect_to_non_public: 'A public site that redirects into a private network is an attack or a mistake.',
  too_many_redirects: 'If the site is yours, redirect straight to the page.',
  redirect_loop: 'The page cannot be opened. If the site is yours, remove the redirect that closes the loop.',
  redirect_off_the_web: 'The redirect leads to something other than a web page.',
  weak_hsts: 'If the site is yours, raise max-age of Strict-Transport-Security to a year.',
  weak_csp: "If the site is yours, remove 'unsafe-inline' and wildcards from script-src; use nonces.",
  missing_x_content_type_options: 'If the site is yours, send “X-Content-Type-Options: nosniff”.',
  unsafe_referrer_policy: 'If the site is yours, send “Referrer-Policy: strict-origin-when-cross-origin”.',
  server_version_leak: 'If the site is yours, remove version numbers from its headers.',

  session_cookie_without_secure: 'If the site is yours, set Secure on session cookies.',
  session_cookie_without_http_only: 'If the site is yours, set HttpOnly on session cookies.',
  session_cookie_without_same_site: 'If the site is yours, set SameSite=Lax on session cookies.',
  cookie_prefix_violated: 'If the site is yours, set the attributes that the cookie’s prefix requires, or rename it.',
  security_txt_expired: 'If the site is yours, update the file: readers should no longer use an expired one.',

  cookie_rejected: 'If the site is yours, correct the cookie: browsers reject it.',

  hosting_network: null,

  listed_as_malicious: 'If it is yours, clean the site, then ask the list to remove it.',
  listed_by_several: 'If it is yours, stop the abuse, then ask each list to remove it.',
  listed_page: 'If it is yours, remove the page, find out who put it there, then ask the list to remove it.',
  reported_page: 'Be careful with what this page asks for. If it is yours, find out who put it there.',
  hosts_listed_pages:
    'Be careful with links to this site: an intruder may use it. If it is yours, find and remove the listed pages.',
  malicious_host: 'If the site is yours, check its front page and clean it first.',
  suspicious_host: 'Look at the result of the host’s own name before you trust this page.',
  redirects_to_listed_page: 'If the link is yours, change where it leads.',
  redirects_to_malicious_host: 'If the link is yours, change where it leads.',
  redirects_to_listed_host:
    'Be careful: the link leads to a site that lists name. If it is yours, change where it leads.',
  listed_once: 'Probably an error of that list. If in doubt, look at what it says about the site.',
  listed_for_abuse:
    'Be careful with mail and links from it. If it is yours, stop the abuse, then ask the list to remove it.',
  listed_by_weak_list: 'Treat it as a hint: these lists have many false positives.',
  lookalike_domain: 'To use the brand’s own site, type its name yourself.',
  suspicious_name: 'Be careful: the name resembles those of malicious sites. That alone proves nothing.',
  newly_registered_domain: 'Be careful: most domains used for fraud are only days old.',
  domain_on_hold: 'Its registrar or registry took the domain out of service, often because of abuse or an unpaid bill.',
  domain_pending_delete: 'The domain is about to be deleted and may soon belong to someone else.',
  registered_in_future: 'Do not rely on its age: the registry gives an impossible date.',
  disposable_email: 'Do not accept an address at this domain as proof of identity.',
  tor_exit: 'Traffic from this address may come from anyone. Ask visitors from it for more proof.',
  unconfirmed_reverse_name: 'Do not rely on the address’s reverse DNS names.',
  no_reverse_name: 'If the address is yours, give it a reverse DNS name (PTR): mail servers expect one.',
  access_network: null,
  flagged_by_vendors: 'If it is yours, clean the site, then ask the vendors to check it again.',
  reported_for_abuse: 'Be careful with traffic from this address. If it is yours, find the abuse and stop it.',
  long_registered_domain: null,
  popular_domain: null,

  page_in_asset_folder: 'If the site is yours and you did not put the page there, it was broken into: remove the page.',
  host_in_path: 'Look at the host before the first slash: that is whose site it is.',
  brand_in_path: 'To use the brand’s own site, type its name yourself.',
  lure_in_path: null,
  host_beside_at_sign: 'Look at the host before the first slash: that is whose site it is.',
  email_address_in_link: 'Do not pass the link on: it names a person.',
  double_encoding: null,
  open_redirector: 'Judge the link by the site that it leads to, not by the service that it begins with.',

  blocked_by_operator: 'If the entry is a mistake, ask the operator of this service to remove it.',
  allowed_by_operator: null,
})

/** @type {<Value>(table: Readonly<Record<string, Value>>, id: string) => Value | null} */
const own = (table, id) => (Object.hasOwn(table, id) ? (table[id] ?? null) : null)

/**
 * What to do about the signals of a section, each once, most serious first. It agrees with the recommendation, also if this
 * installation gave a signal another severity.
 * @param {string} section
 * @param {Pick<Result, 'signal_details' | 'recommendation'>} result
 */
export function stepsFor(section, { signal_details, recommendation }) {
  const found = bySeverity(signal_details.filter(one => one.section === section))
  const steps = found.flatMap(({ id }) => [recommendation === 'allow' ? null : own(warnings, id), own(advice, id)])
  return [...new Set(steps)].filter(step => step !== null)
}
