// deploy/rspamd and deploy/postfix: a real rspamd and the policy service ask the API about messages.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createGuard } from '../../src/network/guard.ts'
import type { Checker } from '../../src/service/api/answers.ts'
import type { Target } from '../../src/targets/target.ts'
import { without } from '../needs.ts'
import { eventually, type Service, startService } from '../service/api/service.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const DEPLOY = resolve(import.meta.dirname, '../../deploy')
const directory = temporaryDirectory()
const at = (name: string) => join(directory, name)

const scores: Readonly<Record<string, readonly [verdict: string, risk_score: number]>> = {
  'https://shop.lab/wp-includes/track.php?x=1': ['malicious', 80],
  'bad.lab': ['malicious', 90],
  'odd.lab': ['suspicious', 40],
  '193.0.14.66': ['suspicious', 35],
}

const keyOf = ({ url, domain, ip }: Target) => url?.href ?? domain ?? ip ?? ''

/** Judges by the table above, and recommends a review of everything, as without a visit. */
const checker: Checker = {
  async check(target) {
    const { domain, ip } = target
    const [verdict, risk_score] = scores[keyOf(target)] ?? ['safe', 0]
    const recommendation = verdict === 'malicious' ? 'block' : 'review'
    return { result: { result_id: null, domain, ip, verdict, risk_score, recommendation }, class: 'complete' }
  },
}

/** What the service was asked since the last call, and whether sites may be contacted. */
function askedOf({ checked }: Service): (readonly [target: string, visit: boolean])[] {
  const asked = checked.map(target => [keyOf(target), target.visit] as const)
  checked.length = 0
  return asked.sort()
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

const message = (body: string, headers = '') =>
  `From: Shop <orders@healthy.lab>\r\nTo: jane@example.com\r\nSubject: Your order\r\n${headers}Message-ID: <1@healthy.lab>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n${body}\r\n`

describe('deploy/rspamd', { skip: without('rspamd'), timeout: 300_000 }, () => {
  /** The shipped settings, with the address and the key of the service under test, and the patience of a busy machine. */
  function moduleSettings({ port, key }: Service): string {
    return readFileSync(join(DEPLOY, 'rspamd/assay.conf'), 'utf8')
      .replace(/url = ".*"/, `url = "http://127.0.0.1:${port}"`)
      .replace(/key = ".*"/, `key = "${key}"`)
      .replace('["example.com"]', '["trusted.lab"]')
      .replace('timeout = 3.0', 'timeout = 30.0')
  }

  async function startRspamd(t: TestContext, service: Service): Promise<void> {
    rmSync(at('scan'), { force: true })
    writeFileSync(at('suffixes'), 'lab\ncom\n')
    writeFileSync(at('assay.conf'), moduleSettings(service))
    writeFileSync(
      at('rspamd.conf'),
      `options {
        pidfile = "${at('pid')}"; tempdir = "${directory}"; url_tld = "${at('suffixes')}"; disable_hyperscan = true;
        control_socket = "${at('control')}"; cache_file = "${at('cache')}"; dns { nameserver = ["127.0.0.1:1"]; }
      }
      logging { type = "console"; level = "warning"; }
      worker "normal" { bind_socket = "${at('scan')} mode=0600"; count = 1; task_timeout = 60s; }
      modules { path = "${join(DEPLOY, 'rspamd')}/"; }
      actions { reject = 15; add_header = 6; }
      .include "${at('assay.conf')}"
      `,
    )
    const rspamd = spawn('rspamd', ['--no-fork', '--insecure', '--config', at('rspamd.conf')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => stop(rspamd))
    const said = Promise.all([text(rspamd.stdout), text(rspamd.stderr)])
    while (!existsSync(at('scan'))) {
      if (rspamd.exitCode !== null) throw new Error(`rspamd ended: ${(await said).join('')}`)
      await pause(20)
    }
  }

  async function scan(mail: string) {
    const sent = request({ socketPath: at('scan'), path: '/checkv2', method: 'POST' })
    sent.end(mail)
    const [response] = await once(sent, 'response')
    const { action, score, symbols } = JSON.parse(await text(response)) as {
      action: string
      score: number
      symbols: Readonly<Record<string, { readonly options?: readonly string[] }>>
    }
    return {
      action,
      score,
      symbols: Object.entries(symbols).map(([name, { options }]) => [name, [...(options ?? [])].sort()]),
    }
  }

  it('asks about senders and links without visiting them, and scores by verdict', async t => {
    const service = await startService(t, { checker, vetting: createGuard() })
    await startRspamd(t, service)

    await t.test('a clean message gets no symbol, and each target is asked about once', async () => {
      const body = 'https://shop.lab/a?id=7 https://shop.lab/a?id=7 http://healthy.lab http://www.trusted.lab/x'
      const headers = 'Reply-To: help@desk.lab\r\n'
      assert.deepEqual(await scan(message(body, headers)), { action: 'no action', score: 0, symbols: [] })
      assert.deepEqual(askedOf(service), [
        ['desk.lab', false],
        ['healthy.lab', false],
        ['https://shop.lab/a?id=7', false],
      ])
    })

    await t.test('a malicious link and a suspicious one get a symbol each, however often there are more', async () => {
      const body = 'https://shop.lab/wp-includes/track.php?x=1 http://bad.lab/ http://odd.lab/'
      assert.deepEqual(await scan(message(body)), {
        action: 'add header',
        score: 8.5,
        symbols: [
          ['ASSAY_MALICIOUS', ['bad.lab', 'shop.lab']],
          ['ASSAY_SUSPICIOUS', ['odd.lab']],
        ],
      })
    })

    await t.test('a link in disguise gets a symbol, and one that cannot be checked gets none', async () => {
      const body = 'http://bank.lab@evil.lab/ http://10.0.0.1/router http://healthy.lab:2222/'
      const { symbols } = await scan(message(body))
      assert.deepEqual(symbols, [['ASSAY_REFUSED', ['evil.lab']]])
    })

    await t.test('of many links, seven are asked about besides the sender', async () => {
      askedOf(service)
      await scan(message(Array.from({ length: 20 }, (_, i) => `http://site${i}.lab/`).join(' ')))
      // The answer about the sender is in the cache.
      assert.equal(askedOf(service).length, 7)
    })

    await t.test('while the service is down, mail passes with a symbol that scores nothing', async () => {
      await service.drain()
      const { action, score, symbols } = await scan(message('http://bad.lab/'))
      assert.deepEqual([action, score, symbols.map(([name]) => name)], ['no action', 0, ['ASSAY_FAIL']])
      for (let i = 0; i < 4; i++) await scan(message('http://bad.lab/'))
      assert.deepEqual((await scan(message('http://bad.lab/'))).symbols, [['ASSAY_FAIL', ['not asked']]])
    })
  })

  it('goes on asking a service that is busy', async t => {
    const running: (() => void)[] = []
    const held: Checker = {
      async check(...asked) {
        await new Promise<void>(resolve => {
          running.push(resolve)
        })
        return checker.check(...asked)
      },
    }
    const service = await startService(t, { checker: held, perKey: 1 })
    await startRspamd(t, service)
    const refusals = () => service.lines().filter(({ status }) => status === 503).length
    for (let i = 1; i <= 4; i++) {
      // Of three targets one is checked, and two are refused meanwhile: eight refusals in all.
      const mail = message(`http://site${i}.lab/`, `Reply-To: help@desk${i}.lab\r\n`)
      const scanned = scan(mail.replaceAll('healthy.lab', `shop${i}.lab`))
      await eventually(() => refusals() === 2 * i && running.length === i)
      running.at(-1)?.()
      assert.deepEqual((await scanned).symbols, [['ASSAY_FAIL', ['overloaded']]])
    }
  })
})

describe('deploy/postfix', { timeout: 120_000 }, () => {
  const POLICY = join(DEPLOY, 'postfix/policy.mjs')

  async function startPolicy(t: TestContext, { port, key }: Service, settings: object = {}): Promise<number> {
    const shipped = JSON.parse(readFileSync(join(DEPLOY, 'postfix/policy.json'), 'utf8')) as object
    const file = at(`policy-${Object.keys(settings).length}.json`)
    const own = { port: 0, timeout_ms: 30_000, url: `http://127.0.0.1:${port}`, key, allow: ['trusted.lab'] }
    writeFileSync(file, JSON.stringify({ ...shipped, ...own, ...settings }))
    const policy = spawn(process.execPath, [POLICY, file], { stdio: ['ignore', 'ignore', 'pipe'] })
    t.after(() => stop(policy))
    const [line] = await once(policy.stderr, 'data')
    return Number(/listens on 127\.0\.0\.1 port (\d+)/.exec(String(line))?.[1])
  }

  type Asked = readonly [sender: string, client: string, instance: string]
  const attributes = ([sender, client, instance]: Asked) =>
    `request=smtpd_access_policy\nprotocol_state=RCPT\nsender=${sender}\nclient_address=${client}\ninstance=${instance}\n\n`

  /** All requests on one connection, as Postfix keeps it. */
  async function decide(port: number, ...requests: readonly Asked[]): Promise<string[]> {
    const socket = connect(port, '127.0.0.1')
    socket.end(requests.map(attributes).join(''))
    return (await text(socket)).split('\n\n').slice(0, -1)
  }

  it('adds a header by default, once for each message, and asks without a visit', async t => {
    const service = await startService(t, { checker, vetting: createGuard() })
    const port = await startPolicy(t, service)
    const decisions = await decide(
      port,
      ['jane@healthy.lab', '193.0.14.10', '1'],
      ['x@bad.lab', '193.0.14.66', '2'],
      ['x@bad.lab', '193.0.14.66', '2'],
      ['', '193.0.14.66', '3'],
      ['x@mail.trusted.lab', '193.0.14.66', '4'],
      ['x@bad.lab', '10.0.0.1', '5'],
    )
    assert.deepEqual(decisions, [
      'action=DUNNO',
      'action=PREPEND X-Assay: malicious; target=bad.lab; score=90',
      'action=DUNNO',
      'action=PREPEND X-Assay: suspicious; target=193.0.14.66; score=35',
      'action=DUNNO',
      'action=PREPEND X-Assay: malicious; target=bad.lab; score=90',
    ])
    assert.deepEqual(askedOf(service), [
      ['193.0.14.10', false],
      ['193.0.14.66', false],
      ['bad.lab', false],
      ['healthy.lab', false],
    ])
  })

  it('refuses and defers when told so', async t => {
    const service = await startService(t, { checker, vetting: createGuard() })
    const port = await startPolicy(t, service, { actions: { malicious: 'reject', suspicious: 'defer' } })
    assert.deepEqual(await decide(port, ['x@bad.lab', '', '1'], ['x@odd.lab', '', '2']), [
      'action=REJECT 5.7.1 bad.lab is malicious',
      'action=DEFER 4.7.1 odd.lab is suspicious',
    ])
  })

  it('lets mail pass while the service is down', async t => {
    const service = await startService(t, { checker, vetting: createGuard() })
    const port = await startPolicy(t, service, { actions: { malicious: 'reject', suspicious: 'reject' } })
    await service.drain()
    assert.deepEqual(await decide(port, ['x@bad.lab', '193.0.14.66', '1']), ['action=DUNNO'])
  })

  for (const [title, settings, said] of [
    ['no key', {}, /`key` is missing/],
    [
      'an unknown action',
      { key: 'k', actions: { malicious: 'bounce' } },
      /actions\.malicious must be one of none, prepend/,
    ],
    ['an unknown setting', { key: 'k', action: {} }, /unknown setting: action/],
  ] as const) {
    it(`does not start with ${title}`, () => {
      writeFileSync(at('faulty.json'), JSON.stringify(settings))
      const { status, stderr } = spawnSync(process.execPath, [POLICY, at('faulty.json')], { encoding: 'utf8' })
      assert.equal(status, 78)
      assert.match(stderr, said)
    })
  }
})
