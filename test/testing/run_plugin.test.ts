// A plugin tested end to end: the built-in gatherers and its own gather from the lab's internet.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { analyzer, Type } from '../../src/engine/plugin.ts'
import { type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { runPlugin } from '../../src/testing/run_plugin.ts'

const closed = { additionalProperties: false }

/** Reads evidence of DNS, TLS and HTTP. */
const entry = analyzer({
  name: 'entry',
  description: 'Reports how the site is entered.',
  targets: ['domain'],
  needs: ['addresses', 'mail_records', 'tls', 'document', 'page'],
  wants: ['location'],
  schema: Type.Object(
    {
      addresses: Type.Array(Type.String()),
      mail: Type.Array(Type.String()),
      protocol: Type.Union([Type.String(), Type.Null()]),
      title: Type.Union([Type.String(), Type.Null()]),
      statuses: Type.Array(Type.Integer()),
    },
    closed,
  ),
  signals: { entry_by_redirect: { weight: 1, group: 'hygiene', title: 'Entered by a redirect' } },
  analyze: ({ addresses, mail_records, tls, document, page }) => ({
    section: {
      addresses: addresses.answers.map(({ address }) => address),
      mail: mail_records.mx.hosts.map(({ exchange }) => exchange),
      protocol: tls.protocol,
      title: document.title,
      statuses: page.exchanges.map(({ status }) => status),
    },
    signals: page.exchanges.length > 1 ? [{ id: 'entry_by_redirect' }] : [],
    unknown: null,
  }),
})

describe('a plugin, with the built-in gatherers', () => {
  let internet: LabInternet
  before(async () => {
    internet = await startLabInternet([
      {
        name: 'shop.example.com',
        addresses: ['93.184.216.34'],
        records: { MX: [{ preference: 10, exchange: 'mx.example.com' }] },
        http: () => ({ status: 301, headers: [['Location', 'https://shop.example.com/']] }),
        https: ({ url }) =>
          url === '/'
            ? { status: 302, headers: [['Location', '/home']] }
            : { body: '<!doctype html><title>The shop</title><p>Hello.' },
      },
    ])
  })
  after(() => internet.close())

  it('reads what they gather from the lab', async () => {
    const { status, section, signals } = await runPlugin(entry, { target: 'shop.example.com', internet })
    assert.equal(status, 'completed')
    assert.deepEqual(section, {
      addresses: ['93.184.216.34'],
      mail: ['mx.example.com'],
      protocol: 'TLSv1.3',
      title: 'The shop',
      statuses: [302, 200],
    })
    assert.deepEqual(signals, [{ id: 'entry_by_redirect', points: 1, detail: null }])
  })

  it('reads evidence of the test in place of what they would gather', async () => {
    const evidence = { tls: { protocol: 'TLSv1.2' } }
    const { section } = await runPlugin(entry, { target: 'shop.example.com', internet, evidence })
    // The section has the type of the schema.
    const protocol: string | null | undefined = section?.protocol
    assert.equal(protocol, 'TLSv1.2')
    // @ts-expect-error The schema has no such field.
    assert.equal(section?.port, undefined)
  })

  it('is unavailable for a name that does not exist in the lab', async () => {
    const { status, section } = await runPlugin(entry, { target: 'nowhere.example.com', internet })
    assert.deepEqual([status, section], ['not_applicable', null])
  })
})
