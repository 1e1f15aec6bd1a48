// The parameter `email`: what answers say of the domain, and that the address itself goes nowhere.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../../plugins/index.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import { resultSchema } from '../../../src/engine/result_schema.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { emailFacts } from '../../../src/results/email.ts'
import type { Schema } from '../../../src/store/sql/schema.ts'
import { KEEP_ALL, type Parts, startService } from './service.ts'

const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../golden/results/static.json'), 'utf8'))
const parts: Parts = {
  described: { registry, result_schema: resultSchema(registry) },
  checker: { check: async () => ({ result: golden, class: 'complete' as const }) },
  history: KEEP_ALL,
}
const LISTS = ['Disposable']
const listed = (status: string) => ({ reputation: { lists: [{ name: 'Disposable', status }] } })
const mx = (status: string, hosts: unknown = [], web: boolean | null = false, issues: unknown = []) => ({
  dns_security: { mx: { status, hosts }, ipv6: { web }, issues },
})
const host = (addresses: unknown) => [{ preference: 10, exchange: 'mx.a.com', addresses }]

type Facts = readonly [disposable: boolean | null, free_mail: boolean, deliverable: boolean | null]
const facts: readonly (readonly [what: string, result: object, facts: Facts])[] = [
  ['nothing was seen', {}, [null, false, null]],
  ['a free provider', { domain: 'gmail.com' }, [null, true, null]],
  ['a list that names it', { signals: ['disposable_email'] }, [true, false, null]],
  ['a list that does not', listed('answered'), [false, false, null]],
  ['a list that did not answer', listed('unavailable'), [null, false, null]],
  ['a mail server with an address', mx('found', host(['192.0.2.1'])), [null, false, true]],
  ['a mail server whose look-up failed', mx('found', host(null)), [null, false, null]],
  ['one that failed beside one without', mx('found', [...host([]), ...host(null)]), [null, false, null]],
  ['one that failed beside one with', mx('found', [...host(null), ...host(['192.0.2.1'])]), [null, false, true]],
  ['a mail server without an address', mx('found', host([])), [null, false, false]],
  ['mail servers that are not known', mx('found', null), [null, false, null]],
  ['a null MX', mx('null_mx'), [null, false, false]],
  ['no MX, but an address', { ...mx('none'), ip: '192.0.2.1' }, [null, false, true]],
  ['neither', mx('none'), [null, false, false]],
  ['no MX, and addresses that are not known', mx('none', [], null), [null, false, null]],
  ['no MX, but an IPv6 address that was not contacted', mx('none', [], true), [null, false, true]],
  [
    'no MX, but an address that was not contacted',
    mx('none', [], false, [{ code: 'implicit_mx' }]),
    [null, false, true],
  ],
  ['DNS that does not answer', mx('unknown', null), [null, false, null]],
  ['a name that does not exist', { ...mx('none'), signals: ['domain_not_found'] }, [null, false, false]],
]

describe('what is known of an e-mail address', () => {
  for (const [what, result, [disposable, free_mail, deliverable]] of facts)
    it(`follows from ${what}`, () => {
      const whole = { domain: 'a.com', ip: null, signals: [], ...result }
      assert.deepEqual(emailFacts(whole, LISTS), { disposable, free_mail, deliverable })
    })

  it('is in the answer about an address, and not in that about its domain, from one check', async t => {
    const service = await startService(t, parts)
    const ask = async (query: string) => (await (await service.get(`/api/v1/check?${query}`)).json()) as typeof golden
    const { email, domain } = await ask('email=jane+tag%40a.com')
    assert.deepEqual([domain, Object.keys(email)], [golden.domain, ['disposable', 'free_mail', 'deliverable']])
    assert.equal((await ask('domain=a.com')).email, undefined)
    assert.deepEqual(await ask('email=x@a.com&fields=email.free_mail'), { email: { free_mail: false } })
    assert.deepEqual(
      service.checked.map(({ domain }) => domain),
      ['a.com'],
    )
  })

  it('says nothing of the address: not in answers, problems, the log and what is stored', async t => {
    const service = await startService(t, parts)
    const bodies: string[] = []
    const queries = ['email=canary%40a.com', 'email=canary%40a.com', 'email=canary%20%40a.com&fresh=true']
    for (const query of [...queries, 'email=canary', 'email=canary@', 'email=canary@com', 'email=canary@127.1'])
      for (const more of ['', '&format=report', '&Email=canary', '&format=stix'])
        bodies.push(await (await service.get(`/api/v1/check?${query}${more}`)).text())
    const streamed = { 'X-API-Key': service.key, Accept: 'text/event-stream' }
    bodies.push(await (await service.get('/api/v1/check?email=canary@a.com', { headers: streamed })).text())
    const history = await (await service.get('/api/v1/history')).text()
    assert.ok(history.includes(golden.domain), 'the domain is kept')
    for (const text of [...bodies, history, JSON.stringify(service.lines()), JSON.stringify(service.checked)])
      assert.doesNotMatch(text, /canary/)
    const { database } = service.store
    const tables = await database.transaction(async change =>
      (await change.introspection.getTables()).map(({ name }) => name as keyof Schema),
    )
    for (const table of tables) {
      const rows = await database.transaction(change => change.selectFrom(table).selectAll().execute())
      for (const row of rows)
        for (const value of Object.values(row))
          assert.ok(!Buffer.from(value instanceof Uint8Array ? value : String(value)).includes('canary'), table)
    }
  })
})
