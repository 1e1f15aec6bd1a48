import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { version } from '../../src/base/package_root.ts'
import { BUILT, withoutBuild } from '../assay.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>
  readonly man: string
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly files: readonly string[]
}

/** The command and both sides of every export, as paths; the manual page where the whole build has run. */
const promised = [
  ...(process.env[BUILT] === undefined ? [] : [manifest.man]),
  ...Object.values(manifest.bin),
  ...Object.values(manifest.exports).flatMap(sides => Object.values(sides)),
]

/** Puts into a directory what npm packs beside the build, except pages that patterns stand for. */
function pack(directory: string): void {
  const named = manifest.files.filter(path => path !== 'dist' && !/[!*]/.test(path))
  for (const path of ['package.json', ...named]) {
    cpSync(join(ROOT, path), join(directory, path), { recursive: true })
  }
}

/** The examples in the guide for authors of plugins. */
const examples = (language: string): string[] =>
  [...readFileSync(join(ROOT, 'plugins/README.md'), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ([, written, code = '']) => (written === language ? [code] : []),
  )

const strict = { target: 'es2023', lib: ['es2023'], module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true }

describe('the built package', { timeout: 300_000 }, () => {
  /** Below node_modules, so that it finds the dependencies, as another's project that has it installed. */
  let project: string
  let built: string
  before(async () => {
    mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true })
    project = mkdtempSync(join(ROOT, 'node_modules/.cache/assay-built-'))
    built = join(project, 'node_modules/assay')
    pack(built)
    const dist = join(built, 'dist')
    if (process.env[BUILT] !== undefined) return cpSync(join(ROOT, 'dist'), dist, { recursive: true })
    const options = ['--noCheck', '--singleThreaded', '--outDir', dist]
    await run(process.execPath, [TSC, '-p', join(ROOT, 'tsconfig.build.json'), ...options])
  })
  after(() => rmSync(project, { recursive: true, force: true }))

  it('has every file that package.json names', () => {
    assert.deepEqual(
      promised.filter(path => !existsSync(join(built, path))),
      [],
    )
  })

  it('contains every page that its pages link to', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT })
    const packed = [...stdout.matchAll(/"path": "([^"]+)"/g)].map(([, path]) => path ?? '')
    const pages = packed.filter(path => path.endsWith('.md') && !path.startsWith('dist/'))
    const links = pages.flatMap(page =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+\.(?:md|json|service))/g)].map(
        ([, to = '']) => `${page} → ${normalize(join(dirname(page), to))}`,
      ),
    )
    assert.ok(links.length > 10, `${links.length} links`)
    assert.deepEqual(
      links.filter(link => !packed.includes(link.split(' → ')[1] ?? '')),
      [],
    )
  })

  it('runs its command with all files that it reads from the package', async () => {
    const assay = (...args: readonly string[]) => run(process.execPath, [join(built, 'dist/src/cli/main.js'), ...args])
    assert.equal((await assay('--version')).stdout, `${version}\n`)
    await assert.rejects(assay('check', '10.0.0.1'), {
      code: 64,
      stderr: /10\.0\.0\.1: The target is not globally reachable: 10\.0\.0\.1 is a special address \(private use\)/,
    })
  })

  it('validates everything in a default check with the schemas that the build compiled', {
    skip: withoutBuild,
  }, async () => {
    const listing = join(project, 'list-ajv.cjs')
    writeFileSync(
      listing,
      "process.on('exit', () => console.error(Object.keys(require.cache).filter(file => /ajv.dist.core/.test(file)).length))",
    )
    const compilersIn = async (...args: readonly string[]) => {
      const main = join(ROOT, 'dist/src/cli/main.js')
      return (await run(process.execPath, ['--require', listing, main, ...args])).stderr
    }
    const recording = join(ROOT, 'test/golden/recordings/shop.json')
    assert.equal(await compilersIn('check', '--replay', recording), '0\n')
    const config = join(project, 'own-plugin.json')
    writeFileSync(config, JSON.stringify({ load: [join(ROOT, 'test/fixtures/plugins/name_length.js')] }))
    assert.equal(await compilersIn('plugins', '--config', config), '1\n')
  })

  it('works as a library for ES modules and CommonJS', async () => {
    const esm =
      "import { createEngine } from 'assay'; import { runPlugin } from 'assay/testing'; console.log(typeof createEngine, typeof runPlugin)"
    const cjs =
      "const { createEngine } = require('assay'); const { analyzer } = require('assay/plugin'); console.log(typeof createEngine, typeof analyzer); import('./a.mjs')"
    writeFileSync(join(project, 'a.mjs'), esm)
    writeFileSync(join(project, 'a.cjs'), cjs)
    const { stdout } = await run(process.execPath, [join(project, 'a.cjs')])
    assert.equal(stdout, 'function function\nfunction function\n')
  })

  it('is the peer of the plugin that it creates in TypeScript, which builds, passes its tests and can be published', async () => {
    const assay = join(built, 'dist/src/cli/main.js')
    await run(process.execPath, [assay, 'plugin', 'new', 'moon_phase', '--typescript', '--dir', project])
    const cwd = join(project, 'moon_phase')
    await run(process.execPath, [TSC, '-p', cwd, '--singleThreaded'])
    // A test runner that finds this variable would run nothing.
    const { NODE_TEST_CONTEXT, ...env } = process.env
    const tests = ['--test', '--test-reporter', 'tap', 'dist/index.test.js']
    assert.match((await run(process.execPath, tests, { cwd, env })).stdout, /^# pass 4\n# fail 0$/m)
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd })
    const packed = [...stdout.matchAll(/"path": "([^"]+)"/g)].map(([, path]) => path)
    assert.deepEqual(packed.sort(), ['README.md', 'dist/index.d.ts', 'dist/index.js', 'package.json'])
    const { peerDependencies } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as Record<string, unknown>
    assert.deepEqual(peerDependencies, { assay: `^${version}` })
  })

  it('type-checks the TypeScript of the plugin guide, including its own kind of evidence', async () => {
    const files = examples('ts').map((code, i) => {
      writeFileSync(join(project, `example-${i}.ts`), code)
      return `example-${i}.ts`
    })
    const wrong =
      "import type { EvidenceName } from 'assay/plugin'\nexport const names: EvidenceName[] = ['inventory', 'none']\n"
    writeFileSync(join(project, 'wrong.ts'), wrong)
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...strict, types: ['node'] }, files: [...files, 'wrong.ts'] }),
    )
    const found = await run(process.execPath, [TSC, '-p', project, '--singleThreaded', '--pretty', 'false']).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    )
    assert.deepEqual(
      [...found.matchAll(/^\S*?([\w-]+\.ts)\((\d+),.*?(TS\d+): (.*)$/gm)].map(([, file, line, , text]) => [
        file,
        line,
        text,
      ]),
      [['wrong.ts', '2', "Type '\"none\"' is not assignable to type 'keyof Evidence'."]],
    )
  })
})
