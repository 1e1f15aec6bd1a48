import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Evidence, Target } from '../../src/engine/plugin.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../../src/evidence/facts.ts'
import type { GreenHosting } from '../../src/evidence/green_hosting/facts.ts'
import createGreenHostingGatherer, {
  type GreenHostingOptions,
  readAnswer,
} from '../../src/evidence/green_hosting/gather.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createFetch } from '../../src/network/fetch.ts'
import { createGuard } from '../../src/network/guard.ts'
import { type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import type { LabHandler, LabResponse } from '../../src/testing/lab_web.ts'
import { anyText } from '../any_text.ts'
import { farDeadline, LONG_MS, PATIENT } from '../patience.ts'
import { domainTarget, ipTarget } from './lab_check.ts'

const json = (body: unknown, status = 200): LabResponse => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** The directory's responses by the name at the end of the path. */
const answers: Readonly<Record<string, LabResponse | 'never'>> = {
  'green.com': json({ url: 'green.com', green: true, hosted_by: 'Windmill Hosting', hosted_by_id: 1 }),
  'grey.com': json({ url: 'grey.com', green: false, data: false }),
  'named.com': json({ green: false, hosted_by: '  Coal\u0000 & Sons\n' }),
  'long.com': json({ green: true, hosted_by: 'x'.repeat(4_000) }),
  'half.com': json('{"green":true,"hosted_by":"\\ud800x"}'),
  'unnamed.com': json({ green: true, hosted_by: 7 }),
  'text.com': json('green'),
  'list.com': json([true]),
  'null.com': json('null'),
  'unsure.com': json({ green: 'yes' }),
  'large.com': json({ green: true, hosted_by: 'x'.repeat(300_000) }),
  'missing.com': json({}, 404),
  'slow.com': 'never',
}

const directory: LabHandler = ({ url }) => {
  const answer = answers[url.replace('/check/', '')] ?? json({}, 404)
  return answer === 'never' ? new Promise(() => {}) : answer
}

const address = { address: '93.184.216.34', family: 4, refused: null } as const
const addressesWith = (dialable: Evidence['addresses']['dialable']): Evidence['addresses'] => ({
  status: 'found',
  answers: dialable,
  dialable,
  cnames: [],
  ttl: 300,
  authenticated: false,
})

describe('the directory of green hosts', () => {
  let lab: LabInternet
  before(async () => {
    lab = await startLabInternet([
      { name: 'directory.net', addresses: ['93.184.216.40'], https: directory },
      {
        name: 'impostor.net',
        addresses: ['93.184.216.41'],
        https: () => json({ green: true, hosted_by: 'Impostor' }),
        certificate: { self_signed: true },
      },
    ])
  })
  after(() => lab.close())

  const gatherer = (options: Partial<GreenHostingOptions> = {}) =>
    createGreenHostingGatherer({
      green_hosting: { enabled: true, endpoint: 'https://directory.net/check/', timeout_ms: LONG_MS, ...options },
    })

  /** One check; returns the paths requested from the directory and the answer. */
  async function check(
    gather: ReturnType<typeof gatherer>,
    target: Target,
    { dialable = [address] }: { dialable?: Evidence['addresses']['dialable'] } = {},
  ) {
    const asked = lab.web.seen.requests.length
    const ended = new AbortController()
    const deadline = farDeadline()
    const network = createNetwork({
      resolvers: [lab.dns.address],
      guard: createGuard({ own: () => [] }),
      dial: lab.dial,
      fetch: createFetch({ extra_roots: lab.root }),
      limits: PATIENT,
    })
    const context = {
      target,
      now: new Date(),
      signal: ended.signal,
      deadline,
      network: network.open({ signal: ended.signal, deadline }),
      gather: async (name: string) => (name === 'addresses' ? addressesWith(dialable) : assert.fail(name)),
    } as unknown as GatherContext
    try {
      const answer = await gather(context).catch((error: unknown) => error)
      return { answer, asked: lab.web.seen.requests.slice(asked).map(({ host, url }) => `${host}${url}`) }
    } finally {
      ended.abort()
      await network.close()
    }
  }

  const ask = async (domain: string, options: Partial<GreenHostingOptions> = {}) =>
    (await check(gatherer(options), domainTarget(domain))).answer

  const said = (green: boolean, hosted_by: string | null = null): GreenHosting => ({ green, hosted_by })
  const malformed = new Unavailable('malformed_answer')

  const cases: readonly [title: string, domain: string, answer: object][] = [
    ['lists a host', 'green.com', said(true, 'Windmill Hosting')],
    ['has no proof', 'grey.com', said(false)],
    ['names a host without proof, and what it names is made printable', 'named.com', said(false, 'Coal & Sons')],
    ['names a host at length', 'long.com', said(true, 'x'.repeat(128))],
    ['names half a character', 'half.com', said(true, '\ufffdx')],
    ['names no host', 'unnamed.com', said(true)],
    ['answers with text', 'text.com', malformed],
    ['answers with a list', 'list.com', malformed],
    ['answers with null', 'null.com', malformed],
    ['answers with something else than yes or no', 'unsure.com', malformed],
    ['answers with more than is read', 'large.com', malformed],
    ['does not know the question', 'missing.com', new Unavailable('status_404')],
  ]
  for (const [title, domain, answer] of cases) it(title, async () => assert.deepEqual(await ask(domain), answer))

  it('is not used when its certificate does not verify', async () => {
    assert.deepEqual(await ask('green.com', { endpoint: 'https://impostor.net/' }), new Unavailable('certificate'))
  })

  it('is unknown when its name does not resolve to a public address', async () => {
    assert.deepEqual(await ask('green.com', { endpoint: 'https://nowhere.net/' }), new Unavailable('not_found'))
    assert.deepEqual(await ask('green.com', { endpoint: 'http://127.0.0.1/' }), new Unavailable('not_public'))
  })

  it('is not waited for longer than its time limit', async () => {
    assert.deepEqual(await ask('slow.com', { timeout_ms: 200 }), new Unavailable('timeout'))
  })

  it('is asked once per name for all checks', async () => {
    const gather = gatherer()
    const checks = [await check(gather, domainTarget('green.com')), await check(gather, domainTarget('green.com'))]
    assert.deepEqual(
      checks.map(({ answer, asked }) => [answer, asked]),
      [
        [said(true, 'Windmill Hosting'), ['directory.net/check/green.com']],
        [said(true, 'Windmill Hosting'), []],
      ],
    )
  })

  it('is asked for each name', async () => {
    const gather = gatherer()
    await check(gather, domainTarget('green.com'))
    assert.deepEqual((await check(gather, domainTarget('grey.com'))).answer, said(false))
  })

  it('is not told disabled, address and unresolvable targets', async () => {
    const none = { dialable: [] }
    assert.deepEqual(
      [
        await check(gatherer({ enabled: false }), domainTarget('green.com')),
        await check(gatherer(), ipTarget('93.184.216.34')),
        await check(gatherer(), domainTarget('green.com'), none),
      ],
      [
        { answer: new Unavailable('not_configured'), asked: [] },
        { answer: new NotApplicable('ip_target'), asked: [] },
        { answer: new NotApplicable('no_address'), asked: [] },
      ],
    )
  })
})

it('has its answers read without exceptions, and only valid ones used', () => {
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({ green: fc.anything(), hosted_by: fc.oneof(anyText(), fc.anything()) }),
  )
  fc.assert(
    fc.property(body, value => {
      const answer = readAnswer(value)
      const { green } = (value ?? {}) as { green?: unknown }
      assert.equal(answer?.green, typeof green === 'boolean' ? green : undefined)
      const hosted_by = answer?.hosted_by ?? 'none'
      assert.ok(hosted_by.length <= 128 && !/[\p{Cc}\p{Cs}]/u.test(hosted_by))
    }),
  )
})
