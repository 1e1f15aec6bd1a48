import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, beforeEach, describe, it } from 'node:test'
import { openStoreIn } from '../store/opened.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

interface Issued {
  readonly key: string
  readonly id: string
  readonly account: string
}

describe('assay keys', () => {
  let data: string
  beforeEach(() => {
    data = join(temporaryDirectory(), 'data')
  })

  const keys = (command: string, ...args: readonly string[]) => assay('keys', command, ...args, '--data', data)
  const create = async (...args: readonly string[]) =>
    JSON.parse((await keys('create', '--plan', 'startup', '--label', 'x', '--json', ...args)).out) as Issued
  const list = async () => JSON.parse((await keys('list', '--json')).out) as Record<string, unknown>[]

  it('creates a key and prints it once, as one line of JSON', async () => {
    const { code, out, err } = await keys('create', '--plan', 'startup', '--label', 'x', '--json')
    assert.deepEqual([code, err, out.split('\n').length], [0, '', 2])
    const { key, id, plan, label } = JSON.parse(out) as Issued & Record<string, unknown>
    assert.match(key, /^assay_[0-9A-Za-z]{30,}$/)
    assert.deepEqual([plan, label], ['startup', 'x'])
    const listed = await keys('list', '--json')
    assert.ok(listed.out.includes(id) && !listed.out.includes(key))
  })

  it('prints a key with its plan and account', async () => {
    const { out } = await keys('create', '--plan', 'business')
    assert.match(out, /^assay_\w+\n\nKey key_\w+, plan business, account acc_\w+\. It is not shown again\.\n$/)
  })

  it('lists the keys of an account with their shared quota and expiry', async () => {
    const { account } = await create()
    const other = await create('--account', account, '--expires', '2099-01-01')
    assert.equal(other.account, account)
    const { out } = await keys('list')
    const states = out
      .trimEnd()
      .split('\n')
      .map(line => line.split(/ {2,}/).slice(2, 6))
    assert.deepEqual(states, [
      [account, 'startup', '0 of 10000 this month, 10000 left', 'valid'],
      [account, 'startup', '0 of 10000 this month, 10000 left', 'until 2099-01-01T00:00Z'],
    ])
  })

  it('gives a key the plan of its account, and no other', async () => {
    const { account } = await create()
    const { code, err } = await keys('create', '--plan', 'business', '--account', account)
    assert.deepEqual(
      [code, err],
      [
        64,
        `assay: account ${account} has plan startup; all keys of an account share its plan. ` +
          `Omit --plan, or change the plan of the whole account: \`npx assay keys plan ${account} business\`\n`,
      ],
    )
    const made = JSON.parse((await keys('create', '--account', account, '--json')).out) as Record<string, unknown>
    assert.deepEqual([made['account'], made['plan'], (await list()).length], [account, 'startup', 2])
  })

  it('changes the plan of an account for all its keys', async () => {
    const { account } = await create()
    await create('--account', account)
    const other = await create()
    assert.deepEqual(await keys('plan', account, 'business'), {
      code: 0,
      out: `Account ${account} now has plan business instead of startup. Its usage in this period is kept.\n`,
      err: '',
    })
    assert.deepEqual(
      (await list()).map(key => [key['account'], key['plan']]),
      [
        [account, 'business'],
        [account, 'business'],
        [other.account, 'startup'],
      ],
    )
    const again = await keys('plan', account, 'business', '--json')
    assert.deepEqual(JSON.parse(again.out), { account, plan: 'business', before: 'business' })
  })

  it('shows what each account has used, and on which days', async () => {
    const [busy, idle] = [await create(), await create()]
    const store = await openStoreIn(data)
    for (let n = 1; n <= 3; n++) {
      const usage = await store.quota.charge(busy.account, { quota: 10_000, period: 'month' })
      assert.equal('used' in usage && usage.used, n)
    }
    await store.close()
    const now = new Date()
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString().slice(0, 10)
    const lines = [
      `${busy.account}  startup  3 of 10000 this month, 9997 left   next ${next}T00:00Z`,
      `${idle.account}  startup  0 of 10000 this month, 10000 left  next ${next}T00:00Z`,
    ]
    assert.deepEqual((await keys('usage')).out.trimEnd().split('\n').sort(), lines.sort())
    const today = now.toISOString().slice(0, 10)
    const { out } = await keys('usage', busy.id, '--by', 'day', '--from', today)
    assert.equal(out, `${today}  ${busy.account}  startup  3\n3 answers from ${today} to ${today} (UTC).\n`)
    assert.deepEqual(JSON.parse((await keys('usage', '--by', 'day', '--from', today, '--json')).out), {
      from: today,
      to: today,
      accounts: [
        { account: busy.account, plan: 'startup', total: 3, days: [{ day: today, answers: 3 }] },
        { account: idle.account, plan: 'startup', total: 0, days: [] },
      ],
    })
  })

  it('says that there are none', async () => {
    await (await openStoreIn(data)).close()
    assert.deepEqual(await keys('list'), { code: 0, out: 'No keys.\n', err: '' })
  })

  it('rotates a key: a new key for the account, and the old one until the grace period ends', async () => {
    const old = await create()
    const { out } = await keys('rotate', old.id, '--json')
    const { key, account } = JSON.parse(out) as Issued
    assert.ok(key !== old.key && account === old.account)
    const [first, second] = await list()
    const ends = new Date(String(first?.['expires'])).getTime() - Date.now()
    assert.ok(ends > 23 * 3_600_000 && ends <= 24 * 3_600_000, `${ends} ms`)
    assert.equal(second?.['expires'], null)
  })

  it('revokes a key at once; revoking it again changes nothing', async () => {
    const { id } = await create()
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await keys('revoke', id), { code: 0, out: `Key ${id} is revoked.\n`, err: '' })
    }
    const [key] = await list()
    assert.notEqual(key?.['revoked'], null)
    const { code, err } = await keys('rotate', id)
    assert.equal(code, 64)
    assert.match(err, /^assay: .*revoked/)
  })

  const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      'an unknown plan, with the one that was meant',
      ['create', '--plan', 'startp'],
      /^assay: unknown plan "startp"; did you mean "startup"\? \(plans: startup, business\)\n$/,
    ],
    ['a date that is none', ['create', '--plan', 'startup', '--expires', 'soon'], /"soon" is not an ISO 8601 date/],
    ['a date of no standard', ['create', '--plan', 'startup', '--expires', '1/2/2099'], /is not an ISO 8601 date/],
    ['a time of no zone', ['create', '--plan', 'startup', '--expires', '2099-01-01T10:00'], /is not an ISO 8601 date/],
    ['a date in the past', ['create', '--plan', 'startup', '--expires', '2020-01-01'], /"2020-01-01" is in the past/],
    ['a day that no month has', ['create', '--plan', 'startup', '--expires', '2099-02-30'], /is not an ISO 8601 date/],
    [
      'a time of such a day',
      ['create', '--plan', 'startup', '--expires', '2099-06-31T10:00+02:00'],
      /"2099-06-31T10:00\+02:00" is/,
    ],
    [
      'a label of two lines',
      ['create', '--plan', 'startup', '--label', 'one\ntwo'],
      /--label must be one line of at most 200/,
    ],
    [
      'a label that commands a terminal',
      ['create', '--plan', 'startup', '--label', '\x1b[2J'],
      /--label must be one line/,
    ],
    ['a label without an end', ['create', '--plan', 'startup', '--label', 'x'.repeat(201)], /--label must be one line/],
    ['to guess a plan', ['create'], /^assay: --plan is missing \(plans: startup, business\)\n$/],
    ['an unknown plan for an account', ['plan', 'acc_0', 'busness'], /^assay: unknown plan "busness"; did you mean/],
    ['a plan for no account', ['plan', 'acc_0', 'business'], /^assay: account acc_0 does not exist\n$/],
    ['an account that is not there', ['create', '--plan', 'startup', '--account', 'acc_0'], /acc_0/],
    ['the usage of a key that is not there', ['usage', 'key_0'], /no key and no account is named key_0/],
    ['days without --by', ['usage', '--from', '2026-11-01'], /^assay: --from and --to need --by day\n$/],
    ['a unit that is none', ['usage', '--by', 'hour'], /Allowed choices are day/],
    ['a first day that no month has', ['usage', '--by', 'day', '--from', '2026-02-30'], /^assay: --from is not a day/],
    ['a key to revoke that is not there', ['revoke', 'key_0'], /key key_0 does not exist/],
    ['a key to rotate that is not there', ['rotate', 'key_0'], /key key_0 does not exist/],
  ]
  const empty = join(temporaryDirectory(), 'data')
  before(async () => (await openStoreIn(empty)).close())
  for (const [what, [command = '', ...args], message] of mistakes) {
    it(`refuses ${what} with exit code 64 and creates no key`, async () => {
      data = empty
      const { code, out, err } = await keys(command, ...args)
      assert.deepEqual([code, out], [64, ''])
      assert.match(err, message)
      assert.deepEqual(await list(), [])
    })
  }

  it('exits with 69 when the store cannot be used', async () => {
    const { code, err } = await assay('keys', 'create', '--plan', 'startup', '--data', '/dev/null/data')
    assert.equal(code, 69)
    assert.match(
      err,
      /^assay: cannot use \/dev\/null\/data for data: (?:a part of the path|it) is not a directory \((?:ENOTDIR|EEXIST)/,
    )
  })

  it('exits with 69 at once when no directory can be created', {
    skip: process.platform !== 'linux' && 'needs Linux: run it there',
  }, async () => {
    const { code, err } = await assay('keys', 'create', '--plan', 'startup', '--data', '/proc/none/data')
    assert.equal(code, 69)
    assert.match(err, /^assay: cannot use \/proc\/none\/data for data: it cannot be created \(ENOENT: /)
  })
})
