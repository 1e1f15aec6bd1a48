// A real browser for the tests of the page: the one that ASSAY_CHROMIUM names, else the first Chromium on the path.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

function find(): string | null {
  const named = process.env['ASSAY_CHROMIUM']
  if (named) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.flatMap(folder => names.map(name => join(folder, name))).find(existsSync) ?? null
}

const executablePath = find()

/** Why there is no browser to test in, as the runner shows it; false when there is one. */
export const withoutBrowser: string | false =
  executablePath === null &&
  'no Chromium found: install it (Debian: apt-get install chromium) or name it in ASSAY_CHROMIUM'

export function launch(): Promise<Browser> {
  if (executablePath === null) throw new Error(String(withoutBrowser))
  return chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'] })
}
