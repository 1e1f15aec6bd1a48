// `assay watch` on a store, with a receiver on loopback.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { sampled } from '../sample.ts'
import { type Receiver, startReceiver } from '../service/watch/receiver.ts'
import { stores } from '../store/opened.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'

let receiver: Receiver
before(async () => {
  receiver = await startReceiver()
})
after(() => receiver.close())

for (const { name, url } of sampled(stores, 1)) {
  describe(`assay watch with ${name}`, () => {
    let config: string
    beforeEach(async () => {
      receiver.received.length = 0
      receiver.answer(response => response.writeHead(204).end())
      const directory = temporaryDirectory()
      config = join(directory, 'config.json')
      const watch = { allow_private: ['127.0.0.1'], per_account: 2 }
      writeFileSync(config, JSON.stringify({ data: './data', watch, store: await url() }))
    })

    const watch = (...args: readonly string[]) => assay('watch', ...args, '--config', config)
    const key = async () =>
      JSON.parse((await assay('keys', 'create', '--plan', 'startup', '--json', '--config', config)).out) as {
        account: string
      }
    const owned = async () => ['--account', (await key()).account]
    const add = async (...args: readonly string[]) => {
      const { out, err } = await watch('add', 'Example.com', '--notify', receiver.url, '--json', ...args)
      assert.equal(err, '')
      return JSON.parse(out) as { watch_id: string; secret: string; [member: string]: unknown }
    }

    it('adds a watch, lists it without its secret, and removes it', async () => {
      const account = await owned()
      const { watch_id, secret, ...shown } = await add('--every', '2h', '--format', 'slack', ...account)
      assert.match(secret, /^whsec_/)
      assert.deepEqual(
        [shown['target'], shown['every'], shown['format'], shown['account']],
        ['example.com', '2h', 'slack', account[1]],
      )
      const { out } = await watch('list', ...account)
      const cells = out.trimEnd().split(/ {2,}/)
      assert.deepEqual(cells.slice(0, 5), [watch_id, 'example.com', 'every 2h', 'not checked yet', 'slack'])
      assert.equal(out.includes(secret) || out.includes('/hook'), false)
      assert.deepEqual(await watch('remove', watch_id), { code: 0, out: `Watch ${watch_id} is removed.\n`, err: '' })
      assert.equal((await watch('list', ...account)).out, 'No watches.\n')
    })

    it('prints the secret once, as text', async () => {
      const { out } = await watch('add', 'example.com', '--notify', receiver.url, ...(await owned()))
      assert.match(
        out,
        /^Watch watch_\S+ of example\.com, every 6h, account acc_\w+\..*\n\n {2}whsec_\S+\n\nThis secret signs/,
      )
    })

    it('sends a signed test at once, and replays it', async () => {
      const { watch_id, secret } = await add(...(await owned()))
      const tested = await watch('test', watch_id)
      assert.match(tested.out, /^Delivered: msg_\S+, attempt 1, status 204\.\n$/)
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
      const verified = new Webhook(secret).verify(body, headers as Record<string, string>)
      assert.equal((verified as { type: string }).type, 'watch.test')
      const id = String(headers['webhook-id'])
      assert.match((await watch('replay', watch_id, id)).out, /attempt 2, status 204\.\n$/)
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['webhook-id']),
        [id, id],
      )
      const { out } = await watch('deliveries', watch_id)
      assert.match(out, new RegExp(`^${id}  \\S+Z  delivered  2 attempts {2,}watch\\.test\n$`))
    })

    it('says what a receiver answered that did not accept', async () => {
      const { watch_id } = await add(...(await owned()))
      receiver.answer(response => response.writeHead(500).end())
      const { code, err } = await watch('test', watch_id)
      assert.equal(code, 75)
      assert.match(err, /^assay: not accepted: status_500 \(delivery msg_\S+\)\n$/)
    })

    it('says what is wrong', async () => {
      const account = await owned()
      const notify = ['--notify', receiver.url, ...account]
      for (const [args, message] of [
        [['add', 'localhost', ...notify], 'The domain is a single label.'],
        [
          ['add', 'a.com', '--every', '1m', ...notify],
          'The interval is not one of 1h to 31d, written such as 90m, 6h or 1d.',
        ],
        [
          ['add', 'a.com', '--notify', 'https://10.0.0.1/', ...account],
          'The receiver is not reachable from the public Internet.',
        ],
        [['add', 'a.com', '--notify', receiver.url, '--account', 'acc_none'], 'account acc_none has no valid key'],
        [['remove', 'watch_none'], 'watch watch_none does not exist'],
      ] as const) {
        const { code, err } = await watch(...args)
        assert.equal(code, 64, err)
        assert.ok(err.startsWith(`assay: ${message}`), err)
      }
      await add(...account)
      await add(...account)
      assert.match((await watch('add', 'a.com', ...notify)).err, /has 2 watches, which is the limit/)
    })
  })
}

describe('assay watch', () => {
  const at = (settings: object) => {
    const config = join(temporaryDirectory(), 'config.json')
    writeFileSync(config, JSON.stringify({ data: './data', ...settings }))
    return (...args: readonly string[]) => assay(...args, '--config', config)
  }

  it('takes the account of the only key, and asks for one among several', async () => {
    const run = at({})
    const add = () => run('watch', 'add', 'example.com', '--notify', 'https://hooks.example/x')
    const { out } = await run('keys', 'create', '--plan', 'startup', '--json')
    await run('keys', 'revoke', JSON.parse(out).id)
    assert.match((await add()).err, /^assay: there is no valid key; create one: `npx assay keys create --plan PLAN`\n$/)
    await run('keys', 'create', '--plan', 'startup')
    assert.equal((await add()).code, 0)
    await run('keys', 'create', '--plan', 'startup')
    const { code, err } = await add()
    assert.equal(code, 64)
    assert.match(err, /^assay: --account is missing \(accounts with a valid key: acc_\w+, acc_\w+\)\n$/)
  })

  it('says that watches are disabled', async () => {
    const { code, err } = await at({ watch: { per_account: 0 } })('watch', 'list')
    assert.deepEqual([code, err], [64, 'assay: watches are disabled: `watch.per_account` is 0 in the configuration\n'])
  })
})
