// The evidence of an ordinary, healthy site without its page: addresses, DNS, mail, certificate, crawl files; not on
// any list.

/** The name that is replaced by the checked page's host. */
export const STAND_IN = 'static.lab'
/** The time of the check; the certificate is valid around it. */
export const SEEN_AT = '2026-11-22T03:54:34.470Z'

/** By kind of evidence. */
export const healthySite = {
  addresses: {
    status: 'found',
    answers: [
      {
        address: '2a10:3781:1::100',
        family: 6,
        refused: null,
      },
      {
        address: '193.0.14.100',
        family: 4,
        refused: null,
      },
    ],
    dialable: [
      {
        address: '2a10:3781:1::100',
        family: 6,
        refused: null,
      },
      {
        address: '193.0.14.100',
        family: 4,
        refused: null,
      },
    ],
    cnames: [],
    ttl: 300,
    authenticated: false,
  },
  crawl_files: {
    robots: {
      url: 'https://static.lab/robots.txt',
      status: 'found',
      reason: null,
      text: 'User-agent: *\nAllow: /\nSitemap: https://static.lab/sitemap.xml\n',
    },
    sitemaps: [
      {
        url: 'https://static.lab/sitemap.xml',
        status: 'found',
        reason: null,
        root: 'urlset',
        gzip: false,
      },
    ],
  },
  security_txt: {
    url: 'https://static.lab/.well-known/security.txt',
    status: 'missing',
    reason: null,
    content_type: 'text/html',
    text: null,
    truncated: false,
  },
  dns: {
    ns: {
      status: 'found',
      records: ['ns1.static.lab', 'ns2.static.lab'],
      ttl: 300,
      authenticated: false,
      cnames: [],
    },
    zone: 'static.lab',
    caa: {
      status: 'found',
      records: [
        {
          critical: false,
          tag: 'issue',
          value: 'ca.lab',
        },
      ],
      ttl: 300,
      authenticated: false,
      cnames: [],
    },
    caa_at: 'static.lab',
    txt: {
      status: 'found',
      records: ['v=spf1 mx -all'],
      ttl: 300,
      authenticated: false,
      cnames: [],
    },
    ds: {
      status: 'no_data',
      authenticated: false,
      cnames: [],
    },
    dnssec: 'unsigned',
  },
  entrances: {
    cross_origin: {
      url: 'https://static.lab/',
      origin: 'https://other-site.invalid',
      allow_origin: null,
      allow_credentials: false,
    },
    http: {
      url: 'http://static.lab/',
      status: 301,
      failure: null,
      location: 'https://static.lab/',
    },
    www: {
      url: 'http://www.static.lab/',
      status: null,
      failure: 'not_found',
      location: null,
    },
  },
  green_hosting: {
    green: true,
    hosted_by: 'Lab Hosting Cooperative',
  },
  listings: {
    lists: [
      {
        id: 'nordspam_dbl',
        name: 'NordSpam domains',
        kind: 'domain',
        asked: 'static.lab',
        status: 'not_listed',
        reason: null,
        codes: [],
        categories: [],
        strength: null,
        explanation: null,
        terms: 'free for commercial and other use up to 10 000 queries a day',
      },
      {
        id: 'spamcop',
        name: 'SpamCop',
        kind: 'ip',
        asked: '193.0.14.100',
        status: 'not_listed',
        reason: null,
        codes: [],
        categories: [],
        strength: null,
        explanation: null,
        terms: 'free to use',
      },
    ],
  },
  location: {
    ip: '2a10:3781:1::100',
    country: 'NL',
    country_name: 'Netherlands',
    region: null,
    city: 'Amsterdam',
    latitude: null,
    longitude: null,
    asn: 64496,
    organization: 'Lab Hosting Cooperative',
  },
  mail_records: {
    mx: {
      status: 'found',
      reason: null,
      total: 1,
      hosts: [
        {
          preference: 10,
          exchange: 'mail.static.lab',
          is_address: false,
          status: 'found',
          reason: null,
          cnames: [],
          addresses: [
            {
              address: '193.0.14.101',
              refused: null,
            },
          ],
        },
      ],
    },
    spf: {
      root: {
        name: 'static.lab',
        status: 'found',
        reason: null,
        candidates: ['v=spf1 mx -all'],
        lookalikes: [],
        record: {
          text: 'v=spf1 mx -all',
          too_long: false,
          terms: [
            {
              text: 'mx',
              kind: 'mechanism',
              name: 'mx',
              qualifier: '+',
              domain: null,
              network: null,
              prefix4: null,
              prefix6: null,
              error: null,
            },
            {
              text: '-all',
              kind: 'mechanism',
              name: 'all',
              qualifier: '-',
              domain: null,
              network: null,
              prefix4: null,
              prefix6: null,
              error: null,
            },
          ],
        },
        lookups: [
          {
            term: 0,
            name: 'static.lab',
            mx_hosts: 1,
            child: null,
            status: 'answered',
            reason: null,
          },
        ],
      },
      lookups: 1,
      void_lookups: 0,
      complete: true,
    },
    dmarc: {
      steps: [
        {
          name: 'static.lab',
          status: 'found',
          reason: null,
          count: 1,
          texts: ['v=DMARC1; p=reject; rua=mailto:dmarc@static.lab'],
          lookalikes: [],
          record: {
            text: 'v=DMARC1; p=reject; rua=mailto:dmarc@static.lab',
            tags: [
              {
                name: 'v',
                value: 'DMARC1',
              },
              {
                name: 'p',
                value: 'reject',
              },
              {
                name: 'rua',
                value: 'mailto:dmarc@static.lab',
              },
            ],
            violations: [],
            valid: true,
          },
        },
      ],
      applied: 'static.lab',
      reports: [
        {
          tag: 'rua',
          uri: 'mailto:dmarc@static.lab',
          scheme: 'mailto',
          host: 'static.lab',
          external: false,
          authorized: null,
        },
      ],
    },
    mta_sts: {
      record: {
        name: '_mta-sts.static.lab',
        status: 'not_found',
        reason: null,
        count: 0,
        lookalikes: [],
        record: null,
      },
      policy: null,
    },
    tls_rpt: {
      name: '_smtp._tls.static.lab',
      status: 'found',
      reason: null,
      count: 1,
      lookalikes: [],
      record: {
        text: 'v=TLSRPTv1; rua=mailto:tls@static.lab',
        tags: [
          {
            name: 'v',
            value: 'TLSRPTv1',
          },
          {
            name: 'rua',
            value: 'mailto:tls@static.lab',
          },
        ],
        violations: [],
        valid: true,
      },
    },
    bimi: {
      name: 'default._bimi.static.lab',
      status: 'not_found',
      reason: null,
      count: 0,
      lookalikes: [],
      record: null,
    },
  },
  tls: {
    status: 'handshake',
    address: '2a10:3781:1::100',
    server_name: 'static.lab',
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    alpn: 'http/1.1',
    key_exchange: { kind: 'ECDH', group: 'X25519', bits: 253, post_quantum: null },
    failure: null,
    only_legacy: false,
    client_certificate_requested: false,
    chain: [
      {
        subject: {
          label: 'static.lab',
          common_name: 'static.lab',
          organization: null,
          country: null,
        },
        issuer: {
          label: 'Lab Issuing CA',
          common_name: 'Lab Issuing CA',
          organization: 'Lab Trust Services',
          country: null,
        },
        serial: '40747c05009049816e1e308fc62c2acc',
        not_before: '2026-11-01T15:54:33Z',
        not_after: '2027-01-30T15:54:33Z',
        dns_names: ['static.lab', 'www.static.lab'],
        ip_addresses: [],
        key: {
          kind: 'ec',
          bits: null,
          curve: 'P-256',
        },
        signature_algorithm: 'ecdsa-with-SHA256',
        is_ca: false,
        extended_key_usage: ['1.3.6.1.5.5.7.3.1'],
        fingerprint_sha256: '3a3ffbfd36e84ac35c1eb5b36c63f3975133e2312ccf8806239f52be2c2d4a42',
        self_signed: false,
      },
      {
        subject: {
          label: 'Lab Issuing CA',
          common_name: 'Lab Issuing CA',
          organization: 'Lab Trust Services',
          country: null,
        },
        issuer: {
          label: 'Lab Root',
          common_name: 'Lab Root',
          organization: 'Lab',
          country: null,
        },
        serial: '40059bb29b245463547746db7d356672',
        not_before: '2026-11-21T03:54:33Z',
        not_after: '2027-02-20T03:54:33Z',
        dns_names: [],
        ip_addresses: [],
        key: {
          kind: 'ec',
          bits: null,
          curve: 'P-256',
        },
        signature_algorithm: 'ecdsa-with-SHA256',
        is_ca: true,
        extended_key_usage: null,
        fingerprint_sha256: 'b0f8d657ce7a6953eaea522d421e88b813915dbe3cc392e136ee71efa1d972a4',
        self_signed: false,
      },
    ],
    chain_length: 2,
    root: {
      subject: { label: 'Lab Root', common_name: 'Lab Root', organization: 'Lab', country: null },
      issuer: { label: 'Lab Root', common_name: 'Lab Root', organization: 'Lab', country: null },
      serial: '40a1d0b7f5a35b8f3f1c2f5e0c7a9d11',
      not_before: '2026-11-21T03:54:33Z',
      not_after: '2027-02-20T03:54:33Z',
      dns_names: [],
      ip_addresses: [],
      key: { kind: 'ec', bits: null, curve: 'P-256' },
      signature_algorithm: 'ecdsa-with-SHA256',
      is_ca: true,
      extended_key_usage: null,
      fingerprint_sha256: '5d1c1c9a7a0e6b1f3c2d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293',
      self_signed: true,
    },
    path_errors: [],
    trusted_paths: 1,
    beside: [],
    missing_intermediate: false,
    verify_error: null,
    anchored: true,
  },
}
