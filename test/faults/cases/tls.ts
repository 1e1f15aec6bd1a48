// D: what happens between the address and the first request.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type CertificateOptions, createAuthority, extension } from '../../../src/testing/lab_ca.ts'
import { startPostHandshake } from '../../../src/testing/lab_post_handshake.ts'
import { close, drip, flood, hello, reset, type Step, send, wait } from '../../../src/testing/lab_script.ts'
import type { LabSite } from '../../../src/testing/lab_web.ts'
import type { Expected, FaultCase, Place } from '../case.ts'
import { healthyPage } from '../healthy.ts'
import { DEADLINE_MS } from '../setting.ts'

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * DAY_MS)

const served = (row: number, of: string, site: (place: Place) => Partial<LabSite>, expect: Expected): FaultCase => ({
  row,
  of,
  world: place => ({
    sites: [
      { host: place.name, addresses: [place.address], https: healthyPage, credentials: place.issue(), ...site(place) },
    ],
  }),
  expect,
})

const judged = (
  of: string,
  credentials: (place: Place) => LabSite['credentials'],
  fields: Readonly<Record<string, unknown>>,
  row = 79,
): FaultCase =>
  served(row, of, place => ({ credentials: credentials(place) as NonNullable<LabSite['credentials']> }), {
    sections: { ssl_info: 'completed', web: 'completed' },
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [`ssl_info.${name}`, value])),
  })

const issued =
  (options: CertificateOptions) =>
  ({ issue }: Place) =>
    issue(options)

const matrix: readonly FaultCase[] = [
  judged('an expired certificate', issued({ not_before: inDays(-100), not_after: inDays(-11) }), {
    valid: false,
    days_to_expire: -11,
    is_self_signed: false,
    invalid_reasons: ['expired'],
  }),

  judged('a self-signed certificate', ({ selfSign }) => selfSign(), { valid: false, is_self_signed: true }),

  judged(
    'a thousand alternative names',
    ({ issue, name }) => issue({ names: [name, ...Array.from({ length: 1_000 }, (_, at) => `n${at}.${name}`)] }),
    { valid: true, subject_alternative_names_total: 1_001 },
  ),
]

const odd = (of: string, options: (place: Place) => CertificateOptions): FaultCase =>
  served(86, of, place => ({ credentials: place.issue(options(place)) }), {
    holds: ({ answer }) => {
      assert.equal(answer.status, 200)
      const section = answer.body['ssl_info'] as { issuer: string | null; expires_at: string | null } | null
      if (section === null) return
      assert.ok((section.issuer ?? '').length <= 256, section.issuer ?? '')
      assert.match(section.expires_at ?? '2026-01-01T00:00:00', /^-?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      assert.ok(!/\\u00(?:0|1|7f)/.test(answer.text), 'nothing raw comes through')
    },
  })

const oddities: readonly FaultCase[] = [
  odd('NUL in the names', ({ name }) => ({
    names: [`${name}\u0000.evil.lab`],
    subject: [['CN', `${name}\u0000.evil.lab`]],
  })),
  odd('an escape sequence and right-to-left marks in the subject', ({ name }) => ({
    names: [name],
    subject: [
      ['CN', '\u001b[31mred\u202e'],
      ['O', '<script>'],
    ],
  })),

  odd('a date of the year 9999', ({ name }) => ({ names: [name], not_after: new Date('9999-12-31T23:59:59Z') })),

  odd('a serial of 60 octets', ({ name }) => ({ names: [name], serial: 1n << 480n })),

  odd('an extension of garbage', ({ name }) => ({
    names: [name],
    extensions: [extension('1.3.6.1.5.5.7.1.1', false, Buffer.from('3080ff', 'hex'))],
  })),

  served(
    85,
    'a chain of fifty certificates',
    place => {
      let authority = createAuthority()
      for (let at = 0; at < 50; at++) authority = authority.subordinate({ subject: [['CN', `Lab ${at}`]] })
      return { credentials: authority.issue({ names: [place.name] }) }
    },
    { sections: { ssl_info: 'completed' } },
  ),
]

const versions: readonly FaultCase[] = [
  ...(['TLSv1', 'TLSv1.1'] as const).map(version =>
    served(
      80,
      `a server of ${version} alone`,
      () => ({ tls: { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } }),
      {
        fields: { 'ssl_info.protocol': version },
        holds: ({ answer }) => assert.ok(!(answer.body['signals'] as string[]).includes('no_tls'), 'TLS is seen'),
      },
    ),
  ),
  served(82, 'a server that demands a certificate', () => ({ tls: { requestCert: true, rejectUnauthorized: true } }), {
    holds: ({ answer }) => assert.match(String((answer.body['ssl_info'] as { issuer: unknown }).issuer), /Lab/),
  }),
  served(83, 'a trailing dot, of which the server hears nothing', () => ({}), {
    holds: ({ web }, { name }) => assert.deepEqual([...new Set(web.handshakes)], [name]),
  }),
  {
    row: 83,
    of: 'an address, which is no server name',
    world: ({ address, issue }) => ({
      sites: [
        { host: address, addresses: [address], https: healthyPage, credentials: issue({ names: [], ips: [address] }) },
      ],
    }),
    ask: ({ address }) => `ip=${address}`,
    expect: {
      fields: { 'ssl_info.valid': true },
      holds: ({ web }) => assert.deepEqual([...new Set(web.handshakes)], ['']),
    },
  },
  served(89, 'a server that offers h2 alone', () => ({ tls: { ALPNProtocols: ['h2'] } }), {
    holds: ({ answer }) => assert.equal(answer.status, 200),
  }),
]

const scripted = (row: number, of: string, steps: readonly Step[], expect: Expected = {}): FaultCase => ({
  row,
  of,
  world: () => ({ scripts: [{ port: 443, steps }] }),
  expect: { within_ms: DEADLINE_MS, ...expect },
})

/** A record of TLS: handshake, 16 KiB announced. */
const announced = Buffer.from('160303400002003ffc0303', 'hex')
const alert = (code: number) => Buffer.from([21, 3, 3, 0, 2, 2, code])
const hangUp = {
  holds: ({ answer }: { answer: { status: number; body: Readonly<Record<string, unknown>> } }) =>
    assert.equal(answer.status, 200),
}

const handshakes: readonly FaultCase[] = [
  scripted(
    76,
    'a handshake at an octet each 100 ms',
    [hello(), drip(Buffer.concat([announced, Buffer.alloc(1_000)]), 1, 100)],
    { holds: ({ answer }) => assert.match(answer.text, /timeout/) },
  ),
  scripted(76, 'a record that is announced and never finished', [hello(), send(announced), wait(20_000)], {
    holds: ({ answer }) => assert.match(answer.text, /timeout/),
  }),
  scripted(76, 'silence after the hello', [hello(), wait(20_000)]),
  scripted(77, 'a reset after the hello', [hello(), reset()], hangUp),
  scripted(77, 'a reset before anything', [reset()], hangUp),
  scripted(77, 'a close after the hello', [hello(), close()], hangUp),
  scripted(77, 'an alert instead of a handshake', [hello(), send(alert(40)), close()], hangUp),
  scripted(77, 'an alert for a protocol that is too old', [hello(), send(alert(70)), close()], hangUp),
  scripted(77, 'a record cut in the middle', [hello(), send(announced.subarray(0, 7)), close()], hangUp),
  scripted(
    80,
    'SSLv3',
    [hello(), send(Buffer.from('160300002a020000260300', 'hex')), send(Buffer.alloc(60)), close()],
    hangUp,
  ),
  scripted(80, 'SSLv2', [hello(), send(Buffer.from('802e0100020015', 'hex')), close()], hangUp),
  scripted(
    77,
    'plain HTTP on port 443',
    [hello(), send('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'), close()],
    hangUp,
  ),
  scripted(77, 'an SSH server on port 443', [send('SSH-2.0-OpenSSH_9.6\r\n'), wait(5_000)], hangUp),
  scripted(91, 'empty records without end', [hello(), flood(Buffer.from('1603030000'.repeat(500), 'hex'))], hangUp),
  scripted(
    91,
    'records of one octet without end',
    [hello(), flood(Buffer.from('160303000102'.repeat(500), 'hex'))],
    hangUp,
  ),
  scripted(91, 'noise without end', [hello(), flood(Buffer.alloc(65_536, 0xaa))], hangUp),
  scripted(
    91,
    'alerts that are only warnings, without end',
    [hello(), flood(Buffer.from('15030300020100'.repeat(200), 'hex'))],
    hangUp,
  ),
]

const connecting: readonly FaultCase[] = [
  {
    row: 73,
    of: 'a host that refuses both ports',
    world: () => ({}),
    expect: { sections: { ssl_info: 'not_applicable refused' }, within_ms: DEADLINE_MS },
  },
  {
    row: 74,
    of: 'a port 443 that swallows everything beside an honest port 80',
    world: ({ name, half_hole }) => ({
      zones: { [name]: { A: [half_hole] } },
      sites: [{ host: name, addresses: [half_hole], http: healthyPage }],
    }),
    expect: {
      sections: { ssl_info: 'unavailable connect_timeout', content_analysis: 'completed' },
      within_ms: DEADLINE_MS,
    },
  },
  {
    row: 92,
    of: 'a name at four addresses that swallow everything',
    world: ({ name, hole }) => ({
      zones: { [name]: { A: [0, 1, 2, 3].map(at => hole.replace(/\d+$/, String(100 + at))) } },
    }),
    expect: { sections: { ssl_info: 'unavailable connect_timeout', web: 'unavailable connect_timeout' } },
  },
]

/** Messages after the handshake, for ever. */
const postHandshake = (of: string, kind: 'session_ticket' | 'key_update'): FaultCase => ({
  row: 88,
  of,
  async world(place) {
    const server = await startPostHandshake(place.issue(), kind)
    return { scripts: [{ port: 443, steps: [relay(server.port)] }], end: server.close }
  },
  expect: { within_ms: DEADLINE_MS, ...hangUp },
})

const relay =
  (port: number): Step =>
  near => {
    const far = connect(port, '127.0.0.1')
    far.on('error', () => near.destroy())
    near.once('close', () => far.destroy())
    near.pipe(far).pipe(near)
  }

export const tlsFaults: readonly FaultCase[] = [
  ...connecting,
  ...matrix,
  ...oddities,
  ...versions,
  ...handshakes,
  postHandshake('session tickets without end', 'session_ticket'),
  postHandshake('key updates without end', 'key_update'),
]
