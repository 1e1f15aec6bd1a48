import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { connectionOptions, storeUrlFault } from '../../src/config/postgres_place.ts'
import { limits } from '../../src/network/limits.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-config-'))
after(() => rmSync(directory, { recursive: true }))
writeFileSync(join(directory, 'list.json'), '[]')

const NO_ENVIRONMENT = { config: undefined, data: undefined, port: undefined, extra_roots: '' }

let files = 0
function fileOf(content: unknown): string {
  const file = join(directory, `config-${++files}.json`)
  writeFileSync(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content))
  return file
}

const faultsOf = (content: unknown) =>
  readConfig({ config: fileOf(content) }, NO_ENVIRONMENT).faults.map(({ path, message }) => [path, message])

describe('a configuration', () => {
  it('is complete without a file', () => {
    const { config, faults } = readConfig({}, NO_ENVIRONMENT)
    assert.deepEqual(faults, [])
    assert.deepEqual(config.server, {
      host: '127.0.0.1',
      port: 8080,
      workers: 1,
      public_url: null,
      trusted_proxies: [],
      cors_origins: [],
      failed_keys_per_minute: 20,
      loading_ms: 30_000,
      drain_delay_ms: 5_000,
    })
    assert.equal(config.store, null)
    assert.deepEqual(config.plans, {
      startup: { quota: 10_000, period: 'month' },
      business: { quota: 50_000, period: 'month' },
    })
    assert.deepEqual(config.network.limits, limits)
    assert.equal(config.check.deadline_ms, 8_000)
    assert.equal(config.data, resolve('data'))
  })

  it('gives flags precedence over the environment, and the environment over the file', () => {
    const file = fileOf({ server: { port: 1 }, data: 'from-file' })
    const read = (flags: object, environment: object) =>
      readConfig({ config: file, ...flags }, { ...NO_ENVIRONMENT, ...environment }).config
    assert.equal(read({}, {}).server.port, 1)
    assert.equal(read({}, { port: '2' }).server.port, 2)
    assert.equal(read({ port: '3' }, { port: '2' }).server.port, 3)
    assert.equal(read({}, { workers: '2' }).server.workers, 2)
    assert.equal(read({ workers: 'auto' }, { workers: '2' }).server.workers, 'auto')
    assert.equal(read({}, {}).data, join(directory, 'from-file'))
    assert.equal(read({}, { data: '/elsewhere' }).data, '/elsewhere')
    const { datasets } = readConfig({ config: fileOf({ datasets: { city: 'c.mmdb' } }) }, NO_ENVIRONMENT).config
    assert.equal(datasets.city, join(directory, 'c.mmdb'))
  })

  it('takes its file from the environment', () => {
    const { config } = readConfig({}, { ...NO_ENVIRONMENT, config: fileOf({ server: { port: 7 } }) })
    assert.equal(config.server.port, 7)
  })

  it('prefers the store URL of the environment to that of the file, and accepts no other kind of URL', () => {
    const file = fileOf({ store: 'postgres://host/from-file' })
    const read = (store?: string) => readConfig({ config: file }, { ...NO_ENVIRONMENT, ...(store && { store }) })
    assert.equal(read().config.store, 'postgres://host/from-file')
    assert.equal(read('postgresql://host/from-environment').config.store, 'postgresql://host/from-environment')
    assert.deepEqual(new Set(read('http://x').faults.map(({ path }) => path)), new Set(['store']))
  })

  it('rejects a store URL that names no database, and does not print it', () => {
    const urls = [
      'postgres://127.0.0.1:99999/assay',
      'postgres://[::1/assay',
      'postgres://:secret@/assay/more',
      'postgres://host',
      'postgres://host/',
      'postgres://host/secret/1',
      'postgres://user:sec%ret@host/assay',
      'mysql://host/secret',
    ]
    for (const store of urls) {
      const [fault, ...others] = readConfig({ config: fileOf({}) }, { ...NO_ENVIRONMENT, store }).faults
      assert.deepEqual([fault?.path, others], ['store', []], store)
      assert.match(fault?.message ?? '', /^must be a URL such as postgres:/)
      assert.ok(!fault?.message.includes('sec'), store)
    }
    for (const store of [
      'postgres://host/assay',
      'postgresql://u:p%40@host:6380/assay?sslmode=require',
      'postgres://[::1]:5432/assay',
      'postgres:///assay?host=/run/postgresql',
    ]) {
      assert.deepEqual(readConfig({ config: fileOf({}) }, { ...NO_ENVIRONMENT, store }).faults, [], store)
    }
  })

  it('reads seconds to connect from the store URL as libpq does, from 1 to 60', () => {
    const at = (seconds: string) => `postgres://host/assay?connect_timeout=${seconds}`
    const seconds = ['1', '60']
    assert.deepEqual(
      seconds.map(one => connectionOptions({ url: at(one) }).connectionTimeoutMillis),
      [1_000, 60_000],
    )
    assert.equal(connectionOptions({ url: 'postgres://host/assay' }).connectionTimeoutMillis, 2_000)
    const messages = ['0', '61', '1.5', '', '-1', 'x'].map(one => storeUrlFault(at(one)))
    assert.deepEqual(new Set(messages), new Set(['connect_timeout must be a whole number of seconds from 1 to 60']))
    assert.deepEqual(
      seconds.map(one => storeUrlFault(at(one))),
      [null, null],
    )
  })

  it('refuses the URL of a Redis with a sentence that names PostgreSQL', () => {
    for (const store of ['redis://host', 'rediss://host:6379/0', 'redis+sentinel://host/primary']) {
      assert.deepEqual(readConfig({ config: fileOf({ store }) }, NO_ENVIRONMENT).faults, [
        {
          path: 'store',
          message:
            'Redis is not a store any more: give the URL of a PostgreSQL database, such as postgres://host:5432/assay',
        },
      ])
    }
  })

  it('includes a part from another file', () => {
    writeFileSync(join(directory, 'plans.json'), '{ "free": { "quota": 5, "period": "day" } }')
    const { config, faults } = readConfig({ config: fileOf({ plans: { $file: './plans.json' } }) }, NO_ENVIRONMENT)
    assert.deepEqual(faults, [])
    assert.deepEqual(config.plans, { free: { quota: 5, period: 'day' } })
  })

  it('says which included part is missing', () => {
    const { faults } = readConfig({ config: fileOf({ load: [], plans: { $file: './absent.json' } }) }, NO_ENVIRONMENT)
    assert.deepEqual(faults, [{ path: 'plans', message: 'cannot include "./absent.json": no such file' }])
  })

  it('says where an included part is not JSON, without quoting it', () => {
    for (const [name, text, place] of [
      ['key.txt', 'hunter2-is-the-key', 'line 1, column 1'],
      ['half.json', '{\n  "key": "hunter2', 'line 2, column 10'],
      ['rest.json', '{ "key": 1 } hunter2', 'line 1, column 14'],
      ['empty.json', '', 'line 1, column 1'],
    ] as const) {
      writeFileSync(join(directory, name), text)
      const { faults } = readConfig({ config: fileOf({ plans: { $file: `./${name}` } }) }, NO_ENVIRONMENT)
      const message = `cannot include "./${name}": is not valid JSON (${place})`
      assert.deepEqual(faults, [{ path: 'plans', message }])
    }
  })

  it('says where an included part has a duplicate key', () => {
    writeFileSync(
      join(directory, 'twice.json'),
      '{ "free": { "quota": 5, "period": "day" }, "free": { "quota": 6, "period": "day" } }',
    )
    const { faults } = readConfig({ config: fileOf({ plans: { $file: './twice.json' } }) }, NO_ENVIRONMENT)
    assert.deepEqual(faults, [{ path: 'plans.free', message: 'duplicate key' }])
  })

  it('takes a value from the environment, and says which one is missing', () => {
    const places = fileOf({})
    const content = {
      datasets: { city: { $env: 'PLACES' }, urlhaus: { $env: 'ABSENT' } },
      plugins: { a: { options: { key: { $env: 'ABSENT' } } } },
    }
    const environment = { ...NO_ENVIRONMENT, variables: { PLACES: places } }
    const { config, faults } = readConfig({ config: fileOf(content) }, environment)
    assert.equal(config.datasets['city'], places)
    assert.deepEqual(faults, [
      { path: 'datasets.urlhaus', message: 'environment variable ABSENT is not set' },
      { path: 'plugins.a.options.key', message: 'environment variable ABSENT is not set' },
    ])
  })

  it('is immutable', () => {
    const { config } = readConfig({}, NO_ENVIRONMENT)
    assert.throws(() => Object.assign(config.server, { port: 1 }), TypeError)
  })

  const cases: [title: string, content: unknown, faults: (readonly [string, string | RegExp])[]][] = [
    ['accepts an empty object', {}, []],
    [
      'refuses what is no JSON',
      '{"store":"postgres://:hunter2@',
      [['', /config-\d+\.json: is not valid JSON \(line 1, column 10\)$/]],
    ],
    [
      'refuses what is no UTF-8',
      Buffer.from('{ "data": "r\u00e9sultats" }', 'latin1'),
      [['', /config-\d+\.json: is not UTF-8$/]],
    ],
    ['reads a file that begins with a byte order mark', '\ufeff{}', []],
    [
      'refuses what is there twice, however it is written',
      '{"data":"a","plans":{"data":{"quota":1,"quot\\u0061":2,"period":"day"}},"load":["{\\"a\\":",{"module":"b","module":"c"}],"d\\u0061ta":"b"}',
      [
        ['plans.data.quota', 'duplicate key'],
        ['load.1.module', 'duplicate key'],
        ['data', 'duplicate key'],
      ],
    ],
    [
      'refuses to be a part that is not there',
      { $file: './none.json' },
      [['', 'cannot include "./none.json": no such file']],
    ],
    ['refuses to be a variable that is not there', { $env: 'NONE' }, [['', 'environment variable NONE is not set']]],
    ['refuses to be a part that is no object', { $file: './list.json' }, [['', 'must be a JSON object']]],
    ['refuses a directory that is no text', { data: 5 }, [['data', 'must be a string']]],
    ['refuses what is no object', [], [['', /must be a JSON object/]]],
    ['knows the key that was meant', { pluginz: {} }, [['pluginz', 'unknown key; did you mean "plugins"?']]],
    [
      'takes one mistake in a choice of forms for one fault',
      {
        plugins: { ssl_info: { optins: {} }, cookies: 7 },
        load: [{ modul: './x.js', module: './x.js' }],
        datasets: { tranco: { refresh_hour: 3 } },
      },
      [
        ['datasets.tranco.refresh_hour', 'unknown key; did you mean "refresh_hours"?'],
        ['plugins.ssl_info.optins', 'unknown key; did you mean "options"?'],
        ['plugins.cookies', 'must be true or false or an object'],
        ['load.0.modul', 'unknown key; did you mean "module"?'],
      ],
    ],
    [
      'takes no plan and no dataset whose name is not in small letters',
      { plans: { Startup: { quota: '10 000' } }, datasets: { 'Our-List': true } },
      [
        ['datasets.Our-List', 'the name must match ^[a-z][a-z0-9_]{0,63}$'],
        ['plans.Startup', 'the name must match ^[a-z][a-z0-9_-]{0,31}$'],
      ],
    ],
    [
      'knows the inner key that was meant',
      { server: { prot: 1 } },
      [['server.prot', 'unknown key; did you mean "port"?']],
    ],
    ['refuses a port there is not', { server: { port: 70_000 } }, [['server.port', 'must be at most 65535']]],
    [
      'refuses a number of workers there is not',
      { server: { workers: 'all' } },
      [['server.workers', 'must be "auto"']],
    ],
    [
      'refuses a limit above its ceiling',
      { network: { limits: { redirects: 6 } } },
      [['network.limits.redirects', 'must be at most 5']],
    ],
    ['accepts a limit above its ceiling under its unsafe name', { network: { unsafe_limits: { redirects: 6 } } }, []],
    [
      'refuses a resolver that is no address',
      { network: { resolvers: ['dns.example'] } },
      [['network.resolvers.0', '"dns.example" is not an address with an optional port']],
    ],
    [
      'accepts resolvers in each spelling',
      { network: { resolvers: ['127.0.0.1:5353', '9.9.9.9', '[::1]:53', '2620:fe::fe'] } },
      [],
    ],
    [
      'asks for what a mail server needs',
      { watch: { mail: { host: 'mail.example', user: 'assay', recipient_domains: ['@a.com', 'B.com'] } } },
      [
        ['watch.mail.from', 'is not set'],
        ['watch.mail.password', 'is not set'],
        ['watch.mail.recipient_domains.0', '"@a.com" is not a domain name in A-labels and lower case'],
        ['watch.mail.recipient_domains.1', '"B.com" is not a domain name in A-labels and lower case'],
      ],
    ],
    [
      'refuses STARTTLS where a mail server expects TLS',
      { watch: { mail: { host: 'mail.example', from: 'a@a.com', port: 465 } } },
      [['watch.mail.tls', 'must be "implicit" for port 465']],
    ],
    [
      'refuses e-mail in the clear to another machine',
      { watch: { mail: { host: 'mail.example', from: 'a@a.com', tls: 'none' } } },
      [['watch.mail.tls', 'must not be "none": mail.example is not this machine']],
    ],
    [
      'refuses a range that is none',
      { network: { unsafe_allow: ['10.0.0.0/33'] } },
      [['network.unsafe_allow.0', '"10.0.0.0/33" is not an address or a CIDR range']],
    ],
    [
      'refuses a range that only some readers would guess the meaning of',
      { network: { unsafe_allow: ['10.0/8'], deny: ['10.0/8'] } },
      [
        ['network.deny.0', '"10.0/8" is not an address, a CIDR range or a domain name'],
        ['network.unsafe_allow.0', '"10.0/8" is not an address or a CIDR range'],
      ],
    ],
    [
      'accepts addresses, ranges and names to deny',
      { network: { deny: ['192.0.2.1', '2001:db8:64::/96', 'corp.example', 'lan', 'bücher.example'] } },
      [],
    ],
    [
      'refuses to deny what is neither an address nor a range nor a name, and says where it stands',
      {
        network: { deny: ['corp.example', '10.0.0.0/33', '*.corp.example', 'https://corp.example', 'corp example', 5] },
      },
      [
        ['network.deny.5', 'must be a string'],
        ['network.deny.1', '"10.0.0.0/33" is not an address, a CIDR range or a domain name'],
        [
          'network.deny.2',
          '"*.corp.example" has a wildcard or a leading dot; a name already covers all names below it',
        ],
        ['network.deny.3', '"https://corp.example" is not an address, a CIDR range or a domain name'],
        [
          'network.deny.4',
          '"corp example" is not an address, a CIDR range or a domain name (The domain contains white space.)',
        ],
      ],
    ],
    [
      'accepts origins of pages, extensions and apps, and all of them when told so',
      { server: { cors_origins: ['https://app.example.com', 'http://localhost:3000', 'moz-extension://a1'] } },
      [],
    ],
    ['accepts the star that stands for every origin', { server: { cors_origins: ['*'] } }, []],
    [
      'refuses an origin that no browser would send, and says how it is written',
      {
        server: {
          cors_origins: [
            'https://app.example.com/',
            'HTTPS://app.example.com:443',
            'app.example.com',
            'https://*.a.com',
            '*',
          ],
        },
      },
      [
        ['server.cors_origins', '"*" stands for all: list it alone'],
        ['server.cors_origins.0', '"https://app.example.com/" is not an origin: write "https://app.example.com"'],
        ['server.cors_origins.1', '"HTTPS://app.example.com:443" is not an origin: write "https://app.example.com"'],
        ['server.cors_origins.2', '"app.example.com" is not an origin such as https://app.example.com'],
        ['server.cors_origins.3', '"https://*.a.com" has a wildcard: list each origin'],
      ],
    ],
    ['refuses a plan without a quota', { plans: { free: { period: 'day' } } }, [['plans.free', '"quota" is missing']]],
    [
      'refuses what cannot be counted to or waited for',
      {
        plans: { free: { quota: 1e21, period: 'day' } },
        keys: { rotation_hours: 1e12 },
        cache: { complete_seconds: 1e300 },
      },
      [
        ['keys.rotation_hours', 'must be at most 876000'],
        ['plans.free.quota', 'must be at most 9007199254740991'],
        ['cache.complete_seconds', 'must be at most 31536000'],
      ],
    ],
    ['refuses to have no plan', { plans: {} }, [['plans', 'must not be empty']]],
    [
      'refuses files of datasets that are not there, beside every other fault',
      {
        datasets: {
          city: './none.mmdb',
          asn: { path: './none.mmdb', enabled: false },
          own: { use: 'feed', category: 'spam', path: '.' },
          tranko: true,
          __proto__x: true,
        },
      },
      [
        ['datasets.__proto__x', 'the name must match ^[a-z][a-z0-9_]{0,63}$'],
        ['datasets.tranko', /^no dataset has this id; did you mean "tranco"\?/],
        ['datasets.city', /^\/.*\/none\.mmdb: no such file$/],
        ['datasets.own', /^\/.*: is a directory$/],
      ],
    ],
    [
      'takes a name that every object has for any other',
      '{"__proto__":{},"server":{"constructor":1},"datasets":{"__proto__":true},"plans":{"__proto__":{"quota":1,"period":"day"}},"blocklists":{"enabled":{"__proto__":true},"zones":{"toString":"a.b"}}}',
      [
        ['__proto__', 'unknown key'],
        ['server.constructor', 'unknown key'],
        ['datasets.__proto__', /^the name must match/],
        ['plans.__proto__', /^the name must match/],
        ['blocklists.enabled.__proto__', 'no blocklist has this id'],
        ['blocklists.zones.toString', 'no blocklist has this id'],
      ],
    ],
    [
      'refuses a period there is not',
      { plans: { free: { quota: 1, period: 'week' } } },
      [['plans.free.period', 'must be one of: month, day, rolling_30d, rolling_24h']],
    ],
    [
      'knows the blocklist that was meant',
      { blocklists: { enabled: { spamhaus_znn: true } } },
      [['blocklists.enabled.spamhaus_znn', 'no blocklist has this id; did you mean "spamhaus_zen"?']],
    ],
    [
      'tells every fault at once',
      { serverr: {}, check: { deadline_ms: 1 }, network: { resolvers: ['x', 5] }, log: { level: 'loud' } },
      [
        ['serverr', 'unknown key; did you mean "server"?'],
        ['check.deadline_ms', 'must be at least 500'],
        ['network.resolvers.1', 'must be a string'],
        ['log.level', /^must be one of: trace, debug/],
        ['network.resolvers.0', '"x" is not an address with an optional port'],
      ],
    ],
    [
      'survives sections that are none',
      { server: 5, network: { unsafe_allow: 'all' }, datasets: null, load: 1, plugins: [] },
      [
        ['server', 'must be an object'],
        ['network.unsafe_allow', 'must be an array'],
        ['datasets', 'must be an object'],
        ['plugins', 'must be an object'],
        ['load', 'must be an array'],
      ],
    ],
  ]
  for (const [title, content, faults] of cases) {
    it(title, () => {
      const found = faultsOf(content)
      assert.equal(found.length, faults.length, JSON.stringify(found))
      faults.forEach(([path, message], i) => {
        assert.equal(found[i]?.[0], path)
        if (typeof message === 'string') assert.equal(found[i]?.[1], message)
        else assert.match(String(found[i]?.[1]), message)
      })
    })
  }

  for (const port of ['x', '-1', '65536', '80.5', '']) {
    it(`refuses the port "${port}" on the command line`, () => {
      const { faults } = readConfig({ port }, NO_ENVIRONMENT)
      assert.deepEqual(faults, [{ path: 'port', message: `"${port}" is not a port (0 to 65535)` }])
    })
  }
})
