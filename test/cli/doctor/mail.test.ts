// What `assay doctor` says of the mail server of watches, with a real one on loopback.
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { examineMail } from '../../../src/cli/doctor/mail.ts'
import { type Config, readSettings } from '../../../src/config/config.ts'
import { createWatchMail } from '../../../src/service/watch/mail.ts'
import { createAuthority } from '../../../src/testing/lab_ca.ts'

const authority = createAuthority()
const { key, cert } = authority.issue({ names: ['mail.example'], ips: ['127.0.0.1'] })
const usual: Config['watch']['mail'] = {
  host: '127.0.0.1',
  port: 587,
  tls: 'starttls',
  user: 'assay',
  password: 'secret',
  from: 'assay@checks.example',
  recipient_domains: ['example.com'],
}

interface Case {
  readonly server?: SMTPServerOptions
  readonly given?: Partial<Config['watch']['mail']>
  readonly roots?: string
  /** State, message without the server, and advice. */
  readonly said: readonly [state: string, message: string, advice: RegExp | null]
}

const cases: Readonly<Record<string, Case>> = {
  'takes the user over STARTTLS': { said: ['ok', 'answers, with STARTTLS and the user assay', null] },
  'answers over TLS without a user': {
    server: { secure: true, authOptional: true },
    given: { tls: 'implicit', user: null, password: null },
    said: ['ok', 'answers, with TLS and no user', null],
  },
  'answers, but no recipient domain is allowed': {
    given: { recipient_domains: [] },
    said: [
      'warning',
      'answers, with STARTTLS and the user assay, but watches cannot send e-mail: no recipient domain is allowed',
      /recipient_domains/,
    ],
  },
  'refuses the password': {
    given: { password: 'wrong' },
    said: ['failed', 'takes no mail from this service (authentication, reply 535)', /user` and `watch\.mail\.password/],
  },
  'has no STARTTLS': {
    server: { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] },
    said: ['failed', 'takes no mail from this service (tls, reply 500)', /watch\.mail\.tls/],
  },
  'has a certificate that is not valid': {
    roots: '',
    said: ['failed', 'takes no mail from this service (tls)', /the certificate of the server/],
  },
}

async function start(t: TestContext, options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    key,
    cert,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'secret' ? done(null, { user: username }) : done(new Error('no')),
    onMailFrom: () => assert.fail('a message was sent'),
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>(resolve => server.close(() => resolve())))
  return (server.server.address() as AddressInfo).port
}

const examined = async (mail: Config['watch']['mail'], extra_roots = authority.certificate) =>
  examineMail(mail, createWatchMail(mail, { name: 'checks.example', extra_roots }))

describe('the mail server', () => {
  for (const [title, { server, given, roots, said }] of Object.entries(cases))
    it(title, async t => {
      const port = await start(t, server)
      const [{ check, state, message, advice } = assert.fail()] = await examined({ ...usual, port, ...given }, roots)
      const [expectedState, expected, help] = said
      assert.deepEqual([check, state, message], ['mail', expectedState, `127.0.0.1 port ${port} ${expected}`])
      assert.ok(help === null ? advice === null : help.test(advice ?? ''), String(advice))
    })

  it('does not answer', async t => {
    const port = await start(t)
    const [{ message } = assert.fail()] = await examined({ ...usual, port, host: '127.0.0.9' })
    assert.equal(message, `127.0.0.9 port ${port} takes no mail from this service (refused)`)
  })

  it('is not examined where none is configured', async () => {
    const { mail } = readSettings({}, '/', {}).config.watch
    assert.deepEqual(await examined(mail), [])
  })
})
