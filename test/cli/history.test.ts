// `assay history`, `assay result` and `assay diff` on kept results, beside a running service.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sampled } from '../sample.ts'
import { stores } from '../store/opened.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { assay } from './assay.ts'
import { offline } from './offline.ts'
import { firstKey, type Served, serve } from './served.ts'

const directory = temporaryDirectory()

function config(name: string, store: string | null): string {
  const settings = JSON.parse(readFileSync(offline(directory, 'name_length'), 'utf8'))
  const file = join(directory, name)
  const quiet = {
    network: { resolvers: ['127.0.0.1:9'] },
    downloads: { enabled: false },
    green_hosting: { enabled: false },
  }
  writeFileSync(file, JSON.stringify({ ...settings, ...quiet, store, data: `./${name}-data` }))
  return file
}

for (const { name, url } of sampled(stores, 1)) {
  describe(`kept results on the command line, ${name}`, () => {
    let service: Served
    let file: string
    const ids: string[] = []
    before(async () => {
      file = config(`${name}.json`, await url())
      service = serve(['--config', file, '--port', '0'])
      const at = await service.url
      const headers = { 'X-API-Key': firstKey(service) ?? '' }
      const check = async (query: string) => {
        const response = await fetch(`${at}/api/v1/check?${query}`, { headers })
        assert.equal(response.status, 200)
        const { result_id } = (await response.json()) as { result_id: string }
        ids.push(result_id)
        // Waits until the result is written.
        assert.equal((await fetch(`${at}/api/v1/results/${result_id}`, { headers })).status, 200)
      }
      await check('domain=one.example.com')
      await check('domain=one.example.com&fresh=true')
      await check('domain=two.example.com')
      await check('domain=bad.example.com')
    })
    after(async () => {
      service.signal('SIGKILL')
      await service.ended
    })

    it('are of two checks when the second is fresh', () => {
      assert.equal(new Set(ids).size, 4)
    })

    it('are listed for a target and for all', async () => {
      const { code, out } = await assay('history', 'one.example.com', '--config', file)
      assert.equal(code, 0)
      assert.equal(out.trimEnd().split('\n').length, 2)
      for (const id of ids.slice(0, 2)) assert.ok(out.includes(id), `${id} in ${out}`)
      const all = await assay('history', '--config', file)
      assert.match(all.out, /^\S+Z {2}[\w-]{22} {2} +\d+ {2}safe +\w+ +two\.example\.com/m)
      const { target, first_seen_at, results } = JSON.parse(
        (await assay('history', 'ONE.example.com', '-j', '--config', file)).out,
      )
      assert.deepEqual([target, typeof first_seen_at, results.length], ['one.example.com', 'string', 2])
      const counted = await assay('history', 'one.example.com', '--query', 'length(results)', '--config', file)
      assert.match(counted.out, /^[1-9]\d*\n$/)
      assert.equal((await assay('history', '--limit', '1', '--config', file)).out.trimEnd().split('\n').length, 1)
      assert.equal(
        (await assay('history', 'never.example.com', '--config', file)).out,
        'No kept results of never.example.com.\n',
      )
      assert.equal((await assay('history', '--account', 'acc_none', '--config', file)).out, 'No kept results.\n')
    })

    it('are found by what was seen', async () => {
      const { code, out } = await assay('search', '--signal', 'bad_name', '--config', file)
      assert.equal(code, 0)
      assert.match(out, /^\S+Z {2}[\w-]{22} .* bad\.example\.com.*\n$/)
      const json = await assay('search', '--signal', 'bad_name', '--query', 'results[].target', '--config', file)
      assert.deepEqual(JSON.parse(json.out), ['bad.example.com'])
      assert.equal((await assay('search', '--title', 'none', '--config', file)).out, 'No kept results.\n')
      const wrong = await assay('search', '--icon-hash', 'x', '--config', file)
      assert.deepEqual([wrong.code, wrong.err.startsWith('assay: --icon-hash must look like ')], [64, true])
      assert.equal((await assay('search', '--config', file)).code, 64)
    })

    it('are shown as a report and as JSON', async () => {
      const [first = ''] = ids
      const json = await assay('result', first, '--json', '--config', file)
      const { result_id, domain } = JSON.parse(json.out)
      assert.deepEqual([json.code, result_id, domain], [0, first, 'one.example.com'])
      const line = await assay('result', first, '--template', '{{domain}} {{result_id}}', '--config', file)
      assert.equal(line.out, `one.example.com ${first}\n`)
      const answer = await assay('result', first, '--query', '[domain, result_id]', '--config', file)
      assert.equal(answer.out, `["one.example.com","${first}"]\n`)
      const report = await assay('result', first, '--config', file)
      assert.equal(report.code, 0)
      assert.match(report.out, /one\.example\.com/)
    })

    it('are compared by their IDs, also with a file', async () => {
      const [one = '', two = ''] = ids
      const compared = await assay('diff', one, two, '--json', '--config', file)
      const { target, changes } = JSON.parse(compared.out)
      assert.deepEqual([compared.code, target, changes], [0, 'one.example.com', []])
      const saved = join(directory, 'saved.json')
      writeFileSync(saved, (await assay('result', one, '--json', '--config', file)).out)
      assert.deepEqual(JSON.parse((await assay('diff', saved, two, '--json', '--config', file)).out).changes, [])
    })

    it('are shared by links, which end one by one or with their account', async () => {
      const at = await service.url
      const headers = { 'X-API-Key': firstKey(service) ?? '' }
      const tokens: string[] = []
      for (const id of ids) {
        const made = await fetch(`${at}/api/v1/results/${id}/shares`, { method: 'POST', headers })
        tokens.push(((await made.json()) as { token: string }).token)
      }
      const listed = JSON.parse((await assay('shares', 'list', '--json', '--config', file)).out)
      assert.deepEqual(new Set(listed.map((one: { result_id: string }) => one.result_id)), new Set(ids))
      const [{ share_id, account }] = listed
      const lines = (await assay('shares', 'list', '--account', account, '--config', file)).out.trimEnd().split('\n')
      assert.match(lines[0] ?? '', /^share_[\w-]{12} {2}acc_\w+ {2}\S+Z {2}[\w-]{22} {2}(?:one|two|bad)\.example\.com$/)
      const one = await assay('shares', 'revoke', share_id, '--config', file)
      assert.deepEqual([one.code, one.out], [0, 'Links that ended: 1.\n'])
      const rest = await assay('shares', 'revoke', '--account', account, '--json', '--config', file)
      assert.deepEqual([rest.code, rest.out], [0, '{"revoked":3}\n'])
      assert.equal((await assay('shares', 'list', '--config', file)).out, 'No links.\n')
      for (const token of tokens) assert.equal((await fetch(`${at}/api/v1/shared/${token}`)).status, 404)
    })

    const refused: readonly (readonly [args: readonly string[], text: RegExp])[] = [
      [['shares', 'revoke'], /name a link, or an account with --account/],
      [['shares', 'revoke', 'share_AAAAAAAAAAAA'], /no such link/],
      [['shares', 'revoke', '--account', 'acc_none'], /no such link/],
      [['result', 'AAAAAAAAAAAAAAAAAAAAAA'], /no kept result has the ID AAAAAAAAAAAAAAAAAAAAAA/],
      [['result', 'short'], /no kept result has the ID short/],
      [['diff', 'AAAAAAAAAAAAAAAAAAAAAA', 'AAAAAAAAAAAAAAAAAAAAAA'], /no kept result has the ID/],
      [['history', 'no name at all'], /./],
      [['history', 'https://one.example.com/'], /results of URLs are not kept/],
      [['history', '--query', 'result'], /there is no field result; did you mean "results"/],
      [['result', 'short', '--query', 'domian'], /there is no field domian; did you mean "domain"/],
      [['history', '--limit', '0'], /--limit must be a number from 1 to 10000/],
    ]
    for (const [args, text] of refused) {
      it(`${args.join(' ')} is a usage error`, async () => {
        const { code, err } = await assay(...args, '--config', file)
        assert.equal(code, 64)
        assert.match(err, text)
      })
    }
  })
}

describe('a history that cannot be read', () => {
  it('is an error, never an empty list, and stays in its place', async () => {
    const data = temporaryDirectory()
    const path = join(data, 'assay.db')
    writeFileSync(path, 'no database at all'.repeat(500))
    const { code, err } = await assay('history', '--data', data)
    assert.equal(code, 69)
    assert.match(err, /assay\.db is damaged/)
    assert.equal(readFileSync(path).length, 9_000)
  })

  it('is a usage error where nothing was ever kept', async () => {
    const { code, err } = await assay('history', '--data', join(directory, 'nothing'))
    assert.deepEqual([code, /There is no store in .*nothing/.test(err)], [64, true])
  })
})
