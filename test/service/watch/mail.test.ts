// E-mail of watches: who may get it, what it says, and a real server that takes it or does not.
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Config } from '../../../src/config/config.ts'
import { deliver } from '../../../src/service/watch/deliver.ts'
import type { WatchEvent } from '../../../src/service/watch/event.ts'
import { createWatchMail, isMailAddress, messageOf } from '../../../src/service/watch/mail.ts'
import { receiverLabel } from '../../../src/service/watch/webhook.ts'
import { type Delivery, nothingChecked, type Outcome, type Watch } from '../../../src/store/watches.ts'
import { createAuthority } from '../../../src/testing/lab_ca.ts'

type Settings = Config['watch']['mail']

const settings: Settings = {
  host: '127.0.0.1',
  port: 587,
  tls: 'starttls',
  user: null,
  password: null,
  from: 'assay@checks.example',
  recipient_domains: ['example.com', 'xn--bcher-kva.example'],
}
const NOT_ONE = 'The receiver is not one e-mail address such as mailto:alerts@example.com.'
const NOT_ALLOWED = 'This service is configured not to send e-mail to this domain (watch.mail.recipient_domains).'

const recipients: readonly (readonly [notify: string, read: string])[] = [
  ['mailto:alerts@example.com', 'alerts@example.com'],
  ['alerts@example.com', 'alerts@example.com'],
  ['MAILTO:alerts+shop@Example.COM', 'alerts+shop@example.com'],
  ['mailto:alerts@bücher.example', 'alerts@xn--bcher-kva.example'],
  ['mailto:alerts@mail.example.com', NOT_ALLOWED],
  ['mailto:alerts@example.org', NOT_ALLOWED],
  ['mailto:a@example.com?cc=b@example.org', NOT_ONE],
  ['mailto:a@example.org,b@example.com', NOT_ONE],
  ['mailto:%61@example.com', NOT_ONE],
  ['mailto:a..b@example.com', NOT_ONE],
  ['mailto:"a b"@example.com', NOT_ONE],
  ['mailto:a\r\nDATA\r\n@example.com', NOT_ONE],
  ['mailto:@example.com', NOT_ONE],
  [`mailto:${'a'.repeat(65)}@example.com`, NOT_ONE],
  ['mailto:', NOT_ONE],
]

describe('a recipient of e-mail', () => {
  const mail = createWatchMail(settings, { name: 'assay.invalid' })
  for (const [notify, expected] of recipients)
    it(`written ${JSON.stringify(notify).slice(0, 50)} is ${expected}`, () => {
      const read = mail.recipient(notify)
      assert.equal(read.ok ? read.address : read.fault, expected)
    })

  it('is refused where no mail is configured', () => {
    const read = createWatchMail({ ...settings, host: null }, { name: 'assay.invalid' }).recipient('a@example.com')
    assert.deepEqual(read, { ok: false, fault: 'This service sends no e-mail.' })
  })

  it('is told from a URL, and shown without its name', () => {
    assert.deepEqual(['a@example.com', 'mailto:a', 'https://a@example.com/'].map(isMailAddress), [true, true, false])
    assert.equal(receiverLabel('mailto:alerts@example.com'), 'mailto:…@example.com')
  })
})

const checked = {
  result_id: null,
  checked_at: '2026-11-15T00:00:00Z',
  risk_score: 90,
  verdict: 'malicious',
  recommendation: 'block',
  recommendation_reason: 'Listed.',
}
const change = (message: string) =>
  ({ matter: 'mail', severity: 'weakened', path: 'x', message, before: null, after: null }) as const
const eventOf = (...messages: readonly string[]): WatchEvent => ({
  type: messages.length === 0 ? 'watch.test' : 'watch.changed',
  timestamp: '2026-11-15T00:00:00Z',
  data: {
    watch_id: 'watch_x',
    target: 'shop.example',
    result: checked,
    previous: null,
    url: null,
    changes: messages.map(change),
  },
})

describe('the message of an event', () => {
  const subjects: readonly (readonly [messages: readonly string[], subject: string])[] = [
    [[], 'Test of the watch of shop.example'],
    [['DMARC policy: reject → none'], 'shop[.]example: DMARC policy: reject → none'],
    [['One', 'Two'], 'shop[.]example: 2 changes, block (malicious, risk score 90 of 100)'],
    [['x'.repeat(200)], `shop[.]example: ${'x'.repeat(103)}…`],
    [[`${'x'.repeat(102)}😀${'x'.repeat(99)}`], `shop[.]example: ${'x'.repeat(102)}…`],
  ]
  for (const [messages, subject] of subjects)
    it(`of ${messages.length} changes has the subject ${subject.slice(0, 40)}`, () =>
      assert.equal(messageOf(eventOf(...messages)).subject, subject))

  it('is plain text with every change and the link', () => {
    const event = eventOf('DMARC policy: reject → none', 'Name servers: + ns9.example')
    const { text } = messageOf({ ...event, data: { ...event.data, url: 'https://checks.example/#result=A' } })
    assert.equal(
      text,
      `shop[.]example: block (malicious, risk score 90 of 100)

- DMARC policy: reject → none.
- Name servers: + ns9[.]example.

The result: https://checks.example/#result=A

-- 
Sent by assay for the watch watch_x. Whoever manages its account can remove it.
`,
    )
  })

  const defanged: readonly (readonly [line: string, written: string])[] = [
    ['Address: 192.0.2.7 → 192.0.2.8', 'Address: 192[.]0[.]2[.]7 → 192[.]0[.]2[.]8'],
    ['Leads to HTTPS://a.example/x.html?q=1', 'Leads to hxxpS://a[.]example/x[.]html?q=1'],
    ['TLS: TLSv1.2 → TLSv1.3, nginx 1.25.3', 'TLS: TLSv1.2 → TLSv1.3, nginx 1.25.3'],
    ['Name: bücher.example. → xn--bcher-kva.xn--p1ai', 'Name: bücher[.]example[.] → xn--bcher-kva[.]xn--p1ai'],
  ]
  for (const [line, written] of defanged)
    it(`of a target that is not safe makes no link of ${line}`, () =>
      assert.equal(messageOf(eventOf(line)).text.split('\n')[2], `- ${written}.`))

  it('of a safe target writes names as they are', () => {
    const event = eventOf('Name servers: + ns9.example')
    const safe = { ...event, data: { ...event.data, result: { ...checked, verdict: 'safe', recommendation: 'allow' } } }
    assert.match(messageOf(safe as WatchEvent).text, /^shop\.example: allow .+\n\n- Name servers: \+ ns9\.example\./)
  })
})

const authority = createAuthority()
const certificate = authority.issue({ names: ['mail.example'], ips: ['127.0.0.1'] })

interface Letter {
  readonly from: string
  readonly to: readonly string[]
  readonly user: unknown
  readonly isEncrypted: boolean
  readonly text: string
}

/** A mail server on loopback, and what it took. */
async function startMail(t: TestContext, options: SMTPServerOptions = {}) {
  const letters: Letter[] = []
  const server = new SMTPServer({
    key: certificate.key,
    cert: certificate.cert,
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData(stream, session, done) {
      let text = ''
      stream.setEncoding('utf8')
      stream.on('data', chunk => {
        text += chunk
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        letters.push({
          from,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          isEncrypted: session.secure,
          text,
        })
        done(null)
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>(resolve => server.close(() => resolve())))
  return { letters, port: (server.server.address() as AddressInfo).port }
}

const NOW = Date.parse('2026-11-20T12:00:00Z')
const watch: Watch = {
  id: 'watch_x',
  account: 'acc_a',
  key: 'key_a',
  target: 'shop.example',
  format: 'email',
  every_ms: 60_000,
  notify: 'mailto:alerts@example.com',
  secret: '',
  created: 0,
  next_at: 0,
  state: nothingChecked,
}
const delivery: Delivery = {
  id: 'msg_AAAA',
  watch: watch.id,
  account: watch.account,
  type: 'watch.changed',
  event: JSON.stringify(eventOf('DMARC policy: reject → none')),
  created: 0,
  state: 'pending',
  attempt: 0,
  failed: 0,
  next_at: NOW,
  last: null,
}

/** One attempt of the queue: what it says of the server, and what it leaves in the store. */
async function attempt(given: Partial<Settings>, extra_roots = authority.certificate) {
  const mail = createWatchMail({ ...settings, ...given }, { name: 'checks.example', extra_roots })
  const outcomes: Outcome[] = []
  const store = {
    get: async () => watch,
    claim: async () => true,
    settle: async (_id: string, _attempt: number, outcome: Outcome) => {
      outcomes.push(outcome)
    },
    stop: async () => assert.fail('the watch was stopped'),
  }
  const webhooks = { send: async () => assert.fail('a webhook was sent') }
  const clock = { now: () => NOW, monotonic: () => 0 }
  const { signal } = new AbortController()
  const ended = await deliver({ store, webhooks, mail, clock, random: () => 0.5 }, delivery, signal)
  assert.ok(!JSON.stringify([ended, outcomes]).includes('alerts@'))
  return { end: ended?.end, status: ended?.status, failure: ended?.failure }
}

const refusing = (code: number) => (_: unknown, __: unknown, done: (error?: Error | null) => void) =>
  done(Object.assign(new Error('No alerts@example.com here'), { responseCode: code }))

describe('an e-mail', () => {
  it('is submitted over STARTTLS with the user, to the one recipient', async t => {
    const { letters, port } = await startMail(t, {
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        password === 'secret' ? done(null, { user: username }) : done(new Error('no')),
    })
    const end = await attempt({ port, user: 'assay', password: 'secret' })
    assert.deepEqual(end, { end: 'delivered', status: 250, failure: null })
    const [{ text, ...letter }] = letters as [Letter]
    assert.deepEqual(
      [letters.length, letter],
      [1, { from: 'assay@checks.example', to: ['alerts@example.com'], user: 'assay', isEncrypted: true }],
    )
    for (const line of [
      'From: assay@checks.example',
      'To: alerts@example.com',
      'Message-ID: <msg_AAAA@checks.example>',
      'Date: Fri, 20 Nov 2026 12:00:00 +0000',
      'Auto-Submitted: auto-generated',
      'Content-Type: text/plain; charset=utf-8',
    ])
      assert.ok(text.includes(`${line}\r\n`), `${line}\n${text}`)
    assert.match(text, /^Subject: =\?UTF-8\?Q\?shop=5B=2E=5Dexample=3A_DMARC_policy=3A_\?=/m)
  })

  const ends: Readonly<
    Record<string, { server?: SMTPServerOptions; given?: Partial<Settings>; roots?: string; end: object }>
  > = {
    'is submitted over TLS from the first octet': {
      server: { secure: true },
      given: { tls: 'implicit' },
      end: { end: 'delivered', status: 250, failure: null },
    },
    'is submitted in the clear where the operator says so': {
      server: { hideSTARTTLS: true },
      given: { tls: 'none' },
      end: { end: 'delivered', status: 250, failure: null },
    },
    'waits while the server has no STARTTLS': {
      server: { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] },
      end: { end: 'failed', status: 500, failure: 'tls' },
    },
    'waits while the certificate is not valid': {
      roots: '',
      end: { end: 'failed', status: null, failure: 'tls' },
    },
    'waits while the password is wrong': {
      server: { onAuth: (_auth, _session, done) => done(new Error('no')) },
      given: { user: 'assay', password: 'wrong' },
      end: { end: 'failed', status: 535, failure: 'authentication' },
    },
    'waits when the server asks for later': {
      server: { onRcptTo: refusing(451) as never },
      end: { end: 'failed', status: 451, failure: 'smtp_451' },
    },
    'waits while the server does not take the sender': {
      server: { onMailFrom: refusing(550) as never },
      end: { end: 'failed', status: 550, failure: 'smtp_550' },
    },
    'is given up when there is no such recipient': {
      server: { onRcptTo: refusing(550) as never },
      end: { end: 'dead', status: 550, failure: 'smtp_550' },
    },
  }
  for (const [title, { server, given, roots, end }] of Object.entries(ends))
    it(title, async t => {
      const { port, letters } = await startMail(t, server)
      assert.deepEqual(await attempt({ port, ...given }, roots), end)
      assert.equal(letters.length, (end as { end: string }).end === 'delivered' ? 1 : 0)
    })

  it('waits while nothing listens', async t => {
    const { port } = await startMail(t)
    const free = port === 65_535 ? port - 1 : port + 1
    const { failure, end } = await attempt({ port: free, host: '127.0.0.2' })
    assert.deepEqual([end, failure], ['failed', 'refused'])
  })

  it('is not sent to a domain that is no longer allowed', async t => {
    const { port, letters } = await startMail(t)
    assert.equal((await attempt({ port, recipient_domains: [] })).failure, 'receiver_not_allowed')
    assert.equal(letters.length, 0)
  })
})
