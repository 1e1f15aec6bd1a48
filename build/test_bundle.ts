// Makes the JavaScript that `npm test` runs: the tests, what they test and the programs they start in a few files. As
// modules of their own, transformed while they are loaded, they cost each process of the suite some three seconds.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { packageRoot } from '../src/base/package_root.ts'

/** Below `node_modules`: no part of the package, and seen by no other tool. */
const OUT = 'node_modules/.cache/assay-tests'
/** What tests start by `testProgram`. */
const PROGRAMS = [
  'src/testing/demo/main.ts',
  'lab/training/main.ts',
  'test/docs/reader.ts',
  'test/evidence/hostile/program.ts',
  'test/faults/main.ts',
  'test/faults/service_process.ts',
  'test/fuzz/main.ts',
  'test/store/million_results.ts',
  'test/store/counting_process.ts',
  'test/results/bulk/distributed_process.ts',
  'test/service/jobs/work_process.ts',
]

/** The bundle has a fast-check of its own, which only a module in it can configure. */
const PROPERTIES =
  "export const configureProperties = async given => (await import('fast-check')).configureGlobal(given)"

/** Dependencies with files of their own beside their code. */
const EXTERNAL = ['autocannon', 'axe-core', 'esbuild', 'playwright-core']

/** Modules keep the path of their source, beside which they find their data. */
const ownPaths: Plugin = {
  name: 'own paths',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      // This one tells whether the code is built.
      if (relative(packageRoot, path) === 'src/base/package_root.ts' || path.includes('/node_modules/'))
        return undefined
      const own = { dirname: join(path, '..'), filename: path, url: pathToFileURL(path).href }
      const contents = readFileSync(path, 'utf8').replaceAll(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name) =>
        JSON.stringify(own[name as keyof typeof own]),
      )
      return { contents, loader: 'ts' }
    })
  },
}

/** Packages that are not bundled are loaded by the first module that needs them: imports of a file all run before it. */
const lazily = (packages: readonly string[]): Plugin => ({
  name: 'lazily loaded packages',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[@\w]/ }, ({ path, namespace }) => {
      if (!packages.some(name => path === name || path.startsWith(`${name}/`))) return undefined
      return namespace === 'lazy' ? { path, external: true } : { path, namespace: 'lazy' }
    })
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
})

export async function bundleTests(external: readonly string[], plugins: readonly Plugin[]): Promise<void> {
  const tests = readdirSync(join(packageRoot, 'test'), { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.test.ts'),
  )
  const loaders = tests.map(name => {
    const file = join(packageRoot, 'test', name)
    return `${JSON.stringify(file)}: () => import(${JSON.stringify(file)}),`
  })
  const shared: BuildOptions = {
    absWorkingDir: packageRoot,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [...plugins, ownPaths, lazily([...external, ...EXTERNAL])],
  }
  await build({
    ...shared,
    stdin: { contents: [PROPERTIES, `export const load = {`, ...loaders, '}'].join('\n'), resolveDir: packageRoot },
    outfile: `${OUT}/tests.js`,
  })
  await build({ ...shared, entryPoints: PROGRAMS, outdir: OUT, outbase: '.' })
  writeFileSync(
    join(packageRoot, OUT, 'run.js'),
    `// Runs a program of the tests, which sees the arguments that it would see if Node had been given its source.
process.argv.splice(1, 1)
await import('./' + process.argv[1].slice(${packageRoot.length + 1}).replace(/ts$/, 'js'))
`,
  )
}
