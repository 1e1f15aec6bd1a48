// The network budget of a check. Defaults are also ceilings: the configuration may lower them. Code reads the effective
// values from `CheckNetwork.limits`.

export const limits = {
  /** Milliseconds for one try at one server; a healthy resolver answers an uncached name well within it. */
  dns_try_ms: 1_000,
  /** Milliseconds for one query, all tries and servers together. */
  dns_phase_ms: 2_500,
  /** Queries per check: enough for an SPF tree at its limits, DKIM selectors, and mail, zone and address queries. */
  dns_queries: 96,
  dns_cname_chain: 16,
  /** Addresses of one name that are considered, and how many of them are dialled. */
  addresses_considered: 16,
  addresses_dialled: 4,
  /** Milliseconds in total, not idle time. */
  connect_ms: 2_000,
  tls_ms: 3_000,
  headers_ms: 3_000,
  body_ms: 5_000,
  redirects: 5,
  /** Octets of a home page, on the wire and after decoding: enough for nearly every real page, too small to do harm. */
  page_bytes: 2 * 1024 * 1024,
  content_codings: 2,
  header_bytes: 64 * 1024,
  header_lines: 512,
  informational_responses: 20,
  /** Octets of a robots.txt that search engines read (RFC 9309 section 2.5). */
  robots_bytes: 500 * 1024,
  robots_ms: 2_000,
  sitemap_bytes: 1024 * 1024,
  sitemap_ms: 2_000,
  /** Requests by purpose. The page: its redirects, and one more on a new connection after one that broke off. */
  page_requests: 7,
  /** robots.txt, security.txt and at most three sitemaps, once ahead of the page at two origins, with redirects. */
  file_requests: 12,
  /** Port 80 with two redirects, `www.`, and the request as another origin with its redirect and a repetition. */
  entrance_requests: 7,
  /** Registries, directories and other services that are not the target's site, with their redirects. */
  service_requests: 12,
  connections: 12,
  /**
   * Handshakes that test what a TLS server accepts, in addition to the connections above: six versions, eight kinds of
   * cipher suites and the final refusal, the order of suites, and the fallback.
   */
  tls_offer_connections: 17,
  /** Connections to mail servers: five servers, three addresses or a second handshake for each. */
  mail_connections: 15,
  /** Connections to name servers: one of the parent zone and eight of the zone, two addresses each. */
  name_server_connections: 18,
  /**
   * Milliseconds for the conversation with one mail server. Some greet only after six seconds, because senders of spam do not
   * wait.
   */
  smtp_ms: 6_500,
  /**
   * What a browser may use for one page, in a network of its own: octets from hosts and to them, requests in plain text and
   * tunnels, connections, and hosts. A page that loads more is drawn without the rest.
   */
  rendered_bytes: 12 * 1024 * 1024,
  rendered_upload_bytes: 512 * 1024,
  rendered_requests: 160,
  rendered_connections: 64,
  rendered_hosts: 30,
}

export type Limits = Readonly<typeof limits>
