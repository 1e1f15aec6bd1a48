// Every command of the documentation runs as it is written, and prints what the page shows.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { testProgram } from '../assay.ts'
import { without } from '../needs.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { type Block, blocksOf, exitsOf, reasonOf, savedAs } from './blocks.ts'
import { documents, ROOT, read } from './documents.ts'
import type { Ready } from './reader.ts'
import { differences, missingLines } from './shapes.ts'

/** Blocks that other tests run. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'plugins/README.md': 'test/plugins/guide.large.test.ts',
}

/** Where the service of the documentation listens. */
const WRITTEN = '127.0.0.1:8080'

/** A page whose commands take this long hangs. */
const HANGS_MS = 300_000

const isRun = (block: Block): boolean => block.language === 'sh' && block.note !== 'test' && reasonOf(block) === null

const written = documents
  .filter(file => !(file in ELSEWHERE))
  .map(file => ({ file, blocks: blocksOf(read(file)) }))
  .filter(({ blocks }) => blocks.some(isRun))

describe('the commands of the documentation', { skip: without('bash', 'curl', 'jq') }, () => {
  const directory = temporaryDirectory()
  let reader: ChildProcess
  let ready: Ready
  before(async () => {
    mkdirSync(join(directory, 'bin'))
    for (const name of ['npx', 'assay']) {
      const file = join(directory, 'bin', name)
      const client = join(ROOT, 'test/docs/assay_client.mjs')
      writeFileSync(file, `#!/bin/sh\nREADER_COMMAND=${name} exec '${process.execPath}' '${client}' "$@"\n`)
      chmodSync(file, 0o755)
    }
    const program = testProgram(join(ROOT, 'test/docs/reader.ts'))
    reader = spawn(process.execPath, [...program, directory], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const ended = once(reader, 'exit').then(() => assert.fail('the reader ended'))
    const [message] = await Promise.race([once(reader, 'message'), ended])
    ready = message as Ready
  })
  after(async () => {
    const ended = once(reader, 'exit')
    reader.disconnect()
    await ended
  })

  for (const { file, blocks } of written) {
    it(`run in the order of ${file}`, () => {
      const at = temporaryDirectory()
      for (const folder of ['test', 'schemas', 'deploy', 'src']) symlinkSync(join(ROOT, folder), join(at, folder))
      for (const block of blocks) {
        const name = savedAs(block)
        if (name === null) continue
        mkdirSync(dirname(join(at, name)), { recursive: true })
        writeFileSync(join(at, name), block.code.replaceAll(WRITTEN, ready.url.slice('http://'.length)))
      }
      const ran = blocks.filter(isRun)
      writeFileSync(join(at, 'page.sh'), scriptOf(ran, ready.url))
      const { status, stderr } = spawnSync('bash', ['page.sh'], {
        cwd: at,
        encoding: 'utf8',
        timeout: HANGS_MS,
        env: {
          ...process.env,
          PATH: `${join(directory, 'bin')}:${process.env['PATH']}`,
          READER_SOCKET: join(directory, 'assay.socket'),
          ASSAY_KEY: ready.key,
          ASSAY_URL: ready.url,
          HOME: at,
          NO_COLOR: '1',
        },
      })
      assert.equal(stderr, '')
      for (const [i, block] of ran.entries()) {
        const said = (stream: string) => readFileSync(join(at, `.${i}.${stream}`), 'utf8')
        const where = `${file}:${block.line}`
        // A block that fails ends the shell.
        const code = existsSync(join(at, `.${i}.code`)) ? Number(said('code')) : status
        assert.ok(exitsOf(block).includes(code ?? -1), `${where} ended with ${code}: ${said('err')}${said('out')}`)
        if (block.output !== null) assert.deepEqual(unlike(block.output, said('out') + said('err')), [], where)
      }
    })
  }
})

/** Says which command of a block failed. */
const FAILED = `trap 'echo "failed: $BASH_COMMAND" >&2' ERR`

/** Every block in the same shell, so that variables stay, with its output and its exit code in files. */
function scriptOf(blocks: readonly Block[], url: string): string {
  const parts = blocks.map((block, i) => {
    const code = block.code.replaceAll(`http://${WRITTEN}`, url)
    const strict = exitsOf(block).every(one => one === 0)
    return strict
      ? `{\n${code}} > .${i}.out 2> .${i}.err < /dev/null; echo 0 > .${i}.code`
      : `set +e\n{\n${code}} > .${i}.out 2> .${i}.err < /dev/null; echo $? > .${i}.code\nset -e`
  })
  return ['set -Eeo pipefail', FAILED, ...parts].join('\n')
}

/** Where the printed text differs from what the page shows. */
function unlike({ language, code }: Block, printed: string): readonly string[] {
  if (language === 'text') return missingLines(code, printed)
  const values = (text: string) =>
    language === 'json'
      ? [JSON.parse(text)]
      : text
          .trim()
          .split('\n')
          .map(one => JSON.parse(one))
  return differences(values(code), values(printed))
}
