// Completion scripts and the manual page, both made from the commands.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { before, describe, it } from 'node:test'
import { completionScript, SHELLS } from '../../src/cli/completion.ts'
import { type DescribedCommand, describeCommand, withCommands } from '../../src/cli/described.ts'
import { manualPage } from '../../src/cli/manual_page.ts'
import { completeProgram } from '../../src/cli/program.ts'
import { without } from '../needs.ts'
import { assay } from './assay.ts'

let program: DescribedCommand
before(async () => {
  program = describeCommand(await completeProgram())
})

describe('assay login --help', () => {
  it('names the commands that can ask a running service, and no other', async () => {
    const { out } = await assay('login', '--help')
    const [, list = ''] = /Later commands \(([^)]*)\)/.exec(out.replace(/\s+/g, ' ')) ?? []
    const asking = withCommands(program).filter(({ options }) => options.some(({ long }) => long === '--server'))
    const commands = new Set(asking.map(({ path: [command] }) => command))
    const named = list.split(', ').map(name => name.split(' ')[0])
    assert.deepEqual(named.toSorted(), [...commands].toSorted())
  })
})

describe('assay completion', () => {
  for (const shell of SHELLS) {
    it(`prints the script for ${shell}, with every command and option`, async () => {
      const { code, out, err } = await assay('completion', shell)
      assert.deepEqual([code, err, out], [0, '', completionScript(shell, program)])
      for (const { path, options } of withCommands(program)) {
        assert.ok(out.includes(path.join(' ')), path.join(' '))
        for (const { long } of options) assert.ok(out.includes(shell === 'fish' ? `-l ${long.slice(2)} ` : long), long)
      }
    })
  }

  const typed: readonly (readonly [words: string, offered: string])[] = [
    ['ch', 'check'],
    ['check --fo', '--format'],
    ['check --format ', 'report brief table json ndjson csv sarif stix misp html'],
    ['check a.com -f s', 'sarif stix'],
    ['check --format = ta', 'table'],
    ['check --input ', ''],
    ['check --concurrency ', ''],
    ['keys ', 'create list usage plan rotate revoke'],
    ['watch ', 'add silence list remove test deliveries replay'],
    ['keys create --pl', '--plan'],
    ['completion ', 'bash zsh fish'],
    ['help ex', 'explain exit-codes'],
  ]
  it('offers in bash what may come next', { skip: without('bash') }, () => {
    const script = [
      completionScript('bash', program),
      // Outside of a completion it is refused.
      'compopt() { :; }',
      ...typed.map(
        ([words]) =>
          `COMP_WORDS=(assay ${words.endsWith(' ') ? `${words}''` : words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _assay; echo "\${COMPREPLY[*]}"`,
      ),
    ].join('\n')
    const offered = execFileSync('bash', ['--norc', '-euo', 'pipefail', '-c', `${script}\n`], { encoding: 'utf8' })
    assert.deepEqual(
      offered.split('\n').slice(0, -1),
      typed.map(([, words]) => words),
    )
  })

  it('names the shells that it knows', async () => {
    const { code, err } = await assay('completion', 'tcsh')
    assert.equal(code, 64)
    assert.match(err, /Allowed choices are bash, zsh, fish/)
  })
})

describe('the manual page', () => {
  it('has every command, option, variable and exit code', () => {
    const page = manualPage(program, new Date(0))
    assert.match(page, /^\.Dd January 1, 1970\n\.Dt ASSAY 1\n\.Os\n/)
    for (const { path, options } of withCommands(program)) {
      if (path.length > 0) assert.ok(page.includes(`\n.Ss ${path.join(' ')}\n`), path.join(' '))
      for (const { long } of options) assert.match(page, new RegExp(`^\\.It Fl (?:\\w , )?${long.slice(1)}\\b`, 'm'))
    }
    assert.match(page, /^\.It Ev ASSAY_CONFIG$/m)
    assert.match(page, /^\.It Sy 78$/m)
  })

  it('has no line that a formatter takes for a request', () => {
    const requests = new Set(manualPage(program, new Date(0)).match(/^\.\S+/gm))
    const known = ['Ar', 'Bd', 'Bl', 'Cm', 'Dd', 'Dt', 'Ed', 'El', 'It', 'Nd', 'Nm', 'Op', 'Os', 'Pa', 'Pp', 'Sh', 'Ss']
    assert.deepEqual(
      [...requests].filter(one => !known.includes(one.slice(1))),
      [],
    )
  })
})
