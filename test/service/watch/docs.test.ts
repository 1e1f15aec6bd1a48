// The receivers of docs/watch.md work.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { newSecret, signatureHeaders } from '../../../src/service/watch/signature.ts'
import { without } from '../../needs.ts'
import { eventually } from '../api/service.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const page = readFileSync(resolve(ROOT, 'docs/watch.md'), 'utf8')
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? assert.fail(`no ${language} in the page`)

const event = { type: 'watch.changed', data: { target: 'shop.example', changes: [{ message: 'Now listed by A' }] } }
const body = JSON.stringify(event)
const secret = newSecret()
const signed = (id: string) => signatureHeaders(secret, { id, now: Date.now(), body })

describe('the receiver for Node', () => {
  it('handles an event once, and refuses what is not signed', async t => {
    // It prints its port, which nobody knows otherwise.
    const program = block('js').replace(
      /\.listen\(.*\)/,
      `.listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port) })`,
    )
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      env: { ...process.env, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      out += text
    })
    await eventually(() => /port \d+\n/.test(out))
    const url = `http://127.0.0.1:${/port (\d+)/.exec(out)?.[1]}/`
    const post = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(url, { method: 'POST', body, headers: { ...headers } })).status
    const statuses = [await post(signed('msg_1')), await post(signed('msg_1')), await post(signed('msg_2'))]
    const forged = { ...signed('msg_3'), 'webhook-signature': 'v1,AAAA' }
    assert.deepEqual([...statuses, await post(forged), await post({})], [204, 204, 204, 400, 400])
    await eventually(() => out.match(/Now listed/g)?.length === 2)
    assert.match(out, /^watch\.changed shop\.example: Now listed by A$/m)
  })
})

describe('the receiver for Python', { skip: without('python3') }, () => {
  const check = `
import json, sys
secret, headers, body = json.load(sys.stdin)
body = body.encode()
print([verify(secret, headers, body), verify(secret, headers, body + b" "), verify(secret, {**headers, "webhook-timestamp": "1"}, body)])
`
  it('verifies the signature and the time', () => {
    const { stdout, stderr } = spawnSync('python3', ['-c', block('python') + check], {
      input: JSON.stringify([secret, signed('msg_1'), body]),
      encoding: 'utf8',
    })
    assert.equal(stdout, '[True, False, False]\n', stderr)
  })
})
