import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { notRegistered, type RegistrationFacts } from '../../src/evidence/registration/facts.ts'
import { readDomain } from '../../src/evidence/registration/rdap.ts'
import type { Reading } from '../../src/evidence/registration/registry.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

const read = (text: string | object, domain = 'example.com'): Reading<RegistrationFacts> =>
  readDomain(Buffer.from(typeof text === 'string' ? text : JSON.stringify(text)), domain, NOW)

const answer = (members: object) => ({ objectClassName: 'domain', ldhName: 'EXAMPLE.COM', ...members })

function facts(members: object): RegistrationFacts {
  const reading = read(answer(members))
  assert.ok(reading.ok)
  return reading.facts
}

const event = (eventAction: unknown, eventDate: unknown) => ({ eventAction, eventDate })

describe('an RDAP answer about a domain', () => {
  it('is read completely', () => {
    const full = answer({
      rdapConformance: ['rdap_level_0'],
      status: ['client hold', 'pending delete', 'auto renew period'],
      events: [
        event('registration', '2009-01-01T00:00:00Z'),
        event('expiration', '2027-01-01T00:00:00Z'),
        event('last changed', '2026-02-03T04:05:06Z'),
        event('last update of RDAP database', '2026-11-20T11:59:59Z'),
      ],
      entities: [
        { roles: ['abuse'], vcardArray: ['vcard', [['fn', {}, 'text', 'Somebody Else']]] },
        {
          roles: ['registrar'],
          vcardArray: [
            'vcard',
            [
              ['version', {}, 'text', '4.0'],
              ['fn', {}, 'text', ' Example Registrar,\n Inc. '],
            ],
          ],
        },
      ],
      secureDNS: { delegationSigned: true },
      nameservers: [{ ldhName: 'NS1.EXAMPLE.NET.' }, { ldhName: 'ns2.example.net' }, { ldhName: 'ns1.example.net' }],
    })
    assert.deepEqual(read(full), {
      ok: true,
      facts: {
        registered: true,
        registered_at: '2009-01-01T00:00:00Z',
        registered_in_future: false,
        expires_at: '2027-01-01T00:00:00Z',
        updated_at: '2026-02-03T04:05:06Z',
        registrar: 'Example Registrar, Inc.',
        status: ['client hold', 'pending delete', 'auto renew period'],
        dnssec_signed: true,
        name_servers: ['ns1.example.net', 'ns2.example.net'],
      },
    })
  })

  const dates: readonly (readonly [what: string, events: unknown, expected: string | null])[] = [
    ['the event', [event('registration', '2009-01-01T00:00:00Z')], '2009-01-01T00:00:00Z'],
    ['the event in other letters', [event('Registration', '2009-01-01T00:00:00Z')], '2009-01-01T00:00:00Z'],
    [
      'the earliest of several',
      [
        event('registration', '2015-01-01T00:00:00Z'),
        event('registration', '2009-01-01T00:00:00Z'),
        event('registration', 'no date'),
      ],
      '2009-01-01T00:00:00Z',
    ],
    ['an offset', [event('registration', '2009-01-01T00:30:00+02:00')], '2008-12-31T22:30:00Z'],
    ['a fraction', [event('registration', '2009-01-01T00:00:00.123456Z')], '2009-01-01T00:00:00Z'],
    ['a date alone', [event('registration', '2009-01-01')], '2009-01-01T00:00:00Z'],
    ['today, a little ahead of us', [event('registration', '2026-11-20T18:00:00Z')], '2026-11-20T12:00:00Z'],
    ['no date', [event('registration', '0000-00-00T00:00:00Z')], null],
    ['a day that is none', [event('registration', '2009-02-30T00:00:00Z')], null],
    ['a time that is none', [event('registration', '2009-02-03T25:00:00Z')], null],
    ['a filler from before there were domains', [event('registration', '1970-01-01T00:00:00Z')], null],
    ['a number', [event('registration', 20090101)], null],
    ['no events', [], null],
    ['events that are none', { registration: '2009-01-01' }, null],
    ['events that are other things', [null, 7, 'registration', [event('registration', '2009-01-01')]], null],
    ['only a change', [event('last changed', '2009-01-01T00:00:00Z')], null],
    ['only an expiry', [event('expiration', '2009-01-01T00:00:00Z')], null],
    ['only an update of the database', [event('last update of RDAP database', '2009-01-01T00:00:00Z')], null],
    ['only a transfer', [event('transfer', '2009-01-01T00:00:00Z')], null],
    ['only a registration anew', [event('reregistration', '2009-01-01T00:00:00Z')], null],
  ]
  for (const [what, events, expected] of dates) {
    it(`has the registration date ${expected ?? 'unknown'} by ${what}`, () => {
      const { registered, registered_at, registered_in_future } = facts({ events })
      assert.deepEqual([registered, registered_at, registered_in_future], [true, expected, false])
    })
  }

  it('flags a future registration date and does not use it', () => {
    const { registered_at, registered_in_future } = facts({ events: [event('registration', '2031-01-01T00:00:00Z')] })
    assert.deepEqual([registered_at, registered_in_future], [null, true])
  })

  it('ignores the events of entities', () => {
    const entities = [{ roles: ['registrar'], events: [event('registration', '1999-01-01T00:00:00Z')] }]
    assert.equal(facts({ entities }).registered_at, null)
  })

  const cards: Readonly<Record<string, unknown>> = {
    'no card': undefined,
    'a text': 'vcard',
    'another top': ['vcardx', 7],
    'no properties': ['vcard'],
    'properties that are none': ['vcard', [null, 7, 'fn', {}]],
    'a short property': ['vcard', [['fn']]],
    'a value of another type': ['vcard', [['fn', {}, 'integer', 7]]],
    'a name that is no text': ['vcard', [[['fn'], {}, 'text', 'x']]],
    'deep values': ['vcard', [['fn', {}, 'text', [[['x']]]]]],
    'an empty name': ['vcard', [['fn', {}, 'text', '\u0000 ']]],
  }
  for (const [what, vcardArray] of Object.entries(cards)) {
    it(`is still read when the registrar’s card is ${what}`, () => {
      const events = [event('registration', '2009-01-01T00:00:00Z')]
      const { registrar, registered_at } = facts({ events, entities: [{ roles: ['registrar'], vcardArray }] })
      assert.deepEqual([registrar, registered_at], [null, '2009-01-01T00:00:00Z'])
    })
  }

  it('has the registrar’s organization when its name is empty', () => {
    const vcardArray = [
      'vcard',
      [
        ['FN', {}, 'text', ''],
        ['org', {}, 'text', ['Registrar GmbH', 'Unit']],
      ],
    ]
    assert.equal(facts({ entities: [{ roles: ['Registrar'], vcardArray }] }).registrar, 'Registrar GmbH')
  })

  for (const [handle, registrar] of [
    ['REG-EXAMPLE', 'REG-EXAMPLE'],
    ['292', null],
    [292, null],
  ] as const) {
    it(`has ${registrar ?? 'no registrar'} by the handle ${JSON.stringify(handle)} alone`, () => {
      assert.equal(facts({ entities: [{ roles: ['registrar'], handle }] }).registrar, registrar)
    })
  }

  it('cuts and cleans the registrar’s name', () => {
    const name = `\u0007Evil\u202e ${'x'.repeat(1_000)}\ud800`
    const vcardArray = ['vcard', [['fn', {}, 'text', name]]]
    assert.equal(facts({ entities: [{ roles: ['registrar'], vcardArray }] }).registrar, `Evil ${'x'.repeat(251)}`)
  })

  const statuses = [
    [['client hold'], ['client hold']],
    [['clientHold'], ['client hold']],
    [['pendingDelete', 'pending delete'], ['pending delete']],
    [['CLIENT TRANSFER PROHIBITED'], ['client transfer prohibited']],
    [['ok'], ['active']],
    [['Something New', null, 7, ''], ['something new']],
    ['client hold', []],
  ] as const
  for (const [written, expected] of statuses) {
    it(`maps the status ${JSON.stringify(written)} to ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(facts({ status: written }).status, expected)
    })
  }

  const signing = [
    [{ delegationSigned: true }, true],
    [{ delegationSigned: false }, false],
    [{ dsData: [{ keyTag: 1 }] }, true],
    [{ dsData: [] }, null],
    [{ delegationSigned: 'true' }, null],
    [undefined, null],
  ] as const
  for (const [secureDNS, expected] of signing) {
    it(`reads ${JSON.stringify(secureDNS)} as signed: ${expected}`, () => {
      assert.equal(facts({ secureDNS }).dnssec_signed, expected)
    })
  }

  it('has bounded lists', () => {
    const many = Array.from({ length: 500 }, (_, at) => at)
    const { status, name_servers } = facts({
      status: many.map(at => `status ${at}`),
      nameservers: many.map(at => ({ ldhName: `ns${at}.example.net` })),
    })
    assert.deepEqual([status.length, name_servers.length], [20, 13])
  })

  it('may have a byte order mark and no class name', () => {
    assert.ok(read(`\ufeff${JSON.stringify(answer({}))}`).ok)
    assert.ok(read({ ldhName: 'example.com' }).ok)
  })

  it('may have U-labels in place of A-labels', () => {
    const names = [{ ldhName: 'FAß.de.' }, { ldhName: 'XN--FA-HIA.DE' }, { unicodeName: 'faß.de' }, {}]
    for (const name of names) assert.ok(read({ objectClassName: 'domain', ...name }, 'xn--fa-hia.de').ok)
  })

  it('may report a missing domain in its own error format', () => {
    assert.deepEqual(read({ errorCode: 404, title: 'Not Found' }), { ok: true, facts: notRegistered })
  })

  const unusable: readonly (readonly [what: string, text: string | object, failure: string])[] = [
    ['an error page', '<!doctype html><h1>Busy</h1>', 'unreadable'],
    ['nothing', '', 'unreadable'],
    ['a list', [], 'unreadable'],
    ['another class', { objectClassName: 'entity', handle: 'X' }, 'unreadable'],
    ['another error', { errorCode: 500, ldhName: 'example.com' }, 'unreadable'],
    ['deep nesting', '['.repeat(200_000), 'unreadable'],
    ['another domain', { objectClassName: 'domain', ldhName: 'example.net' }, 'other_domain'],
    ['another domain in U-labels', { objectClassName: 'domain', ldhName: 'exämple.com' }, 'other_domain'],
    [
      'another domain by its unicodeName alone',
      { objectClassName: 'domain', unicodeName: 'exämple.com' },
      'other_domain',
    ],
  ]
  for (const [what, text, failure] of unusable) {
    it(`is rejected when it is ${what}`, () => assert.deepEqual(read(text), { ok: false, failure }))
  }

  it('never throws, and never has a registration or change in the future', () => {
    const date = fc.oneof(
      fc.string(),
      fc.date({ noInvalidDate: true }).map(moment => moment.toISOString()),
      fc.integer(),
      fc.constantFrom('0000-00-00', '9999-12-31T23:59:59Z', '2009-01-01T00:00:00+99:99'),
    )
    const members = fc.record({
      events: fc.array(
        fc.record({ eventAction: fc.constantFrom('registration', 'last changed', 'expiration'), eventDate: date }),
      ),
      status: fc.oneof(fc.jsonValue(), fc.array(fc.string())),
      entities: fc.oneof(
        fc.jsonValue(),
        fc.array(fc.record({ roles: fc.constant(['registrar']), vcardArray: fc.jsonValue() })),
      ),
      secureDNS: fc.jsonValue(),
      nameservers: fc.jsonValue(),
    })
    fc.assert(
      fc.property(members, given => {
        const found = facts(given)
        for (const moment of [found.registered_at, found.updated_at]) {
          if (moment !== null) assert.ok(Date.parse(moment) <= NOW && Date.parse(moment) >= Date.UTC(1985, 0, 1))
        }
        assert.ok(found.expires_at === null || !Number.isNaN(Date.parse(found.expires_at)))
        assert.ok(JSON.stringify(found).isWellFormed())
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), octets => {
        assert.equal(typeof readDomain(Buffer.from(octets), 'example.com', NOW).ok, 'boolean')
      }),
    )
  })
})
