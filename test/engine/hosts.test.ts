import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contractFaults } from '../../src/engine/contract.ts'
import { narrowContext } from '../../src/engine/hosts.ts'
import type { Extension } from '../../src/engine/plugin.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { runPlugin, startLabInternet } from '../../src/testing/index.ts'

const ADDRESS = '93.184.216.34'
const ELSEWHERE = '93.184.216.99'
const signal = new AbortController().signal

/** The network of a check in which everything succeeds, narrowed to the hosts. */
function networkFor(
  hosts: readonly string[],
  asked: { domain?: string; ip?: string } = { domain: 'shop.example.com' },
) {
  const parsed = parseTarget({ domain: null, ip: null, ...asked }, unvetted)
  assert.ok(parsed.ok, 'a target')
  const network = {
    resolver: { query: async () => ({ status: 'found', records: [ELSEWHERE] }) },
    connect: async () => ({ ok: true }),
    fetch: async () => ({ ok: true }),
  }
  const gather = async () => ({ answers: [{ address: ADDRESS }] })
  const context = { network, gather, target: parsed.target } as unknown as GatherContext
  return narrowContext(context, 'our_source', hosts).network
}

const fetching = (network: GatherContext['network'], url: string, addresses?: readonly string[]) =>
  network.fetch({ url, signal, max_bytes: 1, timeout_ms: 1, redirects: 0, ...(addresses && { addresses }) })

const refused = (host: string) => ({
  message: `plugin "our_source" may not reach "${host}": its "hosts" do not declare it`,
})

describe('the hosts that an extension declares', () => {
  const reached: readonly (readonly [hosts: readonly string[], host: string])[] = [
    [['api.example.org'], 'api.example.org'],
    [['api.example.org'], 'API.example.org.'],
    [['*.list.example.org'], '1.2.list.example.org'],
    [['192.0.2.7'], '192.0.2.7'],
    [['target'], 'shop.example.com'],
    [['target'], '_dmarc.example.com'],
    [['*'], 'anything.example.net'],
  ]
  for (const [hosts, host] of reached) {
    it(`${hosts.join()} let DNS and HTTP reach ${host}`, async () => {
      const network = networkFor(hosts)
      assert.equal((await network.resolver.query(host, 'TXT', { signal })).status, 'found')
      assert.equal((await fetching(network, `https://${host}/`)).ok, true)
    })
  }

  const undeclared: readonly (readonly [hosts: readonly string[], host: string])[] = [
    [[], 'shop.example.com'],
    [['api.example.org'], 'example.org'],
    [['api.example.org'], 'evil-api.example.org'],
    [['api.example.org'], 'v2.api.example.org'],
    [['*.list.example.org'], 'list.example.org'],
    [['*.list.example.org'], 'evillist.example.org'],
    [['target'], 'example.org'],
    [['target'], 'shop.example.com.evil.example'],
    [['target'], ELSEWHERE],
  ]
  for (const [hosts, host] of undeclared) {
    it(`${hosts.join() || 'that are none'} do not let DNS or HTTP reach ${host}`, async () => {
      const network = networkFor(hosts)
      await assert.rejects(network.resolver.query(host, 'TXT', { signal }), refused(host))
      await assert.rejects(fetching(network, `https://${host}/`), refused(host))
    })
  }

  it('let it connect to their addresses, and to no other', async () => {
    const connect = (network: GatherContext['network'], address: string) =>
      network.connect({ addresses: [address], port: 22, signal })
    const network = networkFor(['target', 'api.example.com'])
    assert.equal((await connect(network, ADDRESS)).ok, true)
    await assert.rejects(connect(network, ELSEWHERE), refused(ELSEWHERE))
    await assert.rejects(fetching(network, 'https://shop.example.com/', [ELSEWHERE]), refused(ELSEWHERE))
    await network.resolver.query('api.example.com', 'A', { signal })
    assert.equal((await connect(network, ELSEWHERE)).ok, true)
    const byAddress = networkFor(['target'], { ip: ELSEWHERE })
    assert.equal((await connect(byAddress, ELSEWHERE)).ok, true)
    await assert.rejects(connect(networkFor(['api.example.com']), ADDRESS), refused(ADDRESS))
  })

  it('leave a malformed URL to the network, which says so', async () => {
    assert.equal((await fetching(networkFor([]), 'https://')).ok, true)
  })

  const faults: readonly (readonly [hosts: unknown, says: readonly string[]])[] = [
    [['api.example.com', '*.example.com', 'target', '*', '192.0.2.7', { option: 'endpoint' }], []],
    ['api.example.com', ['"hosts" must be an array']],
    [[{ option: 'url' }], ['"hosts" names the option "url", which "options" does not have']],
    ...['https://api.example.com', 'api.example.com:8443', 'localhost', '*.com', '', 7].map(
      host =>
        [
          [host],
          [
            `"hosts" names ${JSON.stringify(host)}: write "api.example.com", "*.example.com", "target", "*" or { option: "endpoint" }`,
          ],
        ] as const,
    ),
  ]
  for (const [hosts, says] of faults) {
    it(`are checked when the plugin is loaded: ${JSON.stringify(hosts)}`, () => {
      const options = {
        type: 'object',
        properties: { endpoint: { type: 'string', default: '' } },
        additionalProperties: false,
      }
      const plugin = { name: 'our_source', description: '', hosts, options, apply() {} } as unknown as Extension
      const found = contractFaults({ plugin, origin: './ours.js' }, new Map(), {})
      assert.deepEqual(
        found.map(({ message }) => message),
        says,
      )
    })
  }
})

describe('an extension in a check', () => {
  /** What its gatherer sees of the URL, with the section that tells. */
  const plugins = (hosts: Extension['hosts'], url: string) => [
    {
      name: 'seen_source',
      description: 'Fetches a URL.',
      provides: ['seen'],
      hosts,
      options: {
        type: 'object',
        properties: { endpoint: { type: 'string', default: 'https://shop.example.com/api' } },
        additionalProperties: false,
      },
      apply(hooks: Parameters<Extension['apply']>[0]) {
        hooks.gather.for('seen').tapPromise('seen_source', async ({ network, signal }) => {
          const answer = await network.fetch({ url, signal, max_bytes: 100, timeout_ms: 600_000, redirects: 2 })
          return { saw: answer.ok ? answer.body.toString() : answer.failure }
        })
      },
    },
    {
      name: 'seen_section',
      description: 'Reports it.',
      targets: ['domain'],
      needs: ['seen'],
      schema: {
        type: 'object',
        properties: { saw: { type: 'string' } },
        required: ['saw'],
        additionalProperties: false,
      },
      signals: {},
      analyze: ({ seen }: { seen: { saw: string } }) => ({ section: seen, signals: [] }),
    },
  ]
  const run = async (hosts: Extension['hosts'], url: string) => {
    const site = { name: 'shop.example.com', addresses: [ADDRESS] }
    const away = { status: 302, headers: [['location', 'https://away.example.org/']] as const }
    const internet = await startLabInternet([
      { ...site, https: ({ url }) => (url === '/away' ? away : { body: 'hello' }) },
      { name: 'away.example.org', addresses: [ELSEWHERE], https: () => ({ body: 'away' }) },
    ])
    try {
      return await runPlugin(plugins(hosts, url) as never, { target: 'shop.example.com', internet, may_fail: true })
    } finally {
      await internet.close()
    }
  }

  it('reaches the host of the URL in its option', async () => {
    const { section } = await run([{ option: 'endpoint' }], 'https://shop.example.com/hello')
    assert.deepEqual(section, { saw: 'hello' })
  })

  it('follows no redirect to an undeclared host', async () => {
    assert.deepEqual((await run(['target'], 'https://shop.example.com/away')).section, {
      saw: 'redirect_to_undeclared',
    })
    assert.deepEqual((await run(['*'], 'https://shop.example.com/away')).section, { saw: 'away' })
  })

  it('loses its section at an undeclared host, and is named with it', async () => {
    const { status, reason, defects } = await run(undefined, 'https://away.example.org/')
    assert.deepEqual([status, reason], ['failed', 'gatherer_failed'])
    assert.match(defects.join(), /plugin "seen_source" may not reach "away\.example\.org"/)
  })
})
