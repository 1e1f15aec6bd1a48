// Commands that ask a running service instead of this machine.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { assayCommand } from '../assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay, type Ran } from './assay.ts'
import { offline } from './offline.ts'
import { firstKey, type Served, serve } from './served.ts'

const directory = temporaryDirectory()
const LOGIN = join(process.env['XDG_CONFIG_HOME'] ?? '', 'assay/service.json')

/** The command as a process of its own, with a standard input. */
function run(input: string, ...args: readonly string[]): Ran {
  const { ASSAY_SERVER, ASSAY_KEY, ...env } = process.env
  const [command = '', ...rest] = [process.execPath, ...assayCommand(), ...args]
  const child = spawnSync(command, rest, { input, env, encoding: 'utf8' })
  return { code: child.status ?? -1, out: child.stdout, err: child.stderr }
}

describe('commands that ask a running service', () => {
  let service: Served
  let url: string
  let key: string
  before(async () => {
    const file = offline(directory, 'name_length')
    const config = {
      ...JSON.parse(readFileSync(file, 'utf8')),
      downloads: { enabled: false },
      green_hosting: { enabled: false },
      data: './data',
    }
    writeFileSync(file, JSON.stringify(config))
    service = serve(['--config', file, '--port', '0'])
    url = await service.url
    key = firstKey(service) ?? ''
  })
  after(async () => {
    service.signal('SIGKILL')
    await service.ended
  })

  const asked = (...args: readonly string[]) => assay(...args, '--server', url, '--key', key)
  const json = async (...args: readonly string[]) => {
    const { code, out, err } = await asked(...args)
    assert.deepEqual([code, err], [0, ''])
    return JSON.parse(out)
  }

  it('check a name, and its result is in the history of the service', async () => {
    const { domain, result_id } = await json('check', 'one.example.com', '--json')
    assert.equal(domain, 'one.example.com')
    const { target, results, first_seen_at } = await json('history', 'one.example.com', '--json')
    assert.deepEqual([target, results.map((entry: { result_id: string }) => entry.result_id)], [domain, [result_id]])
    assert.equal(first_seen_at, results[0].checked_at)
    assert.equal((await json('result', result_id, '--json')).result_id, result_id)
  })

  it('print the report of a result in the words of the shipped plugins', async () => {
    const { code, out } = await asked('check', 'one.example.com')
    assert.equal(code, 0)
    assert.match(out, /^one\.example\.com: (?:allow|review|block)\n/)
  })

  it('take a cached result, and another with --fresh', async () => {
    const ids = [
      await json('check', 'fresh.example.com', '-j'),
      await json('check', 'fresh.example.com', '-j'),
      await json('check', 'fresh.example.com', '-j', '--fresh'),
    ].map(({ result_id }) => result_id)
    assert.deepEqual([ids[1] === ids[0], ids[2] === ids[0]], [true, false])
    const { code, out } = await asked('diff', ids[0], ids[2])
    assert.deepEqual([code, /^fresh\.example\.com: /.test(out)], [0, true])
  })

  it('check a list, and continue it where it ended', async () => {
    const [input, output] = [join(directory, 'names.txt'), join(directory, 'results.ndjson')]
    writeFileSync(input, 'a.example.com\nb.example.com\n127.0.0.1\nno name\n')
    const again = () => asked('check', '--input', input, '--output', output, '--quiet')
    const { code, err } = await again()
    assert.deepEqual([code, /2 lines are not valid targets/.test(err)], [65, true])
    const records = readFileSync(output, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
      .sort((one, other) => one.line - other.line)
    assert.deepEqual(
      records.map(record => record.error?.code ?? record.domain),
      ['a.example.com', 'b.example.com', 'target-not-public', 'invalid-domain'],
    )
    assert.match((await again()).err, /4 done before/)
  })

  it('give the service a job, and print what it found', async () => {
    const { id, total } = await json('jobs', 'add', 'one.example.com', 'two.example.com', '--json')
    assert.equal(total, 2)
    let job = await json('jobs', 'show', id, '--json')
    while (job.status === 'queued' || job.status === 'running') job = await json('jobs', 'show', id, '--json')
    const { out } = await asked('jobs', 'results', id)
    const lines = out.trimEnd().split('\n')
    assert.deepEqual(lines.map(line => JSON.parse(line).domain).sort(), ['one.example.com', 'two.example.com'])
    assert.match((await asked('jobs', 'list')).out, new RegExp(`^${id} .* 2 of 2 `, 'm'))
    assert.equal((await asked('jobs', 'remove', id)).out, `Job ${id} is removed.\n`)
    assert.equal((await asked('jobs', 'show', id)).code, 64)
  })

  it('add, list and remove watches of the account', async () => {
    const added = await json('watch', 'add', 'one.example.com', '--notify', 'https://hooks.example.com/x', '--json')
    assert.match(added.secret, /^whsec_/)
    assert.match((await asked('watch', 'list')).out, new RegExp(`^${added.watch_id}  one\\.example\\.com  every 6h`))
    assert.equal((await asked('watch', 'deliveries', added.watch_id)).out, 'No deliveries.\n')
    assert.equal((await asked('watch', 'remove', added.watch_id)).code, 0)
    assert.equal((await asked('watch', 'list')).out, 'No watches.\n')
  })

  it('show what the account has used', async () => {
    const [account] = await json('keys', 'usage', '--json')
    const { accounts } = await json('keys', 'usage', '--by', 'day', '--json')
    assert.deepEqual([account.plan, account.account], ['startup', accounts[0].account])
    assert.equal(accounts[0].total, account.used)
  })

  for (const [title, args, code, text] of [
    [
      'a section that the service does not have',
      ['check', 'a.example.com', '--section', 'name_lenght'],
      64,
      /name_length/,
    ],
    ['a target that it refuses', ['check', '127.0.0.1'], 64, /not globally reachable.*target-not-public/],
    ['a result that it does not keep', ['result', 'Z443GSEZ-uCVpbXX0RxRuw'], 64, /result-not-found/],
    [
      'a configuration beside it',
      ['check', 'a.example.com', '--config', 'x.json'],
      64,
      /--config cannot be used with --server/,
    ],
    [
      'a recording beside it',
      ['check', 'a.example.com', '--record', 'x.json'],
      64,
      /--record cannot be used with --server/,
    ],
    ['--local beside it', ['check', 'a.example.com', '--local'], 64, /--local cannot be used with --server/],
    ['the account of another', ['keys', 'usage', 'acc_1'], 64, /your own account/],
  ] as const) {
    it(`say what is wrong with ${title}`, async () => {
      const ran = await asked(...args)
      assert.equal(ran.code, code)
      assert.match(ran.err, text)
    })
  }

  for (const [title, args, code, text] of [
    ['a key that is not valid', ['--server', 'URL', '--key', 'assay_wrong'], 77, /unknown, revoked or expired/],
    ['no key', ['--server', 'URL'], 64, /no key for http.*assay login/],
    ['a key alone', ['--key', 'assay_wrong'], 64, /--key requires --server/],
    ['no URL', ['--server', 'assay.example.com', '--key', 'k'], 64, /is not the URL of a service/],
    ['a password in the URL', ['--server', 'https://a:b@assay.example.com', '--key', 'k'], 64, /no user information/],
    ['a service that does not answer', ['--server', 'http://127.0.0.1:9', '--key', 'k'], 69, /does not answer/],
  ] as const) {
    it(`say what is wrong with ${title}`, async () => {
      const { code: ended, err } = await assay(
        'check',
        'a.example.com',
        ...args.map(one => (one === 'URL' ? url : one)),
      )
      assert.equal(ended, code)
      assert.match(err, text)
    })
  }

  it('need no server after a login, whose key only its owner can read', async () => {
    assert.deepEqual((await assay('logout')).out, 'There was no login.\n')
    assert.equal(run('assay_wrong_key\n', 'login', url).code, 77)
    assert.equal(existsSync(LOGIN), false)
    const { code, out } = run(`${key}\n`, 'login', url)
    assert.deepEqual([code, out.includes(key)], [0, false])
    assert.equal(statSync(LOGIN).mode & 0o777, 0o600)
    assert.match((await assay('history')).out, / one\.example\.com\n/)
    assert.equal((await assay('history', '--local', '--data', join(directory, 'none'))).code, 64)
    chmodSync(LOGIN, 0o644)
    assert.match((await assay('history')).err, /can be read by other users; run `chmod 600/)
    chmodSync(LOGIN, 0o600)
    assert.equal((await assay('logout')).code, 0)
    assert.equal(existsSync(LOGIN), false)
  })
})

describe('commands without a store', () => {
  for (const args of [
    ['history'],
    ['result', 'Z443GSEZ-uCVpbXX0RxRuw'],
    ['shares', 'list'],
    ['watch', 'list'],
    ['keys', 'list'],
    ['keys', 'usage'],
    ['keys', 'revoke', 'key_x'],
  ]) {
    it(`do not make one: ${args.join(' ')}`, async () => {
      const data = join(directory, 'nothing here')
      const { code, err } = await assay(...args, '--data', data)
      assert.equal(code, 64)
      assert.match(err, /There is no store in .*nothing here\. --data or ASSAY_DATA .* --server/)
      assert.equal(existsSync(data), false)
    })
  }
})
