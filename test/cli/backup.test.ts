// `assay backup` and `assay restore` as an operator runs them, beside a service and without one.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { assay } from './assay.ts'
import { offline } from './offline.ts'
import { firstKey, serve } from './served.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-backup-'))
after(() => rmSync(directory, { recursive: true, force: true }))
const at = (name: string) => join(directory, name)

describe('assay backup and assay restore', () => {
  it('move keys, counts and kept results to another directory while the service runs', async t => {
    const config = at('config.json')
    const settings = JSON.parse(readFileSync(offline(directory, 'name_length'), 'utf8'))
    writeFileSync(
      config,
      JSON.stringify({
        ...settings,
        server: { drain_delay_ms: 0 },
        network: { resolvers: ['127.0.0.1:9'] },
        downloads: { enabled: false },
      }),
    )
    const first = serve(['--config', config, '--data', at('data'), '--port', '0'])
    t.after(() => first.signal('SIGKILL'))
    const url = await first.url
    const headers = { 'X-API-Key': firstKey(first) ?? '' }
    const answer = await fetch(`${url}/api/v1/check?domain=kept.example.com`, { headers })
    assert.equal(answer.status, 200)
    const { result_id } = (await answer.json()) as { result_id: string }
    // Waits until the result is written.
    assert.equal((await fetch(`${url}/api/v1/results/${result_id}`, { headers })).status, 200)

    const made = await assay('backup', at('copy'), '--data', at('data'))
    assert.deepEqual([made.code, made.err], [0, ''])
    assert.match(made.out, /^Backup written to .*copy \(\d+ KiB\)\. Restore it with `npx assay restore .*copy`\.\n$/)
    const inUse = await assay('restore', at('copy'), '--data', at('data'))
    assert.deepEqual([inUse.code, /another process serves from/.test(inUse.err)], [69, true])
    first.signal('SIGTERM')
    await first.ended

    const restored = await assay('restore', at('copy'), '--data', at('restored'))
    assert.deepEqual([restored.code, restored.err], [0, ''])
    const second = serve(['--config', config, '--data', at('restored'), '--port', '0'])
    t.after(() => second.signal('SIGKILL'))
    const again = await fetch(`${await second.url}/api/v1/results/${result_id}`, { headers })
    assert.equal(again.status, 200)
    const { out } = await assay('keys', 'list', '--json', '--data', at('restored'))
    assert.deepEqual(
      (JSON.parse(out) as { used: number }[]).map(({ used }) => used),
      [1],
    )
    second.signal('SIGTERM')
    await second.ended
  })

  it('print path and size as JSON', async () => {
    await assay('keys', 'create', '--plan', 'startup', '--data', at('own'))
    const made = await assay('backup', at('own-copy'), '--data', at('own'), '--json')
    const { size } = statSync(at('own-copy'))
    assert.deepEqual([made.code, JSON.parse(made.out)], [0, { path: at('own-copy'), bytes: size }])
    const restored = await assay('restore', at('own-copy'), '--data', at('own-restored'), '--json')
    const path = join(at('own-restored'), 'assay.db')
    assert.deepEqual([restored.code, JSON.parse(restored.out)], [0, { path, bytes: statSync(path).size }])
  })

  const refused: readonly (readonly [args: readonly string[], code: number, text: RegExp])[] = [
    [['backup', at('none-copy'), '--data', at('none')], 69, /has no store: there is no assay\.db/],
    [['backup', directory, '--data', at('own')], 69, /it exists already/],
    [['backup', '', '--data', at('own')], 64, /empty name/],
    [['restore', at('own-copy'), '--data', at('own')], 69, /assay\.db exists: restore to an empty directory/],
    [['restore', at('nowhere'), '--data', at('other')], 69, /is not a backup: there is no such file/],
  ]
  for (const [args, code, text] of refused) {
    it(`refuse with ${code}: ${text.source}`, async () => {
      const ran = await assay(...args)
      assert.deepEqual([ran.code, ran.out], [code, ''])
      assert.match(ran.err, text)
    })
  }

  for (const command of ['backup', 'restore']) {
    it(`name the means of PostgreSQL when it is the store: ${command}`, async t => {
      process.env['ASSAY_STORE'] = 'postgres://127.0.0.1:1/assay'
      t.after(() => {
        delete process.env['ASSAY_STORE']
      })
      const { code, err } = await assay(command, at('other'), '--data', at('own'))
      assert.equal(code, 64)
      assert.match(err, /The store is PostgreSQL, which must be .* with its own means: `pg_dump --format=custom`/)
    })
  }
})
