// What a newcomer runs first, as npm runs it: the service and the demo begin, answer, and end with npm.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { withoutBuild } from '../assay.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const children = new Set<ChildProcess>()

interface Run {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Resolves with what the pattern captures of what it writes; rejects when it ends without. */
  says(pattern: RegExp): Promise<string>
}

/** In a process group of its own, as a shell starts a job. */
function npm(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn('npm', args, { cwd: ROOT, env: { ...process.env, ...env }, detached: true, stdio: [...stdio] })
  children.add(child)
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', chunk => {
      text[name] += chunk
    })
  let isOver = false
  const ended = once(child, 'close').then(([code, signal]) => {
    isOver = true
    return (code ?? signal) as number | NodeJS.Signals
  })
  return {
    child,
    out: () => text.stdout,
    err: () => text.stderr,
    ended,
    async says(pattern) {
      for (;;) {
        const found = pattern.exec(text.stderr + text.stdout)
        if (found) return found[1] ?? found[0]
        if (isOver) throw new Error(`ended without: ${text.stderr}`)
        await pause(20)
      }
    },
  }
}

const isUp = (url: string) =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )

describe('npm', { timeout: 300_000 }, () => {
  const directory = temporaryDirectory()
  after(() => {
    for (const { pid } of children) {
      try {
        process.kill(-(pid ?? 0), 'SIGKILL')
      } catch {
        // Has ended.
      }
    }
  })

  const settings = {
    server: { port: 0, drain_delay_ms: 0 },
    downloads: { enabled: false },
    green_hosting: { enabled: false },
    network: { resolvers: ['127.0.0.1:9'] },
  }
  const ways: readonly (readonly [what: string, signal: NodeJS.Signals, toGroup: boolean])[] = [
    ['SIGTERM, which only npm is sent', 'SIGTERM', false],
    ['Ctrl-C, which the terminal sends to all of them and npm passes on', 'SIGINT', true],
  ]
  for (const [what, signal, toGroup] of ways) {
    it(`start shuts the service down cleanly on ${what}`, { skip: withoutBuild }, async () => {
      const config = join(directory, `${signal}.json`)
      writeFileSync(config, JSON.stringify(settings))
      const run = npm(['start'], { ASSAY_CONFIG: config, ASSAY_DATA: join(directory, signal) })
      const url = await run.says(/^assay listens on (\S+)$/m)
      assert.equal(await isUp(url), true)
      process.kill((toGroup ? -1 : 1) * (run.child.pid ?? 0), signal)
      assert.equal(await run.ended, 0)
      assert.deepEqual(run.out().match(/"draining":"\w+"/g), [`"draining":"${signal}"`])
      assert.equal(await isUp(url), false)
    })
  }

  it('run demo prints a request for one of its hosts, which is safe, and ends on SIGTERM', async () => {
    const run = npm(['run', 'demo', '--', '--port', '0'])
    const [, url, host] = /(http:\S+)\/#(\S+)/.exec(await run.says(/http:\S+\/#\S+\n/)) ?? []
    await run.says(/^Names, addresses and links to check in the demo:$/m)
    assert.ok(run.err().includes(`\n  ${host}\n`), 'the host is among those that the demo names')
    const [, key, asked] = /-H 'X-API-Key: (\w+)' '([^']+)'/.exec(run.err()) ?? []
    assert.equal(asked, `${url}/api/v1/check?domain=${host}`)
    const response = await fetch(asked ?? '', { headers: { 'X-API-Key': key ?? '' } })
    const { domain, verdict, signals } = (await response.json()) as Record<string, unknown>
    assert.deepEqual([response.status, domain, verdict, signals], [200, host, 'safe', []])
    run.child.kill('SIGTERM')
    assert.equal(await run.ended, 0)
    assert.equal(await isUp(url ?? ''), false)
  })

  it('run demo says in one sentence that its port is in use, and exits with 69', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const run = npm(['run', '-s', 'demo', '--', '--port', `${port}`])
    assert.equal(await run.ended, 69)
    server.close()
    assert.equal(
      run.err().replace(/^npm warn .*\n/gm, ''),
      `assay: Cannot listen on 127.0.0.1 port ${port}: another process uses that port. Choose another with --port and --host, or \`server\` in the configuration.\n`,
    )
    assert.match(run.out(), /^\{[^\n]*"store":"new"[^\n]*\}\n$/)
  })
})
