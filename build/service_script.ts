// Makes the script of the service, `dist/service.js`, and the code that V8 compiles of it when the service starts.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { SCRIPT_IMPORT, SCRIPT_URL, SERVICE_SCRIPT, scriptText } from '../src/cli/service_script.ts'
import { packageRoot } from '../src/package_root.ts'

/** Imports at run time, of plugins and of modules of Node: the others are part of the script. */
const withImports = (text: string): string => text.replace(/(?<![\w$.])import\(/g, `${SCRIPT_IMPORT}(`)

/**
 * Writes other characters than ASCII as escapes, where esbuild leaves them in regular expressions: with any of them, V8 would
 * keep the source in memory with two bytes a character.
 */
const asciiPatterns = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

const script = join(packageRoot, 'dist', SERVICE_SCRIPT)

/** Most milliseconds until the service runs, on a busy machine. */
const LONGEST_MS = 60_000

export async function buildServiceScript(shared: BuildOptions, plugins: readonly Plugin[]): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    ...shared,
    entryPoints: ['src/cli/command.ts'],
    outfile: `dist/${SERVICE_SCRIPT}`,
    format: 'cjs',
    write: false,
    metafile: true,
    define: {
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      'import.meta.url': SCRIPT_URL,
    },
    plugins: [...plugins],
  })
  writeFileSync(script, scriptText(asciiPatterns(withImports(outputFiles[0]?.text ?? ''))))
  await writeCode()
  return metafile
}

/** Starts the service once in a process of its own, which writes the code. */
async function writeCode(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-build-'))
  const config = join(directory, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({
      data: 'data',
      // Nothing answers there (RFC 6335: the port for tests of programs that discard).
      network: { resolvers: ['127.0.0.1:9'] },
      downloads: { enabled: false },
      green_hosting: { enabled: false },
      metrics: { expose: 'off' },
      server: { drain_delay_ms: 0 },
    }),
  )
  const program = join(packageRoot, 'build/service_code.ts')
  const child = fork(program, ['serve', '--config', config, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: LONGEST_MS,
  })
  const ended = once(child, 'exit')
  let written = false
  child.once('message', () => {
    written = true
    child.kill()
  })
  let said = ''
  child.stderr?.on('data', chunk => {
    if (/listens on http:/.test(said)) return
    said += chunk
    if (/listens on http:/.test(said)) child.send('write')
  })
  const [code] = await ended
  rmSync(directory, { recursive: true })
  if (!written || code !== 0) throw new Error(`The service ended with ${code} before its code was written: ${said}`)
}
