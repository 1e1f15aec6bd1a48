// What to do about each signal, in plain words; null where there is nothing to do. A plugin's own signals are told by their
// titles and details alone.

/** @type {Readonly<Record<string, string | null>>} */
export const advice = {
  domain_not_found:
    'Check the spelling. A name that does not exist leads nowhere; mail or links that use it are not to be trusted.',
  dns_servfail:
    'Nobody can reach the name until its owner repairs its DNS. If it is yours, look at DNSSEC and the name servers first.',
  dns_alias_loop: 'If the name is yours, remove the CNAME record that leads back to where it began.',
  dnssec_bogus:
    'Its DNS answers fail their own proof: they may be forged. If the name is yours, renew the signatures or mend the DS record.',
  resolves_to_private_address:
    'A public name that leads into a private network is a trap or a mistake. Do not open it from inside a network.',
  ip_not_in_dns_answers: 'The name does not point to this address now. Find out who told you that it does.',
  permissive_spf_policy: 'If the domain is yours, end its SPF record with “-all” instead of “+all”.',
  invalid_spf_record: 'If the domain is yours, repair its SPF record: receivers ignore one that they cannot read.',
  missing_spf_record: 'If the domain is yours, publish an SPF record; “v=spf1 -all” if it sends no mail.',
  weak_spf_policy: 'If the domain is yours, end its SPF record with “-all” or “~all”.',
  invalid_dmarc_record: 'If the domain is yours, repair its DMARC record: receivers ignore one that they cannot read.',
  missing_dmarc_record:
    'If the domain is yours, publish “v=DMARC1; p=reject” at _dmarc, after a time of watching with p=none.',
  weak_dmarc_policy: 'If the domain is yours, move from p=none to p=quarantine or p=reject.',
  invalid_mx_records: 'If the domain is yours, point its MX records at names that have addresses.',
  missing_mx_records: 'If the domain is yours and receives no mail, say so with a null MX record (“0 .”).',
  invalid_mta_sts_policy:
    'If the domain is yours, serve the MTA-STS policy that its DNS promises, or remove the record.',

  self_signed_certificate:
    'Enter nothing there. If the site is yours, get a certificate from an authority that browsers trust; some are free.',
  untrusted_certificate:
    'Enter nothing there. If the site is yours, get a certificate from an authority that browsers trust.',
  expired_certificate: 'If the site is yours, renew the certificate and let renewal run by itself.',
  certificate_name_mismatch:
    'You may not be where you think you are. If the site is yours, get a certificate that names it.',
  not_yet_valid_certificate: 'If the site is yours, check the clock of the machine that made the certificate.',
  no_tls: 'Enter nothing there: everything travels readable. If the site is yours, offer HTTPS.',
  weak_certificate_key: 'If the site is yours, get a new certificate with an EC key or RSA of at least 2048 bits.',
  weak_certificate_signature: 'If the site is yours, get a new certificate signed with SHA-256 or better.',
  legacy_tls: 'If the site is yours, allow TLS 1.2 and 1.3 only.',
  tls_handshake_failed: 'If the site is yours, look at its TLS settings: modern clients cannot agree with it.',
  incomplete_certificate_chain: 'If the site is yours, send the intermediate certificate beside your own.',
  certificate_expires_soon: 'If the site is yours, renew the certificate now.',
  shared_wildcard_certificate: null,

  impersonated_brand: 'Do not enter a password. Go to the brand’s own site by typing its name.',
  credentials_to_messenger_bot: 'Do not enter a password: it would be sent to a stranger’s chat.',
  data_uri_form: 'Do not fill in the form: it hides where it leads.',
  password_form_to_other_site: 'Do not enter a password unless you know the site that receives it.',
  password_form_over_http: 'Do not enter a password: it would travel readable.',
  obfuscated_redirect: 'Do not follow it: the page hides where it sends you.',
  password_on_http_page: 'Do not enter a password: whoever is on the way can change the page.',
  password_form_on_free_hosting: 'Be careful: a real service seldom asks for passwords on free hosting.',
  refresh_to_other_site: 'Look at where you end up before you do anything there.',
  obfuscated_script: 'Be careful: the page hides what its script does.',
  parked_domain: 'Nothing is offered here yet; what appears later may be somebody else’s.',
  brand_in_title: 'Check that the name in the address bar belongs to the brand.',

  unsupported_software: 'If the site is yours, update: nobody repairs this version any more.',

  insecure_redirect: 'If the site is yours, let every redirect lead to HTTPS.',
  missing_hsts: 'If the site is yours, send “Strict-Transport-Security: max-age=31536000; includeSubDomains”.',
  missing_csp: 'If the site is yours, send a Content-Security-Policy, first as report-only.',
  clickjackable: "If the site is yours, send “Content-Security-Policy: frame-ancestors 'self'”.",
  cors_wildcard_with_credentials: 'If the site is yours, name the origins that may read its answers.',
  redirect_to_non_public:
    'A public site that leads into a private network is a trap or a mistake. Do not open it from inside a network.',
  too_many_redirects: 'If the site is yours, let one redirect lead straight to the page.',
  redirect_loop: 'Nobody can open the page. If the site is yours, mend the redirect that leads back.',
  redirect_off_the_web: 'Do not follow it: it leads to something that is no web page.',
  weak_hsts: 'If the site is yours, raise max-age of Strict-Transport-Security to a year.',
  weak_csp: "If the site is yours, remove 'unsafe-inline' and wildcards from script-src; use nonces.",
  missing_x_content_type_options: 'If the site is yours, send “X-Content-Type-Options: nosniff”.',
  unsafe_referrer_policy: 'If the site is yours, send “Referrer-Policy: strict-origin-when-cross-origin”.',
  server_version_leak: 'If the site is yours, take version numbers out of its headers.',

  session_cookie_without_secure: 'If the site is yours, set Secure on session cookies.',
  session_cookie_without_http_only: 'If the site is yours, set HttpOnly on session cookies.',
  session_cookie_without_same_site: 'If the site is yours, set SameSite=Lax on session cookies.',
  cookie_prefix_violated: 'If the site is yours, keep what the prefix of the cookie promises, or rename it.',
  cookie_rejected: 'If the site is yours, mend the cookie: browsers throw it away.',

  hosting_network: null,

  listed_as_malicious:
    'Do not open it, and block it. If it is yours, clean the site, then ask the list to take it off.',
  listed_for_abuse:
    'Be careful with mail and links from it. If it is yours, find the abuse, then ask the list to take it off.',
  listed_by_weak_list: 'Take it as a hint: these lists name many who did nothing.',
  lookalike_domain: 'Do not enter a password. Go to the brand’s own site by typing its name.',
  suspicious_name: 'Be careful: the name is like those of malicious sites. It proves nothing by itself.',
  newly_registered_domain: 'Be careful: most names used for fraud are only days old.',
  domain_on_hold:
    'The name was taken out of service by its registrar or registry, often for abuse or for want of payment.',
  domain_pending_delete: 'The name is about to be deleted and may soon be somebody else’s.',
  registered_in_future: 'Do not rely on its age: the registry gives an impossible date.',
  disposable_email: 'Do not take an address at this domain for proof of who somebody is.',
  tor_exit: 'Whoever comes from this address may be anyone. Ask visitors from it for more proof.',
  unconfirmed_reverse_name: 'Do not rely on the names that the address gives itself.',
  no_reverse_name: 'If the address is yours, give it a reverse name (PTR), which mail servers ask for.',
  access_network: null,
  flagged_by_vendors:
    'Do not open it, and block it. If it is yours, clean the site, then ask the vendors to look again.',
  reported_for_abuse: 'Be careful with what comes from this address. If it is yours, find the abuse and end it.',
  long_registered_domain: null,
  popular_domain: null,
}
