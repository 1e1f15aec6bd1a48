// Whether pages can be rendered: the browser that is configured is started once.
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Renderer } from '../../evidence/rendered/renderer.ts'
import { type DoctorFinding, failed, ok, warning } from './finding.ts'

const CHECK = 'browser'
/** Where distributions install Chromium. */
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin']
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** The file of an installed Chromium, or null. */
export function findBrowser(folders: readonly string[] = FOLDERS): string | null {
  const files = folders.flatMap(folder => NAMES.map(name => join(folder, name)))
  return files.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** `installation`: the file of an installed Chromium, or null. */
export async function examineBrowser(
  { rendering: { browser, sandbox } }: Pick<Config, 'rendering'>,
  rendering: Pick<Renderer, 'probe'> | null,
  installation: string | null,
): Promise<DoctorFinding> {
  if (browser === null || rendering === null)
    return ok(
      CHECK,
      installation === null
        ? 'none, so pages are not rendered; to change that, install Chromium (Debian: apt-get install chromium) and set rendering.browser'
        : `not configured, so pages are not rendered; rendering.browser may be ${installation}`,
    )
  try {
    const product = await rendering.probe()
    if (sandbox) return ok(CHECK, `${product} starts, with its sandbox`)
    return warning(
      CHECK,
      `${product} starts without its sandbox`,
      'Allow user namespaces, then remove rendering.sandbox (docs/rendering.md)',
    )
  } catch (error) {
    return failed(
      CHECK,
      `${browser} does not start: ${(error as Error).message}`,
      'Reinstall Chromium; if the message is about its sandbox, docs/rendering.md says what a container needs',
    )
  }
}
