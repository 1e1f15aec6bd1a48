// A real browser for the tests of the page: the one that ASSAY_CHROMIUM names, else the first Chromium on the path.
import { type Browser, chromium } from 'playwright-core'
import { findProgram, without } from '../needs.ts'

const named = process.env['ASSAY_CHROMIUM']

/** Why there is no browser to test in; false when there is one. */
export const withoutBrowser = named ? false : without('chromium')

export function launch(): Promise<Browser> {
  const executablePath = named || findProgram('chromium')
  if (executablePath === null) throw new Error(String(withoutBrowser))
  return chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'] })
}
