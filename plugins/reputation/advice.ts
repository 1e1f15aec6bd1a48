// What to do about each signal of reputation: first what a visitor must not do, then the advice.
export const advice = {
  listed_as_malicious: {
    warning: 'Do not open it.',
    advice: 'If it is yours, clean the site, then ask the list to remove it.',
  },
  listed_by_several: {
    warning: 'Do not open it.',
    advice: 'If it is yours, stop the abuse, then ask each list to remove it.',
  },
  listed_once: 'Probably an error of that list. If in doubt, look at what it says about the site.',
  listed_for_abuse:
    'Be careful with mail and links from it. If it is yours, stop the abuse, then ask the list to remove it.',
  listed_by_weak_list: 'Treat it as a hint: these lists have many false positives.',
  listed_page: {
    warning: 'Do not open it.',
    advice: 'If it is yours, remove the page, find out who put it there, then ask the list to remove it.',
  },
  reported_page: 'Be careful with what this page asks for. If it is yours, find out who put it there.',
  hosts_listed_pages:
    'Be careful with links to this site: an intruder may use it. If it is yours, find and remove the listed pages.',
  malicious_host: {
    warning: 'Do not open it.',
    advice: 'If the site is yours, check its front page and clean it first.',
  },
  suspicious_host: 'Look at the result of the host’s own name before you trust this page.',
  redirects_to_malicious_host: { warning: 'Do not open it.', advice: 'If the link is yours, change where it leads.' },
  redirects_to_listed_page: { warning: 'Do not open it.', advice: 'If the link is yours, change where it leads.' },
  redirects_to_listed_host:
    'Be careful: the link leads to a site that lists name. If it is yours, change where it leads.',
  disposable_email: 'Do not accept an address at this domain as proof of identity.',
  lookalike_domain: {
    warning: 'Do not enter a password.',
    advice: 'To use the brand’s own site, type its name yourself.',
  },
  suspicious_name: 'Be careful: the name resembles those of malicious sites. That alone proves nothing.',
  unvouched_name: 'Look at the site before you trust it: its name alone proves nothing.',
  newly_registered_domain: 'Be careful: most domains used for fraud are only days old.',
  domain_on_hold: 'Its registrar or registry took the domain out of service, often because of abuse or an unpaid bill.',
  domain_pending_delete: 'The domain is about to be deleted and may soon belong to someone else.',
  registered_in_future: 'Do not rely on its age: the registry gives an impossible date.',
  tor_exit: 'Traffic from this address may come from anyone. Ask visitors from it for more proof.',
  unconfirmed_reverse_name: 'Do not rely on the address’s reverse DNS names.',
  no_reverse_name: 'If the address is yours, give it a reverse DNS name (PTR): mail servers expect one.',
  page_seen_in_part: 'Look at the page before you trust it: neither its age nor its popularity vouches for the name.',
  first_seen_here: null,
  access_network: null,
  popular_domain: null,
  long_registered_domain: null,
} as const
