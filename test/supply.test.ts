// What is installed with this project: whose scripts run, under which terms, and that it is the same everywhere.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

interface Locked {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly link?: boolean
}

const root = resolve(import.meta.dirname, '..')
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>).filter(
  ([path]) => path !== '',
)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Permissive terms (SPDX) that go with Apache-2.0 at run time. */
const permissive = new Set([
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'MIT-0',
  'BlueOak-1.0.0',
])

/** The lock's own word, or the package's where the lock has none. */
const licenceOf = (path: string, { license }: Locked): string =>
  license ?? String(read(join(path, 'package.json')).license)

/** Packages of this repository. */
const OWN: readonly string[] = read('package.json').workspaces ?? []

describe('the installed packages', () => {
  it('run no scripts: those that have one are listed, and none needs it', () => {
    const withScripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path))
    const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> }
    assert.deepEqual(withScripts.sort(), Object.keys(allowScripts).sort())
    assert.deepEqual(new Set(Object.values(allowScripts)), new Set([false]))
  })

  it('have permissive licences if they run with the service', () => {
    const others = locked
      .filter(([, { dev }]) => !dev)
      .filter(([path, entry]) => !permissive.has(licenceOf(path, entry)))
      .map(([path, entry]) => `${nameOf(path)}: ${licenceOf(path, entry)}`)
    assert.deepEqual(others, [])
    assert.ok(locked.some(([, { dev }]) => !dev))
  })

  it('are identical from every registry', () => {
    const unpinned = locked.filter(
      ([path, { integrity, link }]) => !link && !OWN.includes(path) && !/^sha512-/.test(integrity ?? ''),
    )
    assert.deepEqual(
      unpinned.map(([path]) => path),
      [],
    )
    assert.deepEqual(
      locked.flatMap(([, { resolved, link }]) => (link ? [] : (resolved ?? []))),
      [],
    )
  })

  it('match package.json', () => {
    const { dependencies, devDependencies } = read('package.json')
    const { '': own } = read('package-lock.json').packages
    assert.deepEqual([own.dependencies, own.devDependencies], [dependencies, devDependencies])
  })
})
