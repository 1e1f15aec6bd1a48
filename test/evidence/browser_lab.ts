// A service with a real browser, and sites in plain HTTP for it: no lab authority is in Chromium's store.
import { spawnSync } from 'node:child_process'
import type { LabHost } from '../../src/testing/lab_internet.ts'
import type { LabHandler } from '../../src/testing/lab_web.ts'
import { findProgram } from '../needs.ts'
import { type Lab, type LabOptions, startLab } from '../service/lab.ts'

export const BROWSER = findProgram('chromium') ?? ''

/** Chromium's sandbox needs user namespaces, which many containers forbid. */
const canConfine = spawnSync('unshare', ['--user', 'true']).status === 0

/** Visits have more time than in production: the suite keeps every core busy. */
export const RENDERING = {
  browser: BROWSER,
  limit_ms: 7_000,
  sandbox: canConfine,
} as const

export const plainSite = (name: string, address: string, page: string | LabHandler): LabHost => ({
  name,
  addresses: [address],
  http: request => {
    if (typeof page !== 'string') return page(request)
    return request.url === '/' ? { headers: [['Content-Type', 'text/html']], body: page } : { status: 404 }
  },
})

/** A page that a script writes, which shows nothing before. */
export const shell = (script: string): string =>
  `<!doctype html><html lang=en><head><title>Shell</title></head><body><div id=app></div><script>${script}</script></body></html>`

export const startBrowserLab = (
  hosts: readonly LabHost[],
  rendering: Readonly<Record<string, unknown>> = {},
  settings: LabOptions['settings'] = {},
): Promise<Lab> =>
  startLab({
    hosts,
    settings: { ...settings, check: { deadline_ms: 9_000 }, rendering: { ...RENDERING, ...rendering } },
  })
