// What no command runs: snippets are parsed, configurations are valid, and every option of `assay` that a page names exists.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { before, describe, it } from 'node:test'
import { transformSync } from 'esbuild'
import { parse } from 'yaml'
import { type DescribedCommand, describeCommand } from '../../src/cli/described.ts'
import { completeProgram } from '../../src/cli/program.ts'
import { readSettings } from '../../src/config/config.ts'
import { withoutComments } from '../../src/config/json_text.ts'
import { ConfigSchema } from '../../src/config/schema.ts'
import { without } from '../needs.ts'
import { type Block, blocksOf, reasonOf } from './blocks.ts'
import { documents, ROOT, read } from './documents.ts'

/** Why commands are not run, and how many blocks may say so. A new reason is a decision: most commands can run in the lab. */
const REASONS: Readonly<Record<string, number>> = {
  'installs packages': 5,
  'keeps running': 3,
  'has your own key': 1,
  'changes the repository': 2,
  'run by test/plugins/guide.large.test.ts': 1,
  'runs tests': 1,
  'takes a minute': 1,
  'needs Docker': 2,
  'needs Kubernetes': 1,
  'needs MISP': 1,
  'needs a TAXII server': 1,
  'needs PostgreSQL': 2,
  'needs labelled pages': 2,
  'needs lists of names': 1,
  'needs a clone of dnstwist': 1,
  'needs results of two days': 1,
}

const blocks = documents.flatMap(file => blocksOf(read(file)).map(block => ({ file, block })))

function shellFault(code: string): string | null {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' })
  return status === 0 ? null : stderr
}

/** A JSON text whose members are all settings is a configuration, whose files the reader has. */
function jsonFault(code: string, file: string): string | null {
  const value = JSON.parse(withoutComments(code)) as unknown
  const names = Object.keys(value as object)
  if (names.length === 0 || !names.every(name => name in ConfigSchema.properties)) return null
  // Some variables hold the URL of a source.
  const named = [...code.matchAll(/"\$env": "(\w+)"/g)].map(([, name = '']) => name)
  const variables = Object.fromEntries(named.map(name => [name, 'https://feeds.example.com/list']))
  const { faults } = readSettings(value, join(ROOT, dirname(file)), { variables })
  const found = faults.filter(({ message }) => !message.endsWith(': no such file'))
  return found.length === 0 ? null : found.map(({ path, message }) => `${path}: ${message}`).join('\n')
}

const parsed = (code: string, loader: 'js' | 'ts'): null => {
  transformSync(code, { loader, format: 'esm' })
  return null
}

function pythonFault(code: string): string | null {
  const { status, stderr } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
    input: code,
    encoding: 'utf8',
  })
  return status === 0 ? null : stderr
}

/** The parser of each language; a throw or a text is a fault. Null for what has none. */
const PARSERS: Readonly<Record<string, ((code: string, file: string) => string | null) | null>> = {
  sh: shellFault,
  json: jsonFault,
  ndjson: code =>
    code
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as unknown).length === 0
      ? 'empty'
      : null,
  js: code => parsed(code, 'js'),
  ts: code => parsed(code, 'ts'),
  python: pythonFault,
  yaml: code => (parse(code) === undefined ? 'empty' : null),
  // test/store/sql_results.test.ts runs them.
  sql: null,
  text: null,
  diagram: null,
}

/** The program that parses a language, beside Node. */
const INTERPRETERS: Readonly<Record<string, string>> = { sh: 'bash', python: 'python3' }

/** Languages whose parsers are part of other programs, with the number of blocks. */
const ELSEWHERE: Readonly<Record<string, number>> = { postfix: 1, nft: 1 }

interface Workflow {
  readonly steps?: readonly { readonly uses?: string; readonly with?: object }[]
}

const counted = (all: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...new Set(all)].map(one => [one, all.filter(other => other === one).length]))

describe('the snippets of the documentation', () => {
  it('are in known languages', () => {
    const others = blocks.filter(({ block }) => !(block.language in PARSERS))
    assert.deepEqual(counted(others.map(({ block }) => block.language)), ELSEWHERE)
  })

  it('are run, or say why not', () => {
    const reasons = blocks.flatMap(({ block }) => reasonOf(block) ?? [])
    assert.deepEqual(counted(reasons), REASONS)
  })

  for (const { file, block } of blocks) {
    const parser = PARSERS[block.language]
    if (parser == null) continue
    const program = INTERPRETERS[block.language]
    const skip = program !== undefined && without(program)
    it(`parse: ${file}:${block.line}, ${block.language}`, { skip }, () => assert.equal(parser(block.code, file), null))
  }
})

describe('the workflow for CI hosts', () => {
  it('gives the action only inputs that it has', () => {
    const { inputs } = parse(read('action.yml')) as { inputs: object }
    const workflows = blocks
      .filter(({ block }) => block.language === 'yaml')
      .map(({ block }) => parse(block.code) as Workflow)
    const given = workflows
      .flatMap(({ steps = [] }) => steps)
      .filter(({ uses = '' }) => uses.includes('/assay@'))
      .flatMap(step => Object.keys(step.with ?? {}))
    assert.ok(given.length > 0, 'a workflow uses the action')
    assert.deepEqual(
      given.filter(name => !(name in inputs)),
      [],
    )
  })
})

/** Commands of `assay` in a text, without what comes after a pipe, a quote that ends, or a comment. */
const callsIn = (text: string): readonly string[] =>
  [
    ...text
      .replaceAll('\\\n', ' ')
      .matchAll(/(?<![\w/.:-])(?:npx assay|assay|node \S+main\.js)((?: +(?:'[^']*'|"[^"]*"|[^\s|;&)`'"#>]+))+)/g),
  ].map(([, words = '']) => words.trim())

const inline = (markdown: string): readonly string[] =>
  [...markdown.replace(/^ *```.*?^ *```$/gms, '').matchAll(/`((?:npx )?assay [a-z][^`]*)`/g)].flatMap(([, code = '']) =>
    callsIn(code),
  )

/** What `assay` does not know of a call; null when it knows all. */
function unknownIn(call: string, program: DescribedCommand): string | null {
  const words = call.split(/ +/)
  if (words[0] === 'help') return null
  let command = program
  for (const word of words) {
    const next = command.commands.find(({ path }) => path.at(-1) === word)
    if (next === undefined) break
    command = next
  }
  if (command === program && !words[0]?.startsWith('-')) return `no command: ${call}`
  const unquoted = call.replaceAll(/'[^']*'|"[^"]*"/g, '').split(/ +/)
  const options = unquoted.flatMap(word => /^--?[a-z][a-z-]*/.exec(word) ?? [])
  const known = [program, command].flatMap(one => one.options.flatMap(({ short, long }) => [short, long]))
  const unknown = options.filter(option => !known.includes(option))
  return unknown.length === 0 ? null : `${unknown}: ${call}`
}

describe('the options of assay', () => {
  let program: DescribedCommand
  before(async () => {
    program = describeCommand(await completeProgram())
  })
  for (const file of documents) {
    it(`exist that ${file} names`, () => {
      const markdown = read(file)
      const shell = (block: Block) => (block.language === 'sh' ? callsIn(block.code) : [])
      const calls = [...blocksOf(markdown).flatMap(shell), ...inline(markdown)]
      assert.deepEqual(
        calls.flatMap(call => unknownIn(call, program) ?? []),
        [],
      )
    })
  }

  it('are found at all', () => {
    assert.equal(unknownIn('check example.com --jsn', program), '--jsn: check example.com --jsn')
    assert.equal(unknownIn('chek example.com', program), 'no command: chek example.com')
    assert.deepEqual(callsIn('jq . | npx assay keys create --plan "a b" > x # assay'), ['keys create --plan "a b"'])
  })
})
