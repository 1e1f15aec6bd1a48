// What a check may spend on the network. Defaults are also ceilings: a config may lower them freely, and what it sets
// is in the check's network (`CheckNetwork.limits`), where all that is bounded reads it.

export const limits = {
  /** Milliseconds for one try at one server: a healthy resolver answers a cold name well within it. */
  dns_try_ms: 1_000,
  /** Milliseconds for one question, all tries and servers together. */
  dns_phase_ms: 2_500,
  /** Questions a check: an SPF tree at its own limits, mail, zone and address questions, and room to spare. */
  dns_queries: 60,
  dns_cname_chain: 16,
  /** Addresses of one name that are considered, and of those how many are dialled. */
  addresses_considered: 16,
  addresses_dialled: 4,
  /** Milliseconds, absolute, not idle. */
  connect_ms: 2_000,
  tls_ms: 3_000,
  headers_ms: 3_000,
  body_ms: 5_000,
  redirects: 5,
  /** Octets of a home page, on the wire and after decoding: room for nearly every real page, too small to hurt. */
  page_bytes: 2 * 1024 * 1024,
  content_codings: 2,
  header_bytes: 64 * 1024,
  header_lines: 512,
  informational_responses: 20,
  /** Octets: the size search engines read of a robots.txt (RFC 9309 section 2.5). */
  robots_bytes: 500 * 1024,
  robots_ms: 2_000,
  sitemap_bytes: 1024 * 1024,
  sitemap_ms: 2_000,
  /** Politeness towards the target: the page with its redirects, and three small files. */
  http_requests: 13,
  connections: 12,
}

export type Limits = Readonly<typeof limits>
