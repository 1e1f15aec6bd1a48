import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { packageRoot, version } from '../../src/base/package_root.ts'
import { invocation } from '../../src/cli/invocation.ts'
import { run } from '../../src/cli/program.ts'
import { assay } from './assay.ts'

describe('assay --help', () => {
  for (const command of [[], ['check'], ['keys', 'create']]) {
    it(`explains \`${['assay', ...command].join(' ')}\``, async () => {
      const { code, out, err } = await assay(...command, '--help')
      assert.deepEqual([code, err], [0, ''])
      assert.ok(out.startsWith(`Usage: ${['npx', 'assay', ...command].join(' ')} `), out)
    })
  }

  it('equals the output of `assay help` for a command', async () => {
    for (const command of ['check', 'keys']) {
      assert.deepEqual(await assay('help', command), await assay(command, '--help'))
    }
  })

  it('has examples that can be pasted where the command was called', async () => {
    for (const command of ['check', 'diff', 'worker']) {
      const { out } = await assay(command, '--help')
      const examples = /\nExamples:\n(.*?)\n\n/s.exec(out)?.[1]?.split('\n') ?? []
      assert.ok(examples.length > 1, out)
      for (const example of examples) assert.match(example, /^ {2}(?:\S+ \| )?npx assay \w/)
    }
  })

  const called: readonly (readonly [script: string, directory: string, hint: string])[] = [
    ['/usr/local/bin/assay', '/root', 'assay'],
    ['/srv/project/node_modules/.bin/assay', '/srv/project/deep', 'npx assay'],
    ['/root/.npm/_npx/60c5fd911bd51a49/node_modules/.bin/assay', '/srv/project', 'npx assay'],
    ['/srv/project/node_modules/assay/dist/src/cli/main.js', '/srv/project', 'npx assay'],
    [
      '/srv/project/node_modules/assay/dist/src/cli/main.js',
      '/',
      'node /srv/project/node_modules/assay/dist/src/cli/main.js',
    ],
    [join(packageRoot, 'dist/src/cli/main.js'), packageRoot, 'npx assay'],
    [join(packageRoot, 'dist/src/cli/main.js'), '/', `node ${join(packageRoot, 'dist/src/cli/main.js')}`],
    [join(packageRoot, 'src/cli/main.ts'), '/', 'npx assay'],
  ]
  for (const [script, directory, hint] of called)
    it(`prints hints with \`${hint.replace(packageRoot, '…')}\` where Node runs ${script.replace(packageRoot, '…')} in ${directory.replace(packageRoot, '…')}`, () =>
      assert.equal(invocation(script, directory), hint))

  it('lists the exit codes on a page of their own', async () => {
    const { code, out, err } = await assay('help', 'exit-codes')
    assert.deepEqual([code, err], [0, ''])
    for (const number of [0, 1, 64, 65, 69, 70, 73, 75, 78, 141])
      assert.match(out, new RegExp(`^ {2}${number} +\\w`, 'm'))
    for (const command of [[], ['check'], ['serve']]) {
      assert.doesNotMatch((await assay(...command, '--help')).out, /^ {2}78 /m)
    }
  })
})

describe('assay', () => {
  it('says on a terminal what to do first', async () => {
    let out = ''
    const write = (text: string) => {
      out += text
    }
    assert.equal(await run([], { out: write, err: write, columns: 80 }), 0)
    assert.deepEqual(
      [...out.matchAll(/^ {2}npx assay (\S+)/gm)].map(([, command]) => command),
      ['check', 'init', 'serve', 'help'],
    )
  })

  it('refuses a missing command without a terminal, and prints its help', async () => {
    const { code, out, err } = await assay()
    assert.deepEqual([code, out], [64, ''])
    assert.match(err, /^Usage: npx assay /)
  })

  it('prints its version', async () => {
    assert.deepEqual(await assay('--version'), { code: 0, out: `${version}\n`, err: '' })
  })

  for (const [title, args, message] of [
    ['knows the command that was meant', ['serv'], /Did you mean serve\?/],
    ['knows the option that was meant', ['check', '--jsn', 'example.com'], /Did you mean --json\?/],
    ['says what an option lacks', ['keys', 'create'], /^assay: --plan is missing \(plans: startup, business\)$/m],
    [
      'says how a queue may be called',
      ['worker', '--queue', 'a:b'],
      /'a:b' is invalid\. It must not be empty or contain a colon\./,
    ],
    ['says that a queue is called something', ['check', '--input', 'x', '--queue', ''], /It must not be empty/],
    ['says which file has no name', ['check', 'x', '--record', ''], /^assay: --record has an empty name$/m],
    ['says which directory has no name', ['datasets', '--data', '', 'refresh'], /^assay: --data has an empty name$/m],
    ['says which choices there are', ['check', 'x', '--fail-on', 'bad'], /Allowed choices are suspicious, malicious/],
  ] as const) {
    it(`${title} and exits with 64`, async () => {
      const { code, out, err } = await assay(...args)
      assert.deepEqual([code, out], [64, ''])
      assert.match(err, message)
    })
  }
})
